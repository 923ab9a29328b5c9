import { plural } from "../../core/base/text.ts";
import type { Cause } from "../../core/cause.ts";
import type { NodeId, NodeRow, SegmentsWork } from "../../core/segments.ts";
import { WORKER_CODES } from "./worker-codes.ts";

/** How the unit that was to make a node ended. */
export type NodeEnding =
  | { readonly kind: "done" }
  /** All executions of this unit, the last one last, and what to tell about that. */
  | { readonly kind: "failed"; readonly attempts: readonly NodeAttempt[]; readonly reason: string }
  /** Its round ended before it could begin. */
  | { readonly kind: "not-run"; readonly reason: string }
  | { readonly kind: "blocked"; readonly by: NodeId };
interface NodeAttempt {
  readonly cause: Cause;
  readonly exitCode: number | null;
}

export interface EndedNode {
  readonly row: NodeRow;
  readonly isHistory: boolean;
  readonly ending: NodeEnding;
  /** Of its outputs, if all of them are there and verify; null: they do not. */
  readonly madeSum: string | null;
  /** Of what it is made of, as that is now. */
  readonly madeOfSum: string | null;
  readonly work: Pick<SegmentsWork, "executions" | "exitCodes" | "history">;
  /** What the job could take, in minutes. */
  readonly wallMinutes: number;
  readonly now: Date;
}

type Counted = "executions" | "losses" | "overruns" | "transfers";
const NONE: Readonly<Record<Counted, number>> = { executions: 0, losses: 0, overruns: 0, transfers: 0 };

const MAX_LOSSES = 3;
const MAX_OVERRUNS = 3;

/** How often a node may still be executed before its errors, or its overruns, hold it. */
export const executionsLeft = (
  { executions }: Pick<SegmentsWork, "executions">,
  row: Pick<NodeRow, "executions" | "overruns"> = NONE,
): number => Math.max(1, Math.min(executions - row.executions, MAX_OVERRUNS - row.overruns));
/** Before each try of a transfer, where the document does not say. */
export const USUAL_WAIT_HOURS = [0, 1, 2, 4, 8, 16, 32];

export const blankRow = (id: NodeId, now: Date): NodeRow => ({
  ...NONE,
  id,
  state: "missing",
  epoch: 0,
  reason: null,
  cause: null,
  unit: null,
  dagId: null,
  job: null,
  retryAt: null,
  madeSum: null,
  madeOfSum: null,
  version: 0,
  changedAt: now,
});

/** What a row becomes once its unit has ended. Done means verified, whatever the unit says. */
export function decideNode(facts: EndedNode): NodeRow {
  const { row, ending, madeSum, now } = facts;
  const ended = { ...row, retryAt: null, job: null, changedAt: now };
  switch (ending.kind) {
    case "done":
      if (madeSum !== null) return done(ended, facts);
      return decideFailed(
        ended,
        [{ cause: "missing_output", exitCode: 0 }],
        "ended well, and its outputs do not verify",
        facts,
      );
    case "failed":
      return decideFailed(ended, ending.attempts, ending.reason, facts);
    case "not-run":
      return notRun(ended, ending.reason, facts);
    case "blocked":
      return notRun(ended, `blocked by ${ending.by}`, facts);
  }
}

const done = (row: NodeRow, { madeSum, madeOfSum }: EndedNode): NodeRow => ({
  ...row,
  ...NONE,
  state: "done",
  reason: null,
  cause: null,
  madeSum,
  madeOfSum,
});

/** It is what it was before. One that was done and asked for again still is, stale or not. */
function notRun(row: NodeRow, reason: string, { madeSum }: EndedNode): NodeRow {
  if (madeSum !== null && madeSum === row.madeSum) return { ...row, state: "done", reason: null, cause: null };
  const hasFailed = row.executions + row.overruns + row.transfers > 0;
  return { ...row, state: hasFailed ? "failed" : "missing", reason };
}

function decideFailed(row: NodeRow, attempts: readonly NodeAttempt[], reason: string, facts: EndedNode): NodeRow {
  const last = attempts.at(-1);
  const kinds = attempts.map((attempt) => kindOf(attempt, facts));
  const lastKind = kinds.at(-1) ?? "losses";
  // Nobody saw it end: if it left something new that verifies, it did end.
  if (lastKind === "losses" && facts.madeSum !== null && facts.madeSum !== row.madeSum) return done(row, facts);
  const failed = { ...row, reason, cause: last?.cause ?? "node_lost" };
  for (const kind of kinds) if (kind !== "input" && kind !== "locked") failed[kind] += 1;
  if (kinds.length === 0) failed.losses += 1;
  const why = holdReason(failed, facts);
  if (why !== null) return { ...failed, state: "held", reason: `${why}: ${reason}` };
  if (lastKind === "input") return { ...failed, state: "input-missing", madeOfSum: facts.madeOfSum };
  if (last?.exitCode === WORKER_CODES.chunkMissing) return { ...failed, state: "missing" };
  if (lastKind === "losses") return { ...failed, state: "lost" };
  return { ...failed, state: "failed", retryAt: lastKind === "transfers" ? retryAt(failed, facts) : null };
}

const LOSSES: readonly Cause[] = ["evicted", "node_lost", "submit_failed", "held"];

/** What an execution counts as; input, locked: as nothing. A chunk that was lost is nobody's error, and is not looked for endlessly. */
function kindOf({ cause, exitCode }: NodeAttempt, { isHistory, work }: EndedNode): Counted | "input" | "locked" {
  if (exitCode === WORKER_CODES.locked) return "locked";
  if (isHistory) return "transfers";
  if (LOSSES.includes(cause) || exitCode === WORKER_CODES.chunkMissing) return "losses";
  if (cause === "walltime") return "overruns";
  if (cause === "exit" && exitCode !== null && work.exitCodes.inputMissing.includes(exitCode)) return "input";
  if (cause === "exit" && exitCode !== null && work.exitCodes.transient.includes(exitCode)) return "transfers";
  return "executions";
}

const waitHours = ({ work }: EndedNode): readonly number[] => work.history.transfer?.waitHours ?? USUAL_WAIT_HOURS;

const retryAt = ({ transfers }: NodeRow, facts: EndedNode): Date =>
  new Date(facts.now.getTime() + (waitHours(facts)[transfers] ?? 0) * 3_600_000);

/** Why a person has to look at it; null: nobody has to yet. */
function holdReason(row: NodeRow, facts: EndedNode): string | null {
  const { executions, losses, overruns, transfers } = row;
  const { work, wallMinutes } = facts;
  if (executions >= work.executions) return `ended in error ${plural(executions, "time")}`;
  if (overruns >= MAX_OVERRUNS)
    return `ran over its limit of ${wallMinutes} min ${overruns} times; give it more (resources: {time: ${wallMinutes * 2} min}), then release it`;
  if (losses >= MAX_LOSSES) return `was lost ${losses} times`;
  if (transfers >= waitHours(facts).length)
    return `its transfer failed ${plural(transfers, "time")}, the most there may be`;
  return null;
}

/** Somebody let it try again: budgets begin anew, and what happened before stays in its attempts. */
export const releaseNode = (row: NodeRow, who: string, now: Date): NodeRow => ({
  ...row,
  ...NONE,
  state: "missing",
  epoch: row.epoch + 1,
  reason: `released by ${who}`,
  cause: null,
  retryAt: null,
  madeOfSum: null,
  changedAt: now,
});

/** Somebody wants one more try at once, beyond limits and waits. What was counted stays. */
export const forceNode = (row: NodeRow, who: string, now: Date): NodeRow => ({
  ...row,
  state: "failed",
  reason: `${row.reason ?? "failed"}; tried again at once for ${who}`,
  retryAt: null,
  changedAt: now,
});
