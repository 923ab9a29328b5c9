import { secondsBetween } from "../base/clock.ts";
import type { RequestRecord } from "../domain/request.ts";
import { REQUEST_STATUS } from "../domain/request-status.ts";
import type { AlertWish } from "./raise-and-close.ts";

/**
 * Requests that have been in their status for too long (003 §4.2 under D1 and D16): who should look, and what is
 * worth trying. Nothing here stops the evaluation of a request, and nothing fails it. Pure.
 */
export interface StuckFacts {
  readonly request: Pick<RequestRecord, "spec" | "status" | "statusSince" | "waiting">;
  /** Does the engine answer now? null: nobody asked. */
  readonly engine: { readonly ok: boolean; readonly words: string } | null;
  readonly now: Date;
}

/** probe-engine: ask whether it answers, then judge again · retry-removal: the pass asks the engine again each time. */
export interface StuckAlert extends AlertWish {
  readonly action: "none" | "probe-engine" | "retry-removal";
}

export const STUCK_FAMILY = "stuck";

export function stuckAlerts({ request, engine, now }: StuckFacts): readonly StuckAlert[] {
  const { status, statusSince, spec } = request;
  const { timeoutSec } = REQUEST_STATUS[status];
  if (timeoutSec === null || secondsBetween(statusSince, now) <= timeoutSec) return [];
  const since = `${status} since ${statusSince.toISOString()}`;
  const alert = (severity: AlertWish["severity"], words: string, action: StuckAlert["action"]) => [
    { key: `${STUCK_FAMILY}:${spec.name}:${status}`, severity, subject: spec.name, message: words, action },
  ];
  switch (status) {
    case "queued":
      return alert("info", `${since}: more places or a higher priority would let it start`, "none");
    case "active":
      if (engine === null) return alert("warning", `${since}: nobody has asked the engine yet`, "probe-engine");
      if (engine.ok) return alert("warning", `${since}: slow; the engine answers and goes on`, "none");
      return alert(
        "critical",
        `${since} and the engine is unreachable: if its host is lost for good, restart the request`,
        "probe-engine",
      );
    case "stopping":
      return alert("warning", `${since}: the engine still has its jobs; removal is tried again`, "retry-removal");
    default:
      return alert("warning", since, "none");
  }
}
