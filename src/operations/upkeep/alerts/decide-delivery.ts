import { secondsBetween } from "../../../core/base/clock.ts";
import type { Alert } from "../../../core/dag.ts";
import type { AlertDelivery } from "../../../core/operator.ts";
import { isAtLeast } from "./message.ts";

const FIRST_WAIT_SEC = 10;
const LONGEST_WAIT_SEC = 3600;

/** 10 s, 20 s, 40 s … one hour: what one more try has to wait for after so many failures. */
export const waitAfter = (failures: number): number =>
  failures === 0 ? 0 : Math.min(LONGEST_WAIT_SEC, FIRST_WAIT_SEC * 2 ** Math.min(failures - 1, 20));

export const SINK_FAMILY = "sink";
export const sinkKey = (sink: string): string => `${SINK_FAMILY}:${sink}`;

/** tell: now · later: it failed not long ago · pass-over: not for this sink; it counts as told. */
type DeliveryDecision = "tell" | "later" | "pass-over";

/**
 * `heard`: this sink really was told of the alert before. It then hears how the story goes on, also when the alert
 * has become less severe than it asks for. What opened and closed while the sink was broken is told as over. A sink
 * is never told of its own trouble.
 */
export function decideDelivery(
  { alert, tries, triedAt }: AlertDelivery,
  sink: { readonly name: string; readonly minSeverity: Alert["severity"] },
  heard: boolean,
  now: Date,
): DeliveryDecision {
  if (alert.key === sinkKey(sink.name)) return "pass-over";
  const isOldNews = alert.lastChange === "closed" && tries === 0;
  if (!heard && (isOldNews || !isAtLeast(alert.severity, sink.minSeverity))) return "pass-over";
  if (triedAt !== null && triedAt <= now && tries > 0 && secondsBetween(triedAt, now) < waitAfter(tries))
    return "later";
  return "tell";
}
