import { HOLDS, holdFor, isHoldCode } from "../../domain/holds.ts";
import type { HoldReason } from "../../domain/request.ts";
import { isTerminal, REQUEST_STATUSES, type RequestStatus } from "../../domain/request-status.ts";

interface ActionFacts {
  readonly meaning: string;
  readonly allowed: readonly RequestStatus[];
  /** The request is there already: asking again is no error and changes nothing. */
  readonly already: readonly RequestStatus[];
  /** Why not in the other open states. */
  readonly otherwise: string;
}

const OPEN = REQUEST_STATUSES.filter((status) => !isTerminal(status));

/**
 * What a person may ask of a request, and in which states. API, CLI, dashboard and docs read this table; a refusal
 * says what to do instead.
 */
const TABLE = {
  submit: {
    meaning: "hand a draft in: from here on it is worked on",
    allowed: ["new"],
    already: ["submitted", "queued", "planning", "active"],
    otherwise: "it was handed in before",
  },
  release: {
    meaning: "go on: finished work is kept, modifications apply to the next plan or rescue",
    allowed: ["held"],
    already: [],
    otherwise: "only a held request can be released",
  },
  fail: {
    meaning: "give it up for good; an invalidation manifest lists its outputs",
    allowed: ["held"],
    already: ["failed"],
    otherwise: "only a held request can be failed: hold it first, or abort it",
  },
  restart: {
    meaning: "kill and clone: give it up and begin again as the next version",
    allowed: ["held", "failed", "aborted"],
    already: [],
    otherwise: "only a held, failed or aborted request can be restarted: hold it first",
  },
  stop: {
    meaning: "take its jobs out of the engine, keep what finished, go back to the queue",
    allowed: ["queued", "planning", "active", "partial"],
    already: ["stopping", "resubmitting"],
    otherwise: "there is nothing to stop",
  },
  resume: {
    meaning: "go on from where it was stopped",
    allowed: ["held", "resubmitting"],
    already: ["queued", "planning", "active"],
    otherwise: "it has not been stopped",
  },
  abort: {
    meaning: "cancel it: its jobs are removed, finished outputs stay",
    allowed: OPEN,
    already: ["aborted"],
    otherwise: "",
  },
  hold: {
    meaning: "stop it like a clean stop, then wait for a person",
    allowed: ["submitted", "queued", "planning", "active", "partial", "stopping", "resubmitting"],
    already: ["held"],
    otherwise: "it has not been handed in yet",
  },
  rescue: {
    meaning: "run what failed in the present round again now",
    allowed: ["held", "partial"],
    already: [],
    otherwise: "a rescue needs a run that has ended with failures",
  },
  resubmit: {
    meaning:
      "give chosen jobs a new budget and run them again: those of a graph beside its run, others when their run has ended",
    allowed: ["held", "partial", "active"],
    already: [],
    otherwise: "nodes can be resubmitted when they have failed",
  },
  retry: {
    meaning: "try failed jobs that cool off again now, while the run goes on",
    allowed: ["active"],
    already: [],
    otherwise: "jobs cool off only in a run that goes on; resubmit runs failed ones of an ended run again",
  },
  move: {
    meaning: "go on with the engine of this server: finished work is kept, the rest is planned again for its sites",
    allowed: ["held"],
    already: [],
    otherwise: "only a held request can be moved: hold it first, by a server of its engine if it runs there",
  },
} satisfies Record<string, ActionFacts>;

export type OperatorAction = keyof typeof TABLE;
export const ACTION: Readonly<Record<OperatorAction, ActionFacts>> = TABLE;
export const OPERATOR_ACTIONS = Object.keys(TABLE) as readonly OperatorAction[];

type ActionAnswer =
  | { readonly kind: "allowed" }
  | { readonly kind: "already"; readonly why: string }
  | { readonly kind: "refused"; readonly why: string; readonly allowedIn: readonly RequestStatus[] };

export function mayDo(action: OperatorAction, status: RequestStatus): ActionAnswer {
  const { allowed, already, otherwise } = ACTION[action];
  if (allowed.includes(status)) return { kind: "allowed" };
  if (already.includes(status)) return { kind: "already", why: `it is ${status} already` };
  const why = isTerminal(status) ? `it is ${status}, and that is final` : `it is ${status}: ${otherwise}`;
  return { kind: "refused", why, allowedIn: allowed };
}

export const actionsIn = (status: RequestStatus): readonly OperatorAction[] =>
  OPERATOR_ACTIONS.filter((action) => mayDo(action, status).kind === "allowed");

/** A held request is resumed only if a person stopped it; trouble is released, which says that it was looked at. */
export function mayResume(status: RequestStatus, holdCode: string | null): ActionAnswer {
  const answer = mayDo("resume", status);
  const actions: readonly string[] = holdCode !== null && isHoldCode(holdCode) ? HOLDS[holdCode].actions : [];
  if (answer.kind !== "allowed" || status !== "held" || actions.includes("resume")) return answer;
  return { kind: "refused", why: `it is held for ${holdCode ?? "trouble"}: release it instead`, allowedIn: ["held"] };
}

type StopAnswer =
  | Exclude<ActionAnswer, { kind: "allowed" }>
  /** stop-run: move to stopping; when nothing is left of the run, go on. */
  | { readonly kind: "stop-run" | "hold"; readonly hold: HoldReason };

/**
 * Stopping by hand. With a run in the engine, the whole tree is taken out and the request goes back to the queue with
 * its rescue (stop) or waits (hold). Between rounds there is nothing to take out, so both wait for a person. `mayRun`:
 * a run is in the engine, or may be: a submission was begun and not answered.
 */
export function decideStop(
  { status, mayRun }: { readonly status: RequestStatus; readonly mayRun: boolean },
  { action, actor, reason }: { readonly action: "stop" | "hold"; readonly actor: string; readonly reason: string },
): StopAnswer {
  const may = mayDo(action, status);
  if (may.kind !== "allowed") return may;
  const past = action === "stop" ? "stopped" : "held";
  const code = action === "stop" ? "stopped" : "held-by-operator";
  const hold = holdFor(code, `${past} by ${actor}: ${reason}`, { actor, reason, status });
  return { kind: mayRun ? "stop-run" : "hold", hold };
}
