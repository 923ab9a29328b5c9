import type { RequestRecord } from "./request.ts";

/**
 * The only place that says which moves of a request are legal. The API, the CLI and the docs read this
 * table; the store refuses a move that is not in it.
 *
 *   new → submitted → queued → planning → active → completed
 *                       ↑                   │ ├→ partial → active (rescue) | held | queued (next round)
 *                       └── resubmitting ← stopping
 *   held → queued | resubmitting | active | stopping | failed | aborted          (an operator's hand)
 */
export const REQUEST_STATUSES = [
  "new",
  "submitted",
  "queued",
  "planning",
  "active",
  "partial",
  "stopping",
  "resubmitting",
  "held",
  "completed",
  "failed",
  "aborted",
] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

interface StatusFacts {
  readonly meaning: string;
  readonly moves: readonly RequestStatus[];
  /** Takes one of the admission slots. */
  readonly usesCapacity: boolean;
  /** Seconds after which somebody should look; never stops evaluation. */
  readonly timeoutSec: number | null;
}

const HOUR = 3600;
const DAY = 24 * HOUR;

export const REQUEST_STATUS: Record<RequestStatus, StatusFacts> = {
  new: {
    meaning: "the requestor's workspace; not looked at",
    moves: ["submitted", "aborted"],
    usesCapacity: false,
    timeoutSec: null,
  },
  submitted: {
    meaning: "submitted; its workflow is being set up",
    moves: ["queued", "held", "aborted"],
    usesCapacity: false,
    timeoutSec: HOUR,
  },
  queued: {
    meaning: "waits in the queue for a free slot",
    moves: ["planning", "active", "stopping", "held", "aborted"],
    usesCapacity: false,
    timeoutSec: 7 * DAY,
  },
  planning: {
    meaning: "a round is being planned, written and handed to the engine",
    moves: ["active", "queued", "stopping", "completed", "held", "aborted"],
    usesCapacity: true,
    timeoutSec: HOUR,
  },
  active: {
    meaning: "the engine runs its DAG",
    moves: ["partial", "queued", "stopping", "completed", "held", "aborted"],
    usesCapacity: true,
    timeoutSec: 30 * DAY,
  },
  partial: {
    meaning: "a DAG ended with failures; recovery decides",
    moves: ["active", "queued", "held", "stopping", "resubmitting", "completed", "aborted"],
    usesCapacity: true,
    timeoutSec: HOUR,
  },
  stopping: {
    meaning: "its jobs are being removed; finished work is kept",
    moves: ["resubmitting", "held", "aborted"],
    usesCapacity: true,
    timeoutSec: HOUR,
  },
  resubmitting: {
    meaning: "stopped; goes back to the queue with its rescue",
    moves: ["queued", "held", "aborted"],
    usesCapacity: false,
    timeoutSec: 600,
  },
  held: {
    meaning: "waits for an operator; the reason is given",
    moves: ["queued", "resubmitting", "active", "stopping", "failed", "aborted"],
    usesCapacity: false,
    timeoutSec: null,
  },
  completed: {
    meaning: "all work done, all outputs registered",
    // Only where products are looked after one by one, and somebody found one missing.
    moves: ["queued"],
    usesCapacity: false,
    timeoutSec: null,
  },
  failed: { meaning: "given up by a person", moves: [], usesCapacity: false, timeoutSec: null },
  aborted: { meaning: "cancelled by a person; its jobs are gone", moves: [], usesCapacity: false, timeoutSec: null },
};

/** What a status means, for a request whose outputs may not be valid any more. */
export function statusMeaning({
  status,
  outputState,
  supersededBy,
  waiting,
}: Pick<RequestRecord, "status" | "outputState" | "supersededBy" | "waiting">): string {
  const leftOut = waiting?.code === "left-out" ? `${waiting.reason}; all else is done and registered` : null;
  if (status !== "completed" || outputState === "active") return leftOut ?? REQUEST_STATUS[status].meaning;
  if (outputState === "invalidated") return "all work done, and its outputs withdrawn";
  return `all work done, its outputs superseded by those of ${supersededBy ?? "another version"}`;
}

/** It is over; only a person may open it again. */
export const isTerminal = (status: RequestStatus): boolean => OVER.has(status);
const OVER: ReadonlySet<RequestStatus> = new Set(["completed", "failed", "aborted"]);
export const canMove = (from: RequestStatus, to: RequestStatus): boolean => REQUEST_STATUS[from].moves.includes(to);

export const TERMINAL_STATUSES = REQUEST_STATUSES.filter(isTerminal);
export const CAPACITY_STATUSES = REQUEST_STATUSES.filter((status) => REQUEST_STATUS[status].usesCapacity);
