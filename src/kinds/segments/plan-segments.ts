import { groupBy } from "../../core/base/group-by.ts";
import { type Month, writeMonth, writeYear, yearOf } from "../../core/calendar.ts";
import type { Edges, GraphJob, ProductRun } from "../../core/graph.ts";
import type { NodeResources, PlanOutcome } from "../../core/plan.ts";
import type { FillAction, NodeId, NodeRow, SegmentNode, SegmentsWork } from "../../core/segments.ts";
import type { PlanFacts } from "../../planning/facts.ts";
import { largest, planFlat } from "../graph/flat-plan.ts";
import { segmentNodes } from "./nodes.ts";
import { productRun, resourcesOf } from "./product-run.ts";

interface ProductJob extends GraphJob {
  readonly products: readonly ProductRun[];
}

/** Actions of a fill as the jobs of one round, numbered on from the last one. */
export function* planSegments(facts: PlanFacts<SegmentsWork>): Generator<undefined, PlanOutcome> {
  const { spec, next, fill, policy } = facts;
  const { work } = spec;
  // What is needed comes before what needs it: the beginning of a long list is a plan, too.
  const actions = fill?.plan.actions.slice(0, policy.maxNodesPerRound) ?? [];
  if (!fill || actions.length === 0) return { kind: "nothing-left", unplanned: [] };
  const nodes = new Map(segmentNodes(work, fill.plan.range.to).map((node) => [node.id, node]));
  yield;
  const keys = groupKeys(work, actions, nodes, fill.rows);
  const groups = [...groupBy(actions, ({ node }) => keys.get(node)!).values()];
  const indexOf = new Map<NodeId, number>();
  for (const [at, group] of groups.entries()) for (const { node } of group) indexOf.set(node, next.unit + at);
  const jobs = groups.map((group, at) => jobOf(work, next.unit + at, group, nodes, { rows: fill.rows, keys }));
  yield;
  return yield* planFlat(facts, {
    directory: work.directory,
    groups: [],
    jobs,
    edges: edgesOf(groups, next.unit, indexOf),
    digestOf: ({ name }) => name,
    productsOf: ({ products }) => products,
    blockJobs: jobs.length,
    nextUnit: next.unit + jobs.length,
  });
}

/**
 * What falls due for a component at one date may be one job. A transfer is one of its own, and so is what failed before, and what is
 * made of that: nothing else waits for its next failure.
 */
function groupKeys(
  { group }: Pick<SegmentsWork, "group">,
  actions: readonly FillAction[],
  nodes: ReadonlyMap<NodeId, SegmentNode>,
  rows: ReadonlyMap<NodeId, NodeRow>,
): ReadonlyMap<NodeId, string> {
  const keys = new Map<NodeId, string>();
  for (const { node, after } of actions) {
    const { component, interval } = nodes.get(node)!;
    const { executions = 0, overruns = 0, losses = 0 } = rows.get(node) ?? {};
    const isAlone =
      group === "product" ||
      component === null ||
      executions + overruns + losses > 0 ||
      after.some(
        (id) => keys.get(id) === id && nodes.get(id)!.interval.to === interval.to && !isHistory(nodes.get(id)!),
      );
    keys.set(node, isAlone ? node : `${component}/${dateName(interval.to)}`);
  }
  return keys;
}
const isHistory = ({ component }: SegmentNode): boolean => component === null;

/** The year, or month, that ends there. */
const dateName = (end: Month): string => (end % 12 === 0 ? writeYear(yearOf(end - 1)) : writeMonth(end - 1));

/** In the order of the plan: a chunk is made before what is made of it. */
function jobOf(
  work: SegmentsWork,
  index: number,
  actions: readonly FillAction[],
  nodes: ReadonlyMap<NodeId, SegmentNode>,
  { rows, keys }: { readonly rows: ReadonlyMap<NodeId, NodeRow>; readonly keys: ReadonlyMap<NodeId, string> },
): ProductJob {
  const made = actions.map((action) => ({ action, node: nodes.get(action.node)! }));
  const products = made.map(({ action, node }) => productRun(work, node, action, nodes, rows.get(node.id)));
  const [only] = products;
  return {
    index,
    name: products.length === 1 ? only!.id : keys.get(only!.id)!,
    argv: only!.argv,
    env: {},
    reads: products.flatMap(({ reads }) => reads),
    makes: products.flatMap(({ makes }) => makes),
    resources: together(made.map(({ node }) => resourcesOf(work, node))),
    priority: 0,
    when: "done",
    handlers: [],
    retries: isOneChain(actions) ? Math.min(...actions.map(({ retries }) => retries)) : 0,
    group: null,
    products,
  };
}

/** All but the first are made of another one. Where one is not, it need not wait for the next try of the one before it. */
function isOneChain(actions: readonly FillAction[]): boolean {
  const own = new Set(actions.map(({ node }) => node));
  return actions.slice(1).every(({ after }) => after.some((id) => own.has(id)));
}

/** One after the other: the largest of all, for as long as all. */
const together = (sizes: readonly NodeResources[]): NodeResources => ({
  ...largest(sizes),
  wallMinutes: sizes.reduce((sum, { wallMinutes }) => sum + wallMinutes, 0),
});

function edgesOf(
  groups: readonly (readonly FillAction[])[],
  first: number,
  indexOf: ReadonlyMap<NodeId, number>,
): readonly Edges[] {
  return groups.flatMap((group, at) => {
    const own = first + at;
    const before = group.flatMap(({ after }) => after.map((id) => indexOf.get(id)!));
    const parents = [...new Set(before)].filter((index) => index !== own);
    return parents.length > 0 ? [{ parents, children: [own] }] : [];
  });
}
