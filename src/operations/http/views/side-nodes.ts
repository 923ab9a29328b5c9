import { type Dag, type DagStatus, isDagOver } from "../../../core/dag.ts";
import type { DagId } from "../../../core/names.ts";
import type { NodeView } from "../../../core/run.ts";

/** Failed jobs of a run that a person has run again beside it (docs/adr/0020-side-runs.md). */
export interface SideNodes {
  readonly dagId: DagId;
  readonly status: DagStatus;
  readonly jobs: readonly string[];
  readonly by: string;
  readonly reason: string;
  /** As the engine sees them; empty: it was not asked. */
  readonly nodes: readonly NodeView[];
}

interface SideView {
  readonly dagId: DagId;
  readonly status: DagStatus;
  readonly by: string;
  readonly reason: string;
}
type NodeBeside = NodeView & { readonly side?: SideView };

export const sideNodes = (dag: Dag, note: Readonly<Record<string, unknown>>, nodes: SideNodes["nodes"]): SideNodes => ({
  dagId: dag.id,
  status: dag.status,
  jobs: (note.units ?? []) as readonly string[],
  by: String(note.by ?? "wms2"),
  reason: String(note.reason ?? ""),
  nodes,
});

/**
 * The nodes of a run; those that run again in a side run, or did, as they are there, the latest of them. `finished`: only what
 * has a row is done, whatever the engine was told.
 */
export function withSideNodes(
  nodes: readonly NodeView[],
  sides: readonly SideNodes[],
  finished: ReadonlySet<string>,
): readonly NodeBeside[] {
  const latest = new Map(sides.flatMap((side) => side.jobs.map((job) => [job, side] as const)));
  if (latest.size === 0) return nodes;
  const seen = new Map(
    sides.flatMap((side) => side.nodes.map((node) => [`${side.dagId} ${node.node}`, node] as const)),
  );
  return nodes.map((node) => {
    const side = latest.get(node.node);
    if (!side) return node;
    const { dagId, status, by, reason } = side;
    const own = { ...node, ...NOT_BEGUN, ...seen.get(`${dagId} ${node.node}`) };
    return { ...own, state: stateOf(own, status, finished.has(node.node)), side: { dagId, status, by, reason } };
  });
}

const NOT_BEGUN = { state: "waiting", retries: 0, held: false, idle: false, detail: "" } as const;

function stateOf({ state }: NodeView, status: DagStatus, isFinished: boolean): NodeView["state"] {
  if (isFinished) return "done";
  if (isDagOver(status)) return "failed";
  return state === "done" ? "post" : state;
}
