import type { IdentityCheck } from "../../../catalogs/port.ts";
import { secondsBetween } from "../../../core/base/clock.ts";
import type { ImportRecord } from "../../../core/import.ts";
import type { OutputBlock } from "../../../core/output-block.ts";
import type { RequestRecord } from "../../../core/request.ts";
import { REQUEST_STATUS } from "../../../core/request-status.ts";
import type { AlertWish } from "./raise-and-close.ts";

/** What is worth an alert, from facts to wishes. One family each; pure. */

/**
 * A request that has been in its status for too long: somebody should look. Nothing here stops the evaluation
 * of a request, and nothing fails it. `engine`: does it answer now? null: nobody asked.
 */
export function stuckAlerts(
  { spec, status, statusSince }: RequestRecord,
  engine: Pick<EngineLook, "ok"> | null,
  now: Date,
): readonly AlertWish[] {
  const { timeoutSec } = REQUEST_STATUS[status];
  if (timeoutSec === null || secondsBetween(statusSince, now) <= timeoutSec) return [];
  const since = `${status} since ${statusSince.toISOString()}`;
  const alert = (severity: AlertWish["severity"], message: string) => [
    { key: `stuck:${spec.name}:${status}`, severity, subject: spec.name, message },
  ];
  switch (status) {
    case "queued":
      return alert("info", `${since}: more slots or a higher priority would let it start`);
    case "active":
      if (engine === null) return alert("warning", `${since}: the engine was not asked yet`);
      if (engine.ok) return alert("warning", `${since}: slow; the engine answers and goes on`);
      return alert(
        "critical",
        `${since} and the engine is unreachable: see wms2 doctor; a run that it has lost is held when it answers again`,
      );
    case "stopping":
      return alert("warning", `${since}: the engine still has its jobs; removal is tried again`);
    default:
      return alert("warning", since);
  }
}

/** One per held request: gone when it is released, given up or aborted. */
export function heldAlerts(requests: readonly RequestRecord[]): readonly AlertWish[] {
  return requests
    .filter(({ status }) => status === "held")
    .map(({ spec, hold }) => ({
      key: `held:${spec.name}`,
      severity: "warning",
      subject: spec.name,
      message: `held (${hold?.code ?? "no code"}): ${hold?.message ?? "no reason was kept"}`,
    }));
}

/** One per block of outputs that was given up: gone when it is tried again. */
export function blockAlerts(failed: readonly OutputBlock[]): readonly AlertWish[] {
  return failed.map(({ name, requestName, lastError }) => ({
    key: `blocks:${name}`,
    severity: "critical",
    subject: requestName,
    message: `${name} is given up at ${lastError?.step}: ${lastError?.message}; ${lastError?.fix}; wms2 blocks retry ${requestName}`,
  }));
}

/** Long enough that a busy pool or a short outage is over. */
const WAIT_ALERT_SEC = 900;

/** A request that waits for people, though it is not held: jobs held by hand, no worker, a ledger that cannot be read. */
export function waitAlerts(requests: readonly RequestRecord[], now: Date): readonly AlertWish[] {
  return requests.flatMap(({ spec, status, error, waiting }) => {
    if (!waiting || status === "held" || error || waiting.who === "time") return [];
    // A person wanted it so, and knows.
    if (waiting.code === "admission-closed" || waiting.code === "sweep-off") return [];
    if (secondsBetween(waiting.since, now) < WAIT_ALERT_SEC) return [];
    const message = `has been waiting since ${waiting.since.toISOString()} (${waiting.code}): ${waiting.reason}`;
    return [{ key: `wait:${spec.name}`, severity: "warning" as const, subject: spec.name, message }];
  });
}

/** Passes that fail on a request again and again; a held one has its own alert. */
export function errorAlerts(requests: readonly RequestRecord[], moreThan: number): readonly AlertWish[] {
  return requests.flatMap(({ spec, status, error }) => {
    if (error === null || error.count <= moreThan || status === "held") return [];
    const message = `every pass has failed since ${error.since.toISOString()} (${error.code}): ${error.message}`;
    return [{ key: `errors:${spec.name}`, severity: "warning" as const, subject: spec.name, message }];
  });
}

/** What came from ReqMgr2 and needs a person: it could not be taken, has changed there, or cannot be told of. */
export function importAlerts(records: readonly ImportRecord[]): readonly AlertWish[] {
  const alert = (name: string, what: string, severity: AlertWish["severity"], message: string) => ({
    key: `reqmgr2:${what}:${name}`,
    severity,
    subject: name,
    message,
  });
  return records.flatMap(({ name, outcome, reasons, changes, lastError, tries }) => [
    ...(outcome === "refused" ? [alert(name, "refused", "warning", `cannot be imported: ${reasons.join("; ")}`)] : []),
    ...(changes.length > 0
      ? [alert(name, "changed", "warning", `changed in ReqMgr2 since it was imported: ${changes.join("; ")}`)]
      : []),
    // The first tries may meet a short outage.
    ...(lastError && (tries === 0 || tries > 2)
      ? [alert(name, "status", "warning", `ReqMgr2 could not be updated: ${lastError}`)]
      : []),
  ]);
}

export interface EngineLook {
  readonly ok: boolean;
  readonly text: string;
  /** Looks in a row without an answer, and since when. */
  readonly failures: number;
  readonly since: Date | null;
}

export const engineKey = (name: string): string => `engine:${name}`;

/** null: too early to tell, leave the family alone. */
export function engineAlerts(name: string, look: EngineLook, after: number): readonly AlertWish[] | null {
  if (look.ok) return [];
  if (look.failures < after) return null;
  const message = `the ${name} engine has not answered since ${look.since?.toISOString()}: ${look.text}`;
  return [{ key: engineKey(name), severity: "critical", subject: name, message }];
}

/** Misses of each service of the catalog in a row, with what the last one said and since when. */
export type CatalogLooks = Readonly<Record<string, Omit<EngineLook, "ok">>>;

export const CATALOG_FAMILY = "catalog-unreachable";

/** One per service; a service that missed too few looks keeps the alert it has. */
export function catalogAlerts(
  looks: CatalogLooks,
  after: number,
  isOpen: (key: string) => boolean,
): readonly AlertWish[] {
  return Object.entries(looks).flatMap(([service, { text, failures, since }]) => {
    const key = `${CATALOG_FAMILY}:${service}`;
    if (failures === 0 || (failures < after && !isOpen(key))) return [];
    const message = `${service} has not answered since ${since?.toISOString()}: ${text}`;
    return [{ key, severity: "critical", subject: service, message }];
  });
}

export const IDENTITY_FAMILY = "identity";

/** Of what we show to the services: nobody looks at `doctor` before it ends. */
export function identityAlerts({ result, message, fix }: IdentityCheck): readonly AlertWish[] {
  if (result === "ok") return [];
  const severity = result === "fail" ? "critical" : "warning";
  return [{ key: `${IDENTITY_FAMILY}:certificate`, severity, subject: "certificate", message: `${message}; ${fix}` }];
}

export interface DiskSpace {
  /** "spool", "storage". */
  readonly what: string;
  readonly path: string;
  readonly freeMb: number;
  /** Files that still fit; null: the file system does not count them. */
  readonly freeFiles: number | null;
}

const FEW_FILES = 10_000;

/**
 * Below the limit a warning, below a tenth of it critical. An alert that is open stays so until a tenth more than the limit
 * is free, so that a disk at the limit does not open and close it again and again.
 */
export function diskAlerts(
  spaces: readonly DiskSpace[],
  lowMb: number,
  isOpen: (key: string) => boolean = () => false,
): readonly AlertWish[] {
  return spaces.flatMap(({ what, path, freeMb, freeFiles }) => {
    const key = `disk:${what}`;
    const few = freeFiles !== null && freeFiles < FEW_FILES;
    if (!few && freeMb >= (isOpen(key) ? lowMb * 1.1 : lowMb)) return [];
    // In steps of the limit, so that the words stay while the number moves.
    const step = freeMb < lowMb / 10 ? lowMb / 10 : lowMb;
    const severity: AlertWish["severity"] = step < lowMb || freeFiles === 0 ? "critical" : "warning";
    const room = few ? `fewer than ${FEW_FILES} more files fit` : `less than ${step} MB are free`;
    return [{ key, severity, subject: what, message: `${path}: ${room}` }];
  });
}
