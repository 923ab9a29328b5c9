import { HOLDS, holdFor, isHoldCode } from "../../core/holds.ts";
import type { WishKind } from "../../core/operator.ts";
import type { HoldReason, RequestRecord } from "../../core/request.ts";
import { isTerminal, REQUEST_STATUSES, type RequestStatus } from "../../core/request-status.ts";

interface ActionFacts {
  readonly meaning: string;
  readonly allowed: readonly RequestStatus[];
  /** The request is there already: asking again is no error and changes nothing. */
  readonly already: readonly RequestStatus[];
  /** Why not in the other open states. */
  readonly otherwise: string;
}

const OPEN = REQUEST_STATUSES.filter((status) => !isTerminal(status));
const STOPPABLE = OPEN.filter((status) => status !== "new" && status !== "held");

/**
 * What a person may ask of a request, and in which states. API, CLI, dashboard and docs read this table; a refusal
 * says what to do instead.
 */
const TABLE = {
  submit: {
    meaning: "submit a draft: from here on it is worked on",
    allowed: ["new"],
    already: ["submitted", "queued", "planning", "active"],
    otherwise: "it was submitted before",
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
    meaning:
      "give it up and start again as the next version (kill and clone); outputs stay until the next version has completed",
    allowed: ["held", "failed", "aborted", "completed"],
    already: [],
    otherwise: "only a request that is held or over can be restarted: hold it first",
  },
  stop: {
    meaning: "take its jobs out of the engine and keep what finished; it stays stopped until it is resumed",
    allowed: STOPPABLE,
    already: ["held"],
    otherwise: "it has not been submitted yet",
  },
  requeue: {
    meaning: "take its jobs out of the engine, keep what finished, and go back to the queue",
    allowed: ["planning", "active", "partial"],
    already: ["submitted", "queued", "stopping", "resubmitting"],
    otherwise: "nothing of it is in the engine",
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
    meaning: "stop it, and ask for a person to look at it",
    allowed: STOPPABLE,
    already: ["held"],
    otherwise: "it has not been submitted yet",
  },
  rescue: {
    meaning: "run what failed in the present round again now",
    allowed: ["held", "partial"],
    already: [],
    otherwise: "a rescue needs a run that has ended with failures",
  },
  resubmit: {
    meaning: "run chosen jobs again with new retries: jobs of a graph at once, others when the run has ended",
    allowed: ["held", "partial", "active"],
    already: [],
    otherwise: "nodes can be resubmitted when they have failed",
  },
  retry: {
    meaning: "retry failed jobs now instead of later, while the run goes on",
    allowed: ["active"],
    already: [],
    otherwise:
      "only a run that goes on has jobs that wait for a retry; of an ended run, resubmit runs failed jobs again",
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

/** What ends a request is not undone by asking for something else before the loop got to it. */
export const FINAL_WISHES: readonly WishKind[] = ["abort", "fail", "restart"];

/** Of a held request always: the ways out that need nothing of its round. */
const OUT: readonly OperatorAction[] = ["fail", "restart", "abort"];
/** They are about jobs that failed while the run goes on: whether there are any, only a look at the round says. */
const OF_FAILED_JOBS: readonly OperatorAction[] = ["resubmit", "retry"];

/**
 * What can be offered without a look at its round: nothing that a look would refuse. Where more may be done, the
 * actions themselves say so.
 */
export function offeredActions({ status, hold, wish, supersededBy }: RequestRecord): readonly OperatorAction[] {
  if (wish && FINAL_WISHES.includes(wish.kind)) return wish.kind === "abort" || isTerminal(status) ? [] : ["abort"];
  const known: readonly string[] = hold && isHoldCode(hold.code) ? HOLDS[hold.code].actions : ["release"];
  return actionsIn(status).filter((action) => {
    if (action === wish?.kind || (action === "resume" && wish?.kind === "release")) return false;
    // A request that belongs to another engine says itself that it can be moved.
    if (action === "move" || (action === "restart" && supersededBy !== null)) return false;
    if (status === "held") return OUT.includes(action) || known.includes(action);
    return !OF_FAILED_JOBS.includes(action);
  });
}

/** A held request is resumed only if a person stopped it; trouble is released, which says that it was looked at. */
export function mayResume(status: RequestStatus, holdCode: string | null): ActionAnswer {
  const answer = mayDo("resume", status);
  const actions: readonly string[] = holdCode !== null && isHoldCode(holdCode) ? HOLDS[holdCode].actions : [];
  if (answer.kind !== "allowed" || status !== "held" || actions.includes("resume")) return answer;
  return { kind: "refused", why: `it is held for ${holdCode ?? "trouble"}: release it instead`, allowedIn: ["held"] };
}

/**
 * What goes with an action that a person only names. Programs know `stop` as a clean stop that goes back to the queue, and
 * the API keeps that; who says stop to a command, a page or an agent means that it stays stopped.
 */
export const MEANT: Readonly<Partial<Record<OperatorAction, Readonly<Record<string, unknown>>>>> = {
  stop: { then: "hold" },
  resubmit: { nodes: "failed" },
};

/** What takes a run out of the engine: stop and hold leave the request to a person, requeue to the queue. */
const STOP_ACTIONS = ["stop", "hold", "requeue"] as const;
export type StopAction = (typeof STOP_ACTIONS)[number];
/** What comes after the stop; null: it is none. */
export const thenOf = (action: OperatorAction): "hold" | "queue" | null =>
  action === "requeue" ? "queue" : isStopAction(action) ? "hold" : null;
export const isStopAction = (word: string): word is StopAction => STOP_ACTIONS.includes(word as StopAction);

type StopAnswer =
  | Exclude<ActionAnswer, { kind: "allowed" }>
  /** stop-run: move to stopping; when nothing is left of the run, go on · nothing: there is no run to be queued again. */
  | { readonly kind: "stop-run" | "nothing" }
  | { readonly kind: "hold"; readonly hold: HoldReason };

interface StopWish {
  readonly action: StopAction;
  readonly actor: string;
  readonly reason: string;
}

/**
 * Stopping by hand. With a run in the engine, the whole tree is taken out first. Between rounds there is nothing to take
 * out. `mayRun`: a run is in the engine, or may be: a submission was begun and not answered.
 */
export function decideStop(
  { status, mayRun }: { readonly status: RequestStatus; readonly mayRun: boolean },
  wish: StopWish,
): StopAnswer {
  const may = mayDo(wish.action, status);
  if (may.kind !== "allowed") return may;
  if (mayRun) return { kind: "stop-run" };
  const hold = holdByHand(wish, status);
  return hold ? { kind: "hold", hold } : { kind: "nothing" };
}

/** What a request waits for when nothing of its run is left; null: for its turn in the queue. */
export function holdByHand({ action, actor, reason }: StopWish, status: RequestStatus): HoldReason | null {
  const evidence = { actor, reason, status };
  if (action === "stop") return holdFor("stopped", `stopped by ${actor}: ${reason}`, evidence);
  return action === "hold" ? holdFor("held-by-operator", `held by ${actor}: ${reason}`, evidence) : null;
}
