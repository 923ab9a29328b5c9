import type { DagPlan } from "../domain/plan.ts";

const MAX_NODES = 12;
const MAX_BLOCKS = 24;

/** What a picture of a plan shows: one unit in full, and the whole as blocks of units. Big plans are abridged. */
export function picture(plan: DagPlan) {
  const { units, blocks, nodesByRole } = plan.summary;
  const [first] = plan.units;
  const nodes: readonly string[] = first?.nodes.map(({ name }) => name) ?? [];
  const more = nodes.length - MAX_NODES;
  return {
    title: `${plan.requestName} round ${plan.round}: ${units} units, ${nodesByRole.processing} processing nodes, ${blocks.length} blocks`,
    unit: {
      name: first?.name ?? "none",
      sites: first?.sites.join(" ") || "anywhere",
      nodes: more > 0 ? [...nodes.slice(0, MAX_NODES), `and ${more} more`] : nodes,
    },
    blocks: blocks.slice(0, MAX_BLOCKS),
    moreBlocks: Math.max(0, blocks.length - MAX_BLOCKS),
    units,
  };
}
export type Picture = ReturnType<typeof picture>;
