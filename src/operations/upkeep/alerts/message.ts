import { deskUrl, requestUrl } from "../../../core/base/desk-url.ts";
import type { Alert } from "../../../core/dag.ts";
import type { AlertRecord } from "../../../core/operator.ts";

/** One change of one alert as sinks tell it. */
export type AlertMessage = Readonly<ReturnType<typeof alertMessage>>;

/** `source`: the installation it is from; `server`: where its pages are, null when nobody said. */
export function alertMessage(alert: AlertRecord, source: string, server: string | null) {
  const { id, revision, lastChange, key, severity, subject, message, count } = alert;
  return {
    version: 1,
    id,
    /** With the id, what a receiver may use to see that it was told twice. */
    revision,
    change: lastChange,
    key,
    severity,
    subject,
    message,
    count,
    first_at: alert.firstAt.toISOString(),
    last_at: alert.lastAt.toISOString(),
    acknowledged_by: alert.acknowledgedBy,
    closed_at: alert.closedAt?.toISOString() ?? null,
    source,
    /** Of the page that tells more. */
    url: server === null ? null : pageOf(alert, server),
    /** For people; fits chat services that read only that. */
    text: `wms2 ${headline(alert)}: ${message}`,
  };
}

/** Families of alerts whose subject is a request. */
const ABOUT_REQUESTS = ["held", "wait", "stuck", "errors", "unknown-run", "housekeeping"];

const pageOf = ({ key, subject }: AlertRecord, server: string): string =>
  ABOUT_REQUESTS.includes(key.split(":")[0] ?? "") ? requestUrl(server, subject) : deskUrl(server, "alerts");

/** "WARNING muons-2026", "CLOSED muons-2026", "ACKNOWLEDGED by ada: muons-2026". */
function headline({ lastChange, severity, subject, acknowledgedBy }: AlertRecord): string {
  if (lastChange === "closed") return `CLOSED ${subject}`;
  if (lastChange === "acknowledged") return `ACKNOWLEDGED by ${acknowledgedBy} ${subject}`;
  return `${severity.toUpperCase()} ${subject}`;
}

const ORDER: readonly Alert["severity"][] = ["info", "warning", "critical"];
export const isAtLeast = (severity: Alert["severity"], least: Alert["severity"]): boolean =>
  ORDER.indexOf(severity) >= ORDER.indexOf(least);
