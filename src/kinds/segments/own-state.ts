import { isDue } from "../../core/base/clock.ts";
import type { Interval } from "../../core/calendar.ts";
import type { HistoryFact, HistoryFacts, Liveness, TransferLock } from "../../core/products.ts";
import type {
  CellState,
  FillAction,
  FillChoice,
  FillObstacle,
  NodeId,
  NodeRow,
  SegmentNode,
  SegmentsWork,
} from "../../core/segments.ts";
import { madeOfSum } from "./made-of.ts";

export interface FillFacts {
  /** Its name, for the commands that people are told. */
  readonly request: string;
  readonly work: SegmentsWork;
  /** From the start to the month up to which products are due: the end, or how far history has come. */
  readonly range: Interval;
  readonly rows: ReadonlyMap<NodeId, NodeRow>;
  /** Of rows that are submitted or elsewhere; what is not there nobody knows. */
  readonly live: ReadonlyMap<NodeId, Liveness>;
  readonly history: HistoryFacts;
  /** Of history whose transfer frepp's stager has a lock on. */
  readonly locks: ReadonlyMap<NodeId, TransferLock>;
  readonly choice: FillChoice;
  readonly now: Date;
}

/** What is to be done about a node as far as it goes by itself, whatever becomes of what it is made of. */
export type OwnState =
  /** `doubt`: why it is perhaps not as it should be. */
  | { readonly is: "done"; readonly doubt: string | null }
  | { readonly is: "act"; readonly kind: FillAction["kind"]; readonly cell: CellState; readonly why: string }
  | {
      readonly is: "stop";
      readonly kind: FillObstacle["kind"];
      readonly cell: CellState;
      readonly why: string;
      readonly until: Date | null;
    };

const releaseCommand = (request: string, id: NodeId): string => `wms2 release ${request} --product ${id} --reason …`;

const act = (kind: FillAction["kind"], cell: CellState, why: string): OwnState => ({ is: "act", kind, cell, why });
const stop = (kind: FillObstacle["kind"], cell: CellState, why: string, until: Date | null = null): OwnState => ({
  is: "stop",
  kind,
  cell,
  why,
  until,
});

export function ownState(node: SegmentNode, facts: FillFacts): OwnState {
  const row = facts.rows.get(node.id);
  const inHands = row ? whoseTurn(node.id, row, facts) : null;
  return inHands ?? (node.component === null ? historyState(node, row, facts) : productState(node, row, facts));
}

/** History is there or is not: what became of its transfers only says what to do next. */
function historyState(
  { id, outputs, interval }: SegmentNode,
  row: NodeRow | undefined,
  { history, locks, now }: FillFacts,
): OwnState {
  const arrived = history.get(interval.from);
  if (!arrived || arrived.state === "unknown") return stop("unknown", "unknown", `nobody could look at ${outputs[0]}`);
  if (arrived.state === "present") return { is: "done", doubt: null };
  const lock = locks.get(id);
  if (lock?.kind === "held") return stop("elsewhere", "running", `frepp's stager has it: ${lock.reason}`);
  if (lock?.kind === "unknown") return stop("unknown", "unknown", lock.reason);
  if (row?.state === "failed" && isLater(row, now)) return later(row);
  const unlocked = lock ? `; its lock is removed: ${lock.reason}` : "";
  return act("transfer", "missing", `${outputs[0]} ${HISTORY_FAULTS[arrived.state]}${unlocked}`);
}
export const HISTORY_FAULTS: Readonly<Record<Exclude<HistoryFact["state"], "present">, string>> = {
  absent: "is not there",
  partial: "is still being copied",
  short: "is smaller than it must be",
  unknown: "could not be looked at",
};

function productState(node: SegmentNode, row: NodeRow | undefined, facts: FillFacts): OwnState {
  const { work, choice, request, now } = facts;
  switch (row?.state) {
    case "done":
      if (choice.mode === "all") return act("redo", "redo", "is done, and was asked for again");
      if (!hasChanged(node, row, facts)) return { is: "done", doubt: null };
      if (choice.mode === "failed") return act("remake", "stale", "what it was made of has changed");
      return { is: "done", doubt: "what it was made of has changed; --mode failed makes it again" };
    case "failed":
      if (choice.mode === "missing")
        return stop("not-asked", "failed", `${reasonOf(row)}; --mode failed tries it again`);
      if (isLater(row, now)) return later(row);
      return act("retry", "failed", `${reasonOf(row)}; execution ${row.executions + 1} of ${work.executions}`);
    case "lost":
      return act("retry", "failed", reasonOf(row));
    case "input-missing":
      if (hasChanged(node, row, facts) === false)
        return stop(
          "no-history",
          "no-history",
          `${reasonOf(row)}; its input has not changed since. To try it all the same: ${releaseCommand(request, node.id)}`,
        );
      return act("retry", "missing", `${reasonOf(row)}; its input may have changed since`);
    case "partial":
      return act("make", "missing", "only a part of it was made by hand");
    default:
      return act("make", "missing", row?.reason ?? "was never made");
  }
}

/** Whether it is made of something else now than when it was made, or its input was missing; null: unknown. */
function hasChanged(node: SegmentNode, { madeOfSum: then }: NodeRow, { rows, history }: FillFacts): boolean | null {
  const sum = then === null ? null : madeOfSum(node, rows, history);
  return sum === null ? null : sum !== then;
}

/** Somebody else is at it, or has to be: nothing for a plan. */
function whoseTurn(id: NodeId, row: NodeRow, { request, live: known }: FillFacts): OwnState | null {
  const live = known.get(id) ?? "unknown";
  const dead = "it is not known whether it still runs";
  switch (row.state) {
    case "submitted":
      if (live === "unknown") return stop("unknown", "unknown", `is in a run of ours, and ${dead}`);
      return stop("running", live, live === "running" ? "is running" : "is waiting in its run");
    case "elsewhere":
      if (live === "unknown") return stop("unknown", "unknown", `is job ${row.job} of frepp, and ${dead}`);
      return stop("elsewhere", live, `is job ${row.job} of frepp, ${live}`);
    case "held":
      return stop("held", "held", `${reasonOf(row)}; to try it again: ${releaseCommand(request, id)}`);
    case "unknown":
      return stop("unknown", "unknown", `${reasonOf(row)}; to look at what is there: wms2 verify ${request}`);
    default:
      return null;
  }
}

const WORDS: Readonly<Partial<Record<NodeRow["state"], string>>> = {
  failed: "failed",
  lost: "was accepted and never seen again",
  "input-missing": "its history was not there, or short",
  held: "is held",
  unknown: "what became of it is not known",
};
const reasonOf = ({ state, reason }: NodeRow): string => reason ?? WORDS[state] ?? state;
const isLater = ({ retryAt, changedAt }: NodeRow, now: Date): boolean =>
  retryAt !== null && !isDue(retryAt, changedAt, now);
const later = (row: NodeRow): OwnState => stop("later", "failed", `${reasonOf(row)}; tried again later`, row.retryAt);
