import { z } from "zod";
import { DAG_STATUSES, type Dag, isDagOver, runningNodes } from "../domain/dag.ts";
import type { UnitName } from "../domain/names.ts";
import {
  BLOCK_STATUSES,
  type Block,
  FILE_STATES,
  type FileState,
  type OutputFile,
  UNIT_STATUSES,
  type UnitStatus,
  WORKFLOW_STATUSES,
  type Workflow,
} from "../domain/workflow.ts";
import { nodeCounts, nodeCountsView } from "./dags.ts";
import { anything, big, named, pageOf, strings, time, viewOf } from "./wire.ts";

const stepMetrics = anything.nullable();

export const workflowSchema = named("Workflow", {
  id: z.string(),
  request_name: z.string(),
  status: z.enum(WORKFLOW_STATUSES),
  round: z.int().describe("The round being planned or run; the first is 0"),
  dag_id: z.string().nullable(),
  total_work_units: z.int().describe("Planned in all rounds so far"),
  work_units_done: z.int(),
  total_nodes: z.int(),
  nodes_done: z.int(),
  events_done: big,
  next_first_event: big,
  progress_percent: z.number().describe("Work units done of those planned so far"),
  step_metrics: stepMetrics,
  version: z.int(),
  created_at: time,
  updated_at: time,
});
export type WorkflowView = z.infer<typeof workflowSchema>;
export const workflowView = viewOf(workflowSchema, (workflow: Workflow) => ({
  dag_id: workflow.currentDagId,
  total_work_units: workflow.unitsPlanned,
  work_units_done: workflow.unitsDone,
  total_nodes: workflow.nodesPlanned,
  progress_percent: progressPercent(workflow),
}));
export const workflowPageSchema = pageOf("WorkflowPage", workflowSchema);
export type WorkflowPageView = z.infer<typeof workflowPageSchema>;

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

export const workflowStatusSchema = named("WorkflowStatus", {
  workflow_id: z.string(),
  request_name: z.string(),
  status: z.enum(WORKFLOW_STATUSES),
  round: z.int(),
  step_metrics: stepMetrics,
  dag: z.strictObject({ id: z.string(), status: z.enum(DAG_STATUSES), ...nodeCounts }).nullable(),
  work_units: z.strictObject({ total: z.int(), done: z.int(), running: z.int(), failed: z.int() }),
  outputs: z.record(z.enum(UNIT_STATUSES), z.int()).describe("Finished work units by what became of their outputs"),
  input_files: z.record(z.enum(FILE_STATES), z.int()),
  blocks: z.array(
    z.strictObject({
      dataset_name: z.string(),
      block_index: z.int(),
      status: z.enum(BLOCK_STATUSES),
      work_units: z.string().describe("done/total"),
    }),
  ),
  progress_percent: z.number(),
  plan_warnings: strings.describe("What planning raised, lowered or could not know, in the present round"),
  estimated_completion: time.nullable().describe("Of the present round, at its pace so far; null: cannot tell"),
});
export type WorkflowStatusView = z.infer<typeof workflowStatusSchema>;

export interface WorkflowFacts {
  readonly workflow: Workflow;
  readonly dag: Dag | null;
  readonly blocks: readonly Block[];
  readonly units: Readonly<Record<UnitStatus, number>>;
  readonly files: Readonly<Record<FileState, number>>;
  readonly planWarnings: readonly string[];
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
    outputs: facts.units,
    input_files: facts.files,
    blocks: facts.blocks.map((block) => ({
      dataset_name: block.dataset,
      block_index: block.index,
      status: block.status,
      work_units: `${block.unitsDone}/${block.unitsTotal}`,
    })),
    progress_percent: progressPercent(workflow),
    plan_warnings: [...facts.planWarnings],
    estimated_completion: estimateCompletion(dag, now)?.toISOString() ?? null,
  };
}

const outputSchema = named("Output", {
  output: z.string(),
  dataset: z.string(),
  lfn: z.string(),
  path: z.string(),
  size_bytes: z.number(),
  checksum: z.string(),
  events: z.number().nullable(),
  parents: strings,
  work_unit: z.string(),
  status: z.enum(UNIT_STATUSES),
});
export type OutputView = z.infer<typeof outputSchema>;
export const outputView = viewOf(outputSchema, ({ unit }: OutputFile & { unit: UnitName }) => ({ work_unit: unit }));
export const outputPageSchema = pageOf("OutputPage", outputSchema);
