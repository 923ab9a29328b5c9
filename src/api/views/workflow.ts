import { jsonValue } from "../../base/json.ts";
import { type Dag, isDagOver } from "../../domain/dag.ts";
import type { UnitName } from "../../domain/names.ts";
import type { Block, FileState, OutputFile, UnitStatus, Workflow } from "../../domain/workflow.ts";
import type { OutputView, WorkflowStatusView, WorkflowView } from "../schemas/workflow.ts";
import { nodeCountsView } from "./dag.ts";

export const workflowView = (workflow: Workflow): WorkflowView => ({
  id: workflow.id,
  request_name: workflow.requestName,
  status: workflow.status,
  round: workflow.round,
  dag_id: workflow.currentDagId,
  total_work_units: workflow.unitsPlanned,
  work_units_done: workflow.unitsDone,
  total_nodes: workflow.nodesPlanned,
  nodes_done: workflow.nodesDone,
  events_done: jsonValue(workflow.eventsDone),
  next_first_event: jsonValue(workflow.nextFirstEvent),
  progress_percent: progressPercent(workflow),
  step_metrics: workflow.stepMetrics,
  version: workflow.version,
  created_at: workflow.createdAt.toISOString(),
  updated_at: workflow.updatedAt.toISOString(),
});

/** One decimal, rounded down: 100 means all of it. */
export function progressPercent(workflow: Pick<Workflow, "status" | "unitsDone" | "unitsPlanned">): number {
  if (workflow.status === "completed") return 100;
  if (workflow.unitsPlanned === 0) return 0;
  return Math.floor((1000 * workflow.unitsDone) / workflow.unitsPlanned) / 10;
}

/** At the pace of this DAG so far; null before its first unit is done and after its end. */
export function estimateCompletion(dag: Dag | null, now: Date): Date | null {
  if (!dag?.submittedAt || isDagOver(dag.status) || dag.units.done === 0) return null;
  const elapsedMs = now.getTime() - dag.submittedAt.getTime();
  const left = dag.units.total - dag.units.done - dag.units.failed;
  if (elapsedMs <= 0 || left < 0) return null;
  const at = now.getTime() + (elapsedMs / dag.units.done) * left;
  return at < MAX_DATE ? new Date(Math.round(at / 1000) * 1000) : null;
}
const MAX_DATE = 8.64e15;

export interface WorkflowFacts {
  readonly workflow: Workflow;
  readonly dag: Dag | null;
  readonly blocks: readonly Block[];
  readonly units: Readonly<Record<UnitStatus, number>>;
  readonly files: Readonly<Record<FileState, number>>;
}

export function workflowStatusView(facts: WorkflowFacts, now: Date): WorkflowStatusView {
  const { workflow, dag } = facts;
  const live = dag !== null && !isDagOver(dag.status);
  return {
    workflow_id: workflow.id,
    request_name: workflow.requestName,
    status: workflow.status,
    round: workflow.round,
    step_metrics: workflow.stepMetrics,
    dag: dag && { id: dag.id, status: dag.status, ...nodeCountsView(dag) },
    work_units: {
      total: workflow.unitsPlanned,
      done: workflow.unitsDone,
      running: live ? dag.units.running : 0,
      failed: dag?.units.failed ?? 0,
    },
    outputs: { ...facts.units },
    input_files: { ...facts.files },
    blocks: facts.blocks.map((block) => ({
      dataset_name: block.dataset,
      block_index: block.index,
      status: block.status,
      work_units: `${block.unitsDone}/${block.unitsTotal}`,
    })),
    progress_percent: progressPercent(workflow),
    estimated_completion: estimateCompletion(dag, now)?.toISOString() ?? null,
  };
}

export const outputView = (file: OutputFile & { unit: UnitName; status: UnitStatus }): OutputView => ({
  output: file.output,
  dataset: file.dataset,
  lfn: file.lfn,
  path: file.path,
  size_bytes: file.sizeBytes,
  checksum: file.checksum,
  events: file.events,
  parents: [...file.parents],
  work_unit: file.unit,
  status: file.status,
});
