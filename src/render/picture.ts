import type { BlockPlan, DagPlan, UnitPlan } from "../domain/plan.ts";

/** What a picture of a plan shows: one unit in full, and the whole as blocks of units. Big plans are abridged. */
export interface Picture {
  readonly title: string;
  readonly unit: {
    readonly name: string;
    readonly sites: string;
    readonly nodes: readonly string[];
    readonly more: number;
  };
  readonly blocks: readonly BlockPlan[];
  readonly moreBlocks: number;
  readonly units: number;
}

const MAX_NODES = 12;
const MAX_BLOCKS = 24;

export function picture(plan: DagPlan): Picture {
  const { summary } = plan;
  const first = firstOf(plan.units);
  const nodes = first?.nodes.map(({ name }) => name) ?? [];
  return {
    title: `${plan.requestName} round ${plan.round}: ${summary.units} units, ${summary.nodesByRole.processing} processing nodes, ${summary.blocks.length} blocks`,
    unit: {
      name: first?.name ?? "none",
      sites: first?.sites.join(" ") || "anywhere",
      nodes: nodes.slice(0, MAX_NODES),
      more: Math.max(0, nodes.length - MAX_NODES),
    },
    blocks: summary.blocks.slice(0, MAX_BLOCKS),
    moreBlocks: Math.max(0, summary.blocks.length - MAX_BLOCKS),
    units: summary.units,
  };
}

function firstOf(units: Iterable<UnitPlan>): UnitPlan | null {
  for (const unit of units) return unit;
  return null;
}
