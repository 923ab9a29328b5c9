import { z } from "zod";
import { DAG_STATUSES, type Dag, type DagEvent, runningNodes } from "../domain/dag.ts";
import { NODE_STATES, type NodeView } from "../domain/run.ts";
import { anything, byWord, named, paged, pageOf, strings, time, viewOf } from "./wire.ts";

/** 003's words for our tally; idle + running + held + done + failed = total. */
export const nodeCounts = {
  total_nodes: z.int(),
  node_counts: byWord.describe("By role"),
  nodes_idle: z.int().describe("Not running yet: not handed to the engine, or in its queue without a place"),
  nodes_running: z.int().describe("Their job runs, or is being judged"),
  nodes_held: z.int().describe("With the engine, which will not run them until something changes"),
  nodes_done: z.int(),
  nodes_failed: z.int(),
};
export const nodeCountsView = ({ nodes, roleCounts }: Pick<Dag, "nodes" | "roleCounts">) => ({
  total_nodes: nodes.total,
  node_counts: roleCounts,
  nodes_idle: nodes.total - runningNodes(nodes) - nodes.held - nodes.done - nodes.failed,
  nodes_running: runningNodes(nodes),
  nodes_held: nodes.held,
  nodes_done: nodes.done,
  nodes_failed: nodes.failed,
});

const unitTally = z.strictObject({
  total: z.int(),
  waiting: z.int(),
  running: z.int(),
  done: z.int(),
  failed: z.int(),
});
const unitTallyView = viewOf(unitTally);

export const dagSchema = named("Dag", {
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
  work_units: unitTally,
  stop_requested_at: time.nullable(),
  stop_reason: z.string().nullable(),
  end_reason: z.string().nullable().describe("How it ended, in the engine's words"),
  version: z.int(),
  created_at: time,
  submitted_at: time.nullable(),
  completed_at: time.nullable(),
});
export type DagView = z.infer<typeof dagSchema>;
export const dagView = viewOf(dagSchema, (dag: Dag) => ({
  dag_file_path: `${dag.submitDir}/workflow.dag`,
  work_units: unitTallyView(dag.units),
  completed_at: dag.endedAt?.toISOString() ?? null,
  ...nodeCountsView(dag),
}));
export const dagPageSchema = pageOf("DagPage", dagSchema);

const dagEventSchema = z.strictObject({ type: z.string(), detail: anything, at: time });
const dagEventView = viewOf(dagEventSchema);
export const dagDetailSchema = dagSchema
  .extend({ request_name: z.string().nullable(), history: z.array(dagEventSchema) })
  .meta({ id: "DagDetail" });
export const dagDetailView = (
  dag: Dag,
  request_name: string | null,
  history: readonly DagEvent[],
): z.infer<typeof dagDetailSchema> => ({ ...dagView(dag), request_name, history: history.map(dagEventView) });

const state = z.enum(NODE_STATES);
const nodeSchema = named("Node", {
  unit: z.string().nullable(),
  node: z.string(),
  state,
  retries: z.int(),
  held: z.boolean(),
  idle: z.boolean().describe("In the engine's queue without a place to run"),
  detail: z.string(),
});
export type NodeRowView = z.infer<typeof nodeSchema>;
export const nodeRowView = viewOf(nodeSchema);
export const nodePageSchema = named("NodePage", {
  ...paged(nodeSchema),
  total: z.int().describe("Nodes that match the filters"),
  by_state: z.partialRecord(state, z.int()).describe("The same, by state"),
});
export type NodePageView = z.infer<typeof nodePageSchema>;

const unitRowSchema = named("UnitRow", {
  unit: z.string(),
  state: z.enum(["waiting", "running", "done", "failed"]),
  nodes: z.int(),
  done: z.int(),
  failed: z.int(),
  running: z.int(),
  held: z.int(),
  retries: z.int(),
});
export type UnitRowView = z.infer<typeof unitRowSchema>;
/** The nodes of each unit, counted, in the order the engine tells them. */
export function tallyUnits(nodes: readonly NodeView[]): UnitRowView[] {
  const rows = new Map<string, UnitRowView>();
  const open = new Set<string>();
  for (const node of nodes) {
    if (node.unit === null) continue;
    const row = rows.get(node.unit) ?? { unit: node.unit, state: "waiting", ...NO_NODES };
    rows.set(node.unit, row);
    if (["pre", "queued", "post"].includes(node.state)) open.add(node.unit);
    row.nodes += 1;
    row.retries += node.retries;
    if (node.held) row.held += 1;
    if (node.state === "done") row.done += 1;
    else if (node.state === "failed" || node.state === "futile") row.failed += 1;
    else if (node.state === "post" || (node.state === "queued" && !node.idle && !node.held)) row.running += 1;
  }
  for (const row of rows.values()) row.state = unitState(row, open.has(row.unit));
  return [...rows.values()];
}

const NO_NODES = { nodes: 0, done: 0, failed: 0, running: 0, held: 0, retries: 0 };

/** A unit with a failed node has not failed while others of its nodes are under way. */
function unitState(row: UnitRowView, isOpen: boolean): UnitRowView["state"] {
  if (row.done === row.nodes) return "done";
  if (row.running > 0) return "running";
  return row.failed > 0 && !isOpen ? "failed" : "waiting";
}

export const unitPageSchema = named("UnitPage", { ...paged(unitRowSchema), total: z.int() });
export type UnitPageView = z.infer<typeof unitPageSchema>;

const fileSchema = z.strictObject({ name: z.string(), path: z.string(), size_bytes: z.number(), modified_at: time });
export const logsSchema = named("Logs", {
  dag_id: z.string(),
  submit_dir: z.string(),
  files: z.array(fileSchema).describe("Log files of the DAG, the unit or the node asked about"),
  unit: z.string().nullable(),
  node: z.string().nullable(),
  cluster: z.string().nullable().describe("The attempt shown: the engine's id of the job; the newest unless asked"),
  clusters: strings.describe("All attempts that left files, oldest first"),
  tails: z.array(
    z.strictObject({
      name: z.string(),
      path: z.string(),
      size_bytes: z.number(),
      lines: strings,
      truncated: z.boolean().describe("There is more above"),
    }),
  ),
});
export type LogsView = z.infer<typeof logsSchema>;
export type LogFileView = z.infer<typeof fileSchema>;
export type TailView = LogsView["tails"][number];
