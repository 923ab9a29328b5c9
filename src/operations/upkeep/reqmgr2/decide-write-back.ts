import { isTerminal, type RequestStatus } from "../../../core/request-status.ts";

/**
 * What ReqMgr2 is to be told next, from our status and its own: one legal move at a time, never back, and never one that
 * belongs to people there (but for aborted, which is a person's word here).
 */
type WriteBack =
  | { readonly kind: "move"; readonly to: string }
  /** It knows, or is further along by itself. */
  | { readonly kind: "none" }
  /** No legal move leads there: a person has to see to it. */
  | { readonly kind: "illegal"; readonly reason: string };

/** The way a request goes there; each may move to the next. */
const ROAD = ["assigned", "staging", "staged", "acquired", "running-open", "running-closed", "completed"] as const;
/** Where it may be left, and for what. */
const LEAVES: Readonly<Record<string, readonly string[]>> = {
  aborted: ["assigned", "staging", "staged", "acquired", "running-open", "running-closed"],
  failed: ["staged", "acquired"],
};
/** What comes after a goal, by the hands of people and programs there. */
const BEYOND: Readonly<Record<string, readonly string[]>> = {
  completed: ["closed-out", "announced", "normal-archived"],
  aborted: ["aborted-completed", "aborted-archived"],
  failed: [],
};

type Goal = (typeof ROAD)[number] | "aborted" | "failed";

/** null: nothing to tell. What is held or on its way elsewhere has been told that it runs. */
const GOALS: Readonly<Record<RequestStatus, Goal | null>> = {
  new: null,
  submitted: null,
  queued: "acquired",
  planning: "acquired",
  active: "running-open",
  partial: "running-open",
  stopping: null,
  resubmitting: null,
  held: null,
  completed: "completed",
  failed: "failed",
  aborted: "aborted",
};

export function decideWriteBack(ours: RequestStatus, theirs: string): WriteBack {
  const goal = GOALS[ours];
  if (goal === null || theirs === goal || BEYOND[goal]?.includes(theirs)) return { kind: "none" };
  if (theirs === "force-complete" && goal === "completed") return { kind: "move", to: goal };
  const at = (ROAD as readonly string[]).indexOf(theirs);
  if (at < 0) return { kind: "illegal", reason: strange(ours, theirs) };
  if (goal === "aborted" || goal === "failed") {
    const exits = LEAVES[goal]!;
    if (exits.includes(theirs)) return { kind: "move", to: goal };
    const next = ROAD[at + 1];
    // failed is left for from staged on; beyond that there is no way to it any more.
    if (goal === "failed" && next !== undefined && at < ROAD.indexOf("staged")) return { kind: "move", to: next };
    return { kind: "illegal", reason: `no move leads from ${theirs} to ${goal} there: ${HUMAN}` };
  }
  if (at < ROAD.indexOf(goal)) return { kind: "move", to: ROAD[at + 1]! };
  return theirs === "completed" ? { kind: "illegal", reason: strange(ours, theirs) } : { kind: "none" };
}

const HUMAN = "somebody has to abort it or force it to complete in ReqMgr2";

const strange = (ours: RequestStatus, theirs: string): string =>
  isTerminal(ours)
    ? `it is ${ours} here and ${theirs} in ReqMgr2, from where no move leads to that`
    : `it is ${theirs} in ReqMgr2 and ${ours} here: abort it here (wms2 abort), or have it assigned again there`;
