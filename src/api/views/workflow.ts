import { type Dag, isDagOver, runningNodes } from "../../domain/dag.ts";
import type { Workflow } from "../../domain/workflow.ts";
import type { Queries } from "../queries.ts";
import { nodeCounts } from "./dag.ts";

export const workflowFields = (workflow: Workflow) => ({
  ...workflow,
  dagId: workflow.currentDagId,
  totalWorkUnits: workflow.unitsPlanned,
  workUnitsDone: workflow.unitsDone,
  totalNodes: workflow.nodesPlanned,
  progressPercent: progressPercent(workflow),
});

/** One decimal, rounded down: 100 means all of it. */
export function progressPercent(workflow: Pick<Workflow, "status" | "unitsDone" | "unitsPlanned">): number {
  if (workflow.status === "completed") return 100;
  if (workflow.unitsPlanned === 0) return 0;
  return Math.floor((1000 * workflow.unitsDone) / workflow.unitsPlanned) / 10;
}

/** At the pace of this DAG so far; null before its first unit is done, while nothing runs, and after its end. */
export function estimateCompletion(dag: Dag | null, now: Date): Date | null {
  if (!dag?.submittedAt || isDagOver(dag.status) || dag.units.done === 0 || runningNodes(dag.nodes) === 0) return null;
  const elapsedMs = now.getTime() - dag.submittedAt.getTime();
  const left = dag.units.total - dag.units.done - dag.units.failed;
  if (elapsedMs <= 0 || left < 0) return null;
  const at = now.getTime() + (elapsedMs / dag.units.done) * left;
  return at < MAX_DATE ? new Date(Math.round(at / 1000) * 1000) : null;
}
const MAX_DATE = 8.64e15;

type WorkflowFacts = NonNullable<Awaited<ReturnType<Queries["workflowStatus"]>>>;

export const workflowStatus = ({ workflow, dag, blocks, units, files, planWarnings }: WorkflowFacts, now: Date) => ({
  ...workflow,
  workflowId: workflow.id,
  dag: dag && { id: dag.id, status: dag.status, ...nodeCounts(dag) },
  workUnits: {
    total: workflow.unitsPlanned,
    done: workflow.unitsDone,
    running: dag !== null && !isDagOver(dag.status) ? dag.units.running : 0,
    failed: dag?.units.failed ?? 0,
  },
  outputs: units,
  inputFiles: files,
  blocks: blocks.map(({ dataset, index, status, unitsDone, unitsTotal }) => ({
    datasetName: dataset,
    blockIndex: index,
    status,
    workUnits: `${unitsDone}/${unitsTotal}`,
  })),
  progressPercent: progressPercent(workflow),
  planWarnings,
  estimatedCompletion: estimateCompletion(dag, now),
});
