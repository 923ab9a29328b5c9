import { unitsExpected, type Workflow } from "../../../core/workflow.ts";
import type { Queries } from "../queries.ts";
import { nodeCounts } from "./dag.ts";
import { etaOf } from "./how-far.ts";

export const workflowFields = (workflow: Workflow) => ({
  ...workflow,
  dagId: workflow.currentDagId,
  totalWorkUnits: workflow.unitsPlanned,
  workUnitsDone: workflow.unitsDone,
  totalNodes: workflow.nodesPlanned,
  progressPercent: percentDone(workflow.status === "completed", workflow.unitsDone, unitsExpected(workflow)),
});

/** One decimal, rounded down, of all units that are expected: 100 means all of it. */
export function percentDone(isCompleted: boolean, done: number, expected: number): number {
  if (isCompleted) return 100;
  return expected === 0 ? 0 : Math.floor((1000 * done) / expected) / 10;
}

type WorkflowFacts = NonNullable<Awaited<ReturnType<Queries["workflowStatus"]>>>;

export const workflowStatus = (
  { workflow, progress, dag, blocks, units, files, planWarnings }: WorkflowFacts,
  now: Date,
) => {
  const eta = progress && etaOf(progress, now);
  return {
    ...workflow,
    workflowId: workflow.id,
    dag: dag && { id: dag.id, status: dag.status, ...nodeCounts(dag) },
    workUnits: {
      total: progress?.total ?? 0,
      done: progress?.done ?? 0,
      running: progress?.running ?? 0,
      failed: progress?.failed ?? 0,
      expected: progress?.expected ?? 0,
    },
    outputs: units,
    inputFiles: files,
    blocks: blocks.map(({ dataset, index, status, unitsDone, unitsTotal }) => ({
      datasetName: dataset,
      blockIndex: index,
      status,
      workUnits: `${unitsDone}/${unitsTotal}`,
    })),
    progressPercent: percentDone(workflow.status === "completed", progress?.done ?? 0, progress?.expected ?? 0),
    planWarnings,
    estimatedCompletion: eta?.at ?? null,
    eta,
  };
};
