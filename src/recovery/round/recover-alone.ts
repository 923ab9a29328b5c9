import type { HoldCode } from "../../core/holds.ts";
import { USUAL_RECOVERY } from "../../core/recover.ts";
import type { HoldReason } from "../../core/request.ts";
import { decideRecovery, type RecoverFacts, type Recovery } from "./recover.ts";

/** `recovery.auto: true`: what `wms2 recover` would do, done by the loop when a round would be held; counted, with a limit. */
export interface OwnRecovery extends RecoverFacts {
  /** Recoveries of this round so far, and the most there may be. */
  readonly used: number;
  readonly most: number;
}

/** Holds that failures of jobs lead to. What no rule knows and bad files are for a person. */
const FOR_FAILURES: readonly HoldCode[] = [
  "failure-threshold",
  "permanent-failures",
  "rescues-used-up",
  "executions-used-up",
  "retries-used-up",
];

type Alone =
  | { readonly kind: "recover"; readonly rerun: Recovery["rerun"]; readonly reason: string }
  | { readonly kind: "hold"; readonly hold: HoldReason };

/** null: there is nothing in it that could be recovered, so the hold stands. */
export function recoverAlone(facts: OwnRecovery, hold: HoldReason): Alone | null {
  if (!FOR_FAILURES.some((code) => code === hold.code)) return null;
  const decided = decideRecovery(facts, USUAL_RECOVERY);
  if (!decided.ok || decided.value.rerun.size === 0) return null;
  const { used, most, name } = facts;
  if (used >= most) {
    const message = `${hold.message}; it recovered by itself ${used} of ${most} times; do it again with: wms2 recover ${name}`;
    return { kind: "hold", hold: { ...hold, message } };
  }
  const { rerun, reason } = decided.value;
  return { kind: "recover", rerun, reason: `${reason} (${used + 1} of ${most} by itself); else held: ${hold.message}` };
}
