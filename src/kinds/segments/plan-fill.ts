import { eachInSlices } from "../../core/base/slices.ts";
import type { CellState, FillPlan, NodeId, SegmentNode } from "../../core/segments.ts";
import { historyId, segmentNodesInSlices } from "./nodes.ts";
import { type FillFacts, type OwnState, ownState } from "./own-state.ts";
import { settle } from "./settle.ts";

/**
 * What is missing, what will be done about it, and why the rest will not be done now. It never waits for something that nothing
 * will make, and does nothing where nobody can tell. The same facts give the same plan.
 */
export function* planFill(facts: FillFacts): Generator<undefined, FillPlan> {
  const { work, choice } = facts;
  const nodes = yield* segmentNodesInSlices(work, facts.range.to);
  const range = {
    from: Math.max(facts.range.from, choice.from ?? facts.range.from),
    to: Math.min(facts.range.to, choice.to ?? facts.range.to),
  };
  const only = choice.nodes && new Set(choice.nodes);
  const chosen = nodes.filter(({ id, component, interval }) =>
    only
      ? only.has(id)
      : component !== null &&
        (choice.component ?? component) === component &&
        range.from < interval.to &&
        interval.to <= range.to,
  );
  const settled = yield* settle(nodes, yield* wantedStates(nodes, chosen, facts), facts);
  const states = chosen.map(({ id }) => settled.cells.get(id)!);
  return {
    experiment: work.experiment,
    range,
    choice,
    rows: gridRows(facts, chosen, states),
    actions: settled.actions,
    obstacles: settled.obstacles,
    done: states.filter(isThere).length,
    holes: states.filter((state) => !isThere(state)).length,
  };
}

const isThere = (state: CellState): boolean => state === "done" || state === "redo";

/** Of what was chosen, and of what has to be filled before: children first, so that only those that are made ask for more. */
function* wantedStates(
  nodes: readonly SegmentNode[],
  chosen: readonly SegmentNode[],
  facts: FillFacts,
): Generator<undefined, ReadonlyMap<NodeId, OwnState>> {
  const asked = new Set(chosen.map(({ id }) => id));
  const states = new Map<NodeId, OwnState>();
  yield* eachInSlices(nodes.toReversed(), (node) => {
    if (!asked.has(node.id)) return;
    const own = ownState(node, facts);
    states.set(node.id, own);
    if (own.is === "done" || (own.is === "stop" && own.kind !== "later")) return;
    if (facts.choice.recurse) for (const id of node.needs) asked.add(id);
    if (facts.work.history.transfer) for (const segment of node.history) asked.add(historyId(segment));
  });
  return states;
}

type Cell = FillPlan["rows"][number]["cells"][number];

/** A row a product, in the order of the document. */
function gridRows(
  { work, choice }: FillFacts,
  chosen: readonly SegmentNode[],
  states: readonly CellState[],
): FillPlan["rows"] {
  const cells = new Map<string, Cell[]>();
  const rows = work.components
    .filter(({ name }) => (choice.component ?? name) === name)
    .flatMap((component) =>
      component.products.map(({ name, lengthMonths }) => {
        const own: Cell[] = [];
        cells.set(`${component.name}/${name}`, own);
        return { component: component.name, product: name, lengthMonths, cells: own };
      }),
    );
  for (const [index, { id, component, product, interval }] of chosen.entries())
    cells.get(`${component}/${product}`)?.push({ node: id, due: interval.to, state: states[index]! });
  return rows;
}
