import type { DagEvent } from "../core/dag.ts";
import { MERGE_GROUP } from "../core/roles.ts";
import type { RunObservation } from "../core/run.ts";
import { type AttemptRecord, NO_RECORD } from "../recovery/ledger-record.ts";

/** The note on a DAG that what one of its units left behind was not believed. */
export const REFUSED = "refused";

/** unit → what was wrong with what it left. */
export const refusedUnits = (history: readonly DagEvent[]): ReadonlyMap<string, string> =>
  new Map(
    history.filter(({ type }) => type === REFUSED).map(({ detail }) => [String(detail.unit), String(detail.reason)]),
  );

/** The engine calls such a unit done; for everybody else it has failed. */
export function withRefused(seen: RunObservation, refused: ReadonlyMap<string, string>): RunObservation {
  if (seen.kind === "unknown") return seen;
  const moved = seen.unitsDone.filter((unit) => refused.has(unit));
  if (moved.length === 0) return seen;
  const { done, failed } = seen.units;
  const common = {
    units: { ...seen.units, done: done - moved.length, failed: failed + moved.length },
    unitsDone: seen.unitsDone.filter((unit) => !refused.has(unit)),
    unitsFailed: [...seen.unitsFailed, ...moved],
  };
  if (seen.kind === "running") return { ...seen, ...common };
  return { ...seen, ...common, verdict: seen.verdict === "success" ? "failed" : seen.verdict };
}

/** The last word on such a unit: of its merge, as if the job had failed. */
export const refusedLine = (reason: string): AttemptRecord => ({
  ...NO_RECORD,
  node: MERGE_GROUP.finishedBy,
  cause: "forged_output",
  exitCode: 70318,
  decision: "stop",
  why: "row-stops",
  category: "permanent",
  rule: "forged-output",
  reason,
});
