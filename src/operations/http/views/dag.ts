import { eachInSlices, mapInSlices } from "../../../core/base/slices.ts";
import { type Dag, runningNodes } from "../../../core/dag.ts";
import { jobStateOf } from "../../../core/job-state.ts";
import type { NodeView } from "../../../core/run.ts";
import { TOP } from "../../../submit-dir/names.ts";
import type { UnitRowView } from "../../dags.ts";

export const nodeCounts = ({ nodes, roleCounts }: Pick<Dag, "nodes" | "roleCounts">) => ({
  totalNodes: nodes.total,
  nodeCounts: roleCounts,
  nodesIdle: nodes.total - runningNodes(nodes) - nodes.held - nodes.done - nodes.failed,
  nodesRunning: runningNodes(nodes),
  nodesHeld: nodes.held,
  nodesDone: nodes.done,
  nodesFailed: nodes.failed,
});

export const dagFields = (dag: Dag) => ({
  ...dag,
  dagFilePath: `${dag.submitDir}/${TOP.dag}`,
  workUnits: dag.units,
  completedAt: dag.endedAt,
  ...nodeCounts(dag),
});

/** The nodes of each unit, counted, in the order the engine lists them. Done is a unit that is `recorded` as such. */
export function* tallyUnits(
  nodes: readonly NodeView[],
  recorded: ReadonlySet<string>,
): Generator<undefined, UnitRowView[]> {
  const rows = new Map<string, UnitRowView>();
  const open = new Set<string>();
  yield* eachInSlices(nodes, (node) => {
    if (node.unit === null) return;
    const named = node.job === undefined ? {} : { job: node.job };
    const row = rows.get(node.unit) ?? { unit: node.unit, ...named, state: "waiting", ...NO_NODES };
    rows.set(node.unit, row);
    if (["pre", "queued", "post"].includes(node.state)) open.add(node.unit);
    const state = jobStateOf(node);
    row.nodes += 1;
    row.retries += node.retries;
    if (state === "held" || state === "done" || state === "running") row[state] += 1;
    else if (state === "failed" || state === "blocked") row.failed += 1;
  });
  return yield* mapInSlices(rows.values(), (row) => ({
    ...row,
    state: unitState(row, open.has(row.unit), recorded.has(row.unit)),
  }));
}

const NO_NODES = { nodes: 0, done: 0, failed: 0, running: 0, held: 0, retries: 0 };

/** A unit with a failed node has not failed while others of its nodes are under way. */
function unitState(row: UnitRowView, isOpen: boolean, isRecorded: boolean): UnitRowView["state"] {
  if (isRecorded) return "done";
  if (row.running > 0 || row.done === row.nodes) return "running";
  return row.failed > 0 && !isOpen ? "failed" : "waiting";
}

/** Numbered names in order, as prefix, first number and how many follow one another. */
export function nameRuns(names: readonly string[]): readonly [prefix: string, first: number, count: number][] {
  const runs: [string, number, number][] = [];
  for (const name of names) {
    const cut = name.indexOf("_") + 1;
    const [prefix, number] = [name.slice(0, cut), Number(name.slice(cut))];
    const last = runs.at(-1);
    if (last && last[0] === prefix && last[1] + last[2] === number) last[2] += 1;
    else runs.push([prefix, number, 1]);
  }
  return runs;
}
