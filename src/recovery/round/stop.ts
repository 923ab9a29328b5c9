import type { HoldReason } from "../../domain/request.ts";
import type { RequestStatus } from "../../domain/request-status.ts";
import { type ActionAnswer, mayDo } from "./actions.ts";

/**
 * Stopping by hand. With a run in the engine, the whole tree is taken out and the request goes back to the queue with
 * its rescue (stop) or waits (hold). Between rounds there is nothing to take out, so both wait for a person.
 */
export interface StopFacts {
  readonly status: RequestStatus;
  /** A run is in the engine, or may be: a submission was begun and not settled. */
  readonly mayRun: boolean;
}

export interface StopWish {
  readonly action: "stop" | "hold";
  readonly actor: string;
  readonly reason: string;
}

export type StopAnswer =
  | Exclude<ActionAnswer, { kind: "allowed" }>
  /** Move to stopping; when nothing is left of the run, go on to `afterwards`. */
  | {
      readonly kind: "stop-run";
      readonly afterwards: "queue" | "hold";
      readonly hold: HoldReason;
      readonly because: string;
    }
  | { readonly kind: "hold"; readonly hold: HoldReason; readonly because: string };

export function decideStop({ status, mayRun }: StopFacts, { action, actor, reason }: StopWish): StopAnswer {
  const may = mayDo(action, status);
  if (may.kind !== "allowed") return may;
  const words = `${action === "stop" ? "stopped" : "held"} by ${actor}: ${reason}`;
  const hold: HoldReason = {
    code: action === "stop" ? "stopped" : "held-by-operator",
    message: words,
    evidence: { actor, reason, status },
    actions: ["resume", "release", "fail", "restart", "abort"],
  };
  const afterwards = action === "stop" ? "queue" : "hold";
  return mayRun
    ? { kind: "stop-run", afterwards, hold, because: words }
    : { kind: "hold", hold, because: `${words}; no run is in the engine, so it waits` };
}
