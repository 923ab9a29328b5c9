import type { Dag, DagEvent } from "../../domain/dag.ts";
import type { NodeView } from "../../domain/run.ts";
import type { DagDetailView, DagView, NodeRowView, UnitRowView } from "../schemas/dag.ts";
import { isoOrNull } from "./time.ts";

type NodeCounts = Pick<
  DagView,
  "total_nodes" | "node_counts" | "nodes_idle" | "nodes_running" | "nodes_held" | "nodes_done" | "nodes_failed"
>;
/** 003's words for our tally; idle + running + held + done + failed = total. */
export const nodeCountsView = ({ nodes, roleCounts }: Pick<Dag, "nodes" | "roleCounts">): NodeCounts => ({
  total_nodes: nodes.total,
  node_counts: { ...roleCounts },
  nodes_idle: nodes.waiting,
  nodes_running: Math.max(0, nodes.queued - nodes.held),
  nodes_held: nodes.held,
  nodes_done: nodes.done,
  nodes_failed: nodes.failed,
});

export const dagView = (dag: Dag): DagView => ({
  id: dag.id,
  workflow_id: dag.workflowId,
  round: dag.round,
  status: dag.status,
  engine: dag.engine,
  engine_id: dag.engineId,
  submit_dir: dag.submitDir,
  dag_file_path: `${dag.submitDir}/workflow.dag`,
  parent_dag_id: dag.parentDagId,
  ...nodeCountsView(dag),
  work_units: {
    total: dag.units.total,
    waiting: dag.units.waiting,
    running: dag.units.running,
    done: dag.units.done,
    failed: dag.units.failed,
  },
  stop_requested_at: isoOrNull(dag.stopRequestedAt),
  stop_reason: dag.stopReason,
  end_reason: dag.endReason,
  version: dag.version,
  created_at: dag.createdAt.toISOString(),
  submitted_at: isoOrNull(dag.submittedAt),
  completed_at: isoOrNull(dag.endedAt),
});

export const dagDetailView = (dag: Dag, requestName: string | null, history: readonly DagEvent[]): DagDetailView => ({
  ...dagView(dag),
  request_name: requestName,
  history: history.map((event) => ({ type: event.type, detail: { ...event.detail }, at: event.at.toISOString() })),
});

export const nodeRowView = (node: NodeView): NodeRowView => ({
  unit: node.unit,
  node: node.node,
  state: node.state,
  retries: node.retries,
  held: node.held,
  detail: node.detail,
});

/** The nodes of each unit, counted, in the order the engine tells them. */
export function tallyUnits(nodes: readonly NodeView[]): UnitRowView[] {
  const rows = new Map<string, UnitRowView>();
  for (const node of nodes) {
    if (node.unit === null) continue;
    const row = rows.get(node.unit) ?? emptyRow(node.unit);
    rows.set(node.unit, row);
    row.nodes += 1;
    row.retries += node.retries;
    if (node.held) row.held += 1;
    if (node.state === "done") row.done += 1;
    else if (node.state === "failed" || node.state === "futile") row.failed += 1;
    else if (node.state !== "waiting" && node.state !== "ready") row.running += 1;
  }
  for (const row of rows.values()) row.state = unitState(row);
  return [...rows.values()];
}

const emptyRow = (unit: string): UnitRowView => ({
  unit,
  state: "waiting",
  nodes: 0,
  done: 0,
  failed: 0,
  running: 0,
  held: 0,
  retries: 0,
});

/** A unit with a failed node still runs while others of its nodes do. */
function unitState(row: UnitRowView): UnitRowView["state"] {
  if (row.done === row.nodes) return "done";
  if (row.running > 0) return "running";
  if (row.failed > 0) return "failed";
  return row.done > 0 ? "running" : "waiting";
}
