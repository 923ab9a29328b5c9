import { z } from "zod";
import { DAG_STATUSES } from "../../domain/dag.ts";
import { BLOCK_STATUSES, FILE_STATES, UNIT_STATUSES, WORKFLOW_STATUSES } from "../../domain/workflow.ts";
import { big, pageOf, time } from "./common.ts";

const stepMetrics = z.record(z.string(), z.unknown()).nullable();

export const workflowSchema = z
  .strictObject({
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
  })
  .meta({ id: "Workflow" });
export type WorkflowView = z.infer<typeof workflowSchema>;
export const workflowPageSchema = pageOf("WorkflowPage", workflowSchema);
export type WorkflowPageView = z.infer<typeof workflowPageSchema>;

export const nodeCounts = {
  total_nodes: z.int(),
  node_counts: z.record(z.string(), z.int()).describe("By role"),
  nodes_idle: z.int().describe("Not yet handed to the engine"),
  nodes_running: z.int().describe("With the engine: in its queue, running, or in a script"),
  nodes_held: z.int().describe("With the engine, which will not run them until something changes"),
  nodes_done: z.int(),
  nodes_failed: z.int(),
};

export const workflowStatusSchema = z
  .strictObject({
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
    estimated_completion: time.nullable().describe("Of the present round, at its pace so far; null: cannot tell"),
  })
  .meta({ id: "WorkflowStatus" });
export type WorkflowStatusView = z.infer<typeof workflowStatusSchema>;

export const outputSchema = z
  .strictObject({
    output: z.string(),
    dataset: z.string(),
    lfn: z.string(),
    path: z.string(),
    size_bytes: z.number(),
    checksum: z.string(),
    events: z.number().nullable(),
    parents: z.array(z.string()),
    work_unit: z.string(),
    status: z.enum(UNIT_STATUSES),
  })
  .meta({ id: "Output" });
export type OutputView = z.infer<typeof outputSchema>;
export const outputPageSchema = pageOf("OutputPage", outputSchema);
export type OutputPageView = z.infer<typeof outputPageSchema>;
