import { z } from "zod";
import { DAG_STATUSES } from "../core/dag.ts";
import { MEMORY_SOURCES } from "../core/metrics.ts";
import { BLOCK_STATUSES, FILE_STATES, UNIT_STATUSES, WORKFLOW_STATUSES } from "../core/workflow.ts";
import { nodeCounts } from "./dags.ts";
import { pageQuery, workflowParams } from "./inputs.ts";
import { reads } from "./operation.ts";
import { estimateSchema } from "./request-list.ts";
import { big, each, named, pageOf, strings, time } from "./wire.ts";

const measuredNumber = z.number().nullable();
const figures = {
  round: z.int().describe("The last round that is part of it"),
  jobs_sampled: z.int(),
  steps: z.record(
    z.string(),
    named("StepFigures", {
      cpu_efficiency: measuredNumber.describe("CPU time over what its threads could have used; median"),
      rss_mb: measuredNumber.describe("Peak memory; median"),
      ...each(measuredNumber, "rss_mb_p90", "rss_mb_max", "wall_sec_per_event", "wall_sec_per_event_p90"),
      threads: z.int(),
      source: z.enum(MEMORY_SOURCES).nullable().describe("Who measured the memory"),
      samples: z.int().describe("Jobs that were measured"),
    }),
  ),
};
const requested = named("RequestedSizes", {
  is_measured: z.boolean().describe("By jobs with as many cores; else inferred from others, or as the request says"),
  ...each(z.int(), "cores", "memory_mb", "wall_minutes", "disk_mb"),
  events_per_job: z.int().nullable().describe("null: jobs are not cut by events"),
  why: z.record(z.string(), z.string()).describe("One sentence for each number that is not as the request says"),
});
export const stepMetricsSchema = named("StepMetrics", {
  ...figures,
  rounds: z.array(named("RoundMetrics", { ...figures, requested: requested.nullable(), killed_at_mb: measuredNumber })),
})
  .nullable()
  .describe("What its jobs showed, all rounds together and each; null: nothing yet");
export type StepMetricsView = NonNullable<z.infer<typeof stepMetricsSchema>>;

export const workflowSchema = named("Workflow", {
  id: z.string(),
  request_name: z.string(),
  status: z.enum(WORKFLOW_STATUSES),
  round: z.int().describe("The round being planned or run; the first is 0"),
  dag_id: z.string().nullable(),
  total_work_units: z.int().describe("Planned in all rounds so far"),
  ...each(z.int(), "work_units_done", "total_nodes", "nodes_done"),
  events_done: big,
  next_first_event: big,
  progress_percent: z.number().describe("Work units done of all that are expected"),
  step_metrics: stepMetricsSchema,
  version: z.int(),
  created_at: time,
  updated_at: time,
});
const workflowPageSchema = pageOf("WorkflowPage", workflowSchema);

const workflowStatusSchema = named("WorkflowStatus", {
  workflow_id: z.string(),
  request_name: z.string(),
  status: z.enum(WORKFLOW_STATUSES),
  round: z.int(),
  step_metrics: stepMetricsSchema,
  dag: z.strictObject({ id: z.string(), status: z.enum(DAG_STATUSES), ...nodeCounts }).nullable(),
  work_units: z
    .strictObject(each(z.int(), "total", "done", "running", "failed", "expected"))
    .describe("As in `progress` of its request"),
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
  estimated_completion: time.nullable().describe("Of the present round: `at` of its estimate; null: cannot tell"),
  eta: estimateSchema.nullable().describe("As in its request"),
});
export type WorkflowStatusView = z.infer<typeof workflowStatusSchema>;

const outputSchema = named("Output", {
  ...each(z.string(), "output", "dataset", "lfn", "path"),
  size_bytes: z.number(),
  checksum: z.string(),
  events: z.number().nullable(),
  parents: strings,
  work_unit: z.string(),
  status: z.enum(UNIT_STATUSES),
});
export type OutputView = z.infer<typeof outputSchema>;
export const outputPageSchema = pageOf("OutputPage", outputSchema);

const params = workflowParams;

export const workflows = {
  list: reads("/workflows", "Workflows, newest first", { answer: workflowPageSchema, query: pageQuery }),
  show: reads("/workflows/:id", "One workflow: counters, offsets and round", { params, answer: workflowSchema }),
  status: reads("/workflows/:id/status", "How far a workflow is: its DAG, blocks, files, and when it may be done", {
    params,
    answer: workflowStatusSchema,
  }),
};
