import { inSlices, mapInSlices } from "../../core/base/slices.ts";
import { type Dag, isDagOver, isInEngine } from "../../core/dag.ts";
import { batchName, type DagId, jobIndex, type UnitName } from "../../core/names.ts";
import type { NodeView } from "../../core/run.ts";
import { SharedLook } from "./look-sharing.ts";
import type { ApiPorts } from "./ports.ts";
import { sideNodes, withSideNodes } from "./views/side-nodes.ts";

const runOf = ({ id, submitDir, engineId }: Dag) => ({
  dagId: id,
  submitDir,
  engineId,
  batchName: batchName(id),
  priority: 0,
});

/** The nodes of a DAG, live from the engine, those that run again beside it as they are there; null: there is no such DAG. */
export function liveNodes({ store, engine }: Pick<ApiPorts, "store" | "engine">) {
  const looks = new SharedLook<readonly NodeView[]>();
  /** The engine is asked only about what it has. */
  const besideOf = async (side: Dag) => {
    const note = (await store.dags.history(side.id)).findLast(({ type }) => type === "rescue")?.detail ?? {};
    const nodes = isInEngine(side.status) ? await looks.ask(side.id, () => engine.nodes(runOf(side))) : [];
    return sideNodes(side, note, nodes);
  };
  return async (id: DagId, unit?: UnitName) => {
    const dag = await store.dags.get(id);
    if (!dag) return null;
    // Before the engine is asked: what it calls done and has no row yet is being recorded.
    const recorded = await store.units.finishedNames(dag.workflowId);
    const nodes = await looks.ask(`${id} ${unit ?? ""}`, () => engine.nodes(runOf(dag), unit));
    const sides = await store.dags.sidesOf([id]);
    const all = sides.length === 0 ? nodes : withSideNodes(nodes, await Promise.all(sides.map(besideOf)), recorded);
    return { nodes: await inSlices(mapInSlices(all, (node) => asRecorded(node, dag, recorded))), recorded };
  };
}

/** Of a graph, whose jobs are its units: done is what all counts call done. */
function asRecorded<N extends NodeView>(node: N, { status }: Dag, recorded: ReadonlySet<string>): N {
  if (node.unit === null || jobIndex(node.unit) === null) return node;
  if (recorded.has(node.unit))
    return node.state === "done" ? node : { ...node, state: "done", held: false, idle: false };
  return node.state === "done" ? { ...node, state: isDagOver(status) ? "waiting" : "post" } : node;
}
