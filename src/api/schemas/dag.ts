import { z } from "zod";
import { DAG_STATUSES } from "../../domain/dag.ts";
import { NODE_STATES } from "../../domain/run.ts";
import { pageOf, time } from "./common.ts";
import { nodeCounts } from "./workflow.ts";

export const dagSchema = z
  .strictObject({
    id: z.string(),
    workflow_id: z.string(),
    round: z.int(),
    status: z.enum(DAG_STATUSES),
    engine: z.string(),
    engine_id: z.string().nullable().describe("The engine's own id of the run (DAGMan's cluster)"),
    submit_dir: z.string(),
    dag_file_path: z.string(),
    parent_dag_id: z.string().nullable().describe("The DAG this one continues"),
    ...nodeCounts,
    work_units: z.strictObject({ total: z.int(), waiting: z.int(), running: z.int(), done: z.int(), failed: z.int() }),
    stop_requested_at: time.nullable(),
    stop_reason: z.string().nullable(),
    end_reason: z.string().nullable().describe("How it ended, in the engine's words"),
    version: z.int(),
    created_at: time,
    submitted_at: time.nullable(),
    completed_at: time.nullable(),
  })
  .meta({ id: "Dag" });
export type DagView = z.infer<typeof dagSchema>;
export const dagPageSchema = pageOf("DagPage", dagSchema);
export type DagPageView = z.infer<typeof dagPageSchema>;

export const dagDetailSchema = dagSchema
  .extend({
    request_name: z.string().nullable(),
    history: z.array(z.strictObject({ type: z.string(), detail: z.record(z.string(), z.unknown()), at: time })),
  })
  .meta({ id: "DagDetail" });
export type DagDetailView = z.infer<typeof dagDetailSchema>;

const state = z.enum(NODE_STATES);
export const nodeSchema = z
  .strictObject({
    unit: z.string().nullable(),
    node: z.string(),
    state,
    retries: z.int(),
    held: z.boolean(),
    detail: z.string(),
  })
  .meta({ id: "Node" });
export type NodeRowView = z.infer<typeof nodeSchema>;
export const nodePageSchema = z
  .strictObject({
    items: z.array(nodeSchema),
    next_cursor: z.string().nullable(),
    total: z.int().describe("Nodes that match the filters"),
    by_state: z.partialRecord(state, z.int()).describe("The same, by state"),
  })
  .meta({ id: "NodePage" });
export type NodePageView = z.infer<typeof nodePageSchema>;

export const unitRowSchema = z
  .strictObject({
    unit: z.string(),
    state: z.enum(["waiting", "running", "done", "failed"]),
    nodes: z.int(),
    done: z.int(),
    failed: z.int(),
    running: z.int(),
    held: z.int(),
    retries: z.int(),
  })
  .meta({ id: "UnitRow" });
export type UnitRowView = z.infer<typeof unitRowSchema>;
export const unitPageSchema = z
  .strictObject({ items: z.array(unitRowSchema), next_cursor: z.string().nullable(), total: z.int() })
  .meta({ id: "UnitPage" });
export type UnitPageView = z.infer<typeof unitPageSchema>;

const fileSchema = z.strictObject({ name: z.string(), path: z.string(), size_bytes: z.number(), modified_at: time });
export const logsSchema = z
  .strictObject({
    dag_id: z.string(),
    submit_dir: z.string(),
    files: z.array(fileSchema).describe("Log files of the DAG, the unit or the node asked about"),
    unit: z.string().nullable(),
    node: z.string().nullable(),
    cluster: z.string().nullable().describe("The attempt shown: the engine's id of the job; the newest unless asked"),
    clusters: z.array(z.string()).describe("All attempts that left files, oldest first"),
    tails: z.array(
      z.strictObject({
        name: z.string(),
        path: z.string(),
        size_bytes: z.number(),
        lines: z.array(z.string()),
        truncated: z.boolean().describe("There is more above"),
      }),
    ),
  })
  .meta({ id: "Logs" });
export type LogsView = z.infer<typeof logsSchema>;
export type LogFileView = z.infer<typeof fileSchema>;
export type TailView = LogsView["tails"][number];
