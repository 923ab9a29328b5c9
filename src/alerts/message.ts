import type { Alert } from "../domain/dag.ts";
import type { AlertChange, AlertRecord } from "../domain/operator.ts";

/** One change of one alert as sinks tell it. `text` is for people and fits chat services that read only that. */
export interface AlertMessage {
  readonly version: 1;
  readonly id: string;
  /** With the id, what a receiver may use to see that it was told twice. */
  readonly revision: number;
  readonly change: AlertChange;
  readonly key: string;
  readonly severity: Alert["severity"];
  readonly subject: string;
  readonly message: string;
  readonly count: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly acknowledged_by: string | null;
  readonly closed_at: string | null;
  /** The installation it is from. */
  readonly source: string;
  readonly text: string;
}

export function alertMessage(alert: AlertRecord, source: string): AlertMessage {
  const { id, revision, lastChange, key, severity, subject, message, count } = alert;
  return {
    version: 1,
    id,
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
    text: `wms2 ${headline(alert)}: ${message}`,
  };
}

/** "WARNING muons-2026", "CLOSED muons-2026", "ACKNOWLEDGED by ada: muons-2026". */
export function headline({ lastChange, severity, subject, acknowledgedBy }: AlertRecord): string {
  if (lastChange === "closed") return `CLOSED ${subject}`;
  if (lastChange === "acknowledged") return `ACKNOWLEDGED by ${acknowledgedBy} ${subject}`;
  return `${severity.toUpperCase()} ${subject}`;
}

const ORDER: readonly Alert["severity"][] = ["info", "warning", "critical"];
export const isAtLeast = (severity: Alert["severity"], least: Alert["severity"]): boolean =>
  ORDER.indexOf(severity) >= ORDER.indexOf(least);
