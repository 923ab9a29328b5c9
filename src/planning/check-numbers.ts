import { processingNodeName, unitName } from "../core/names.ts";
import type { PlanSummary } from "../core/plan.ts";
import type { Check, CheckContext, Report } from "./check.ts";
import type { Counters } from "./facts.ts";

/** Names, indexes, counters and blocks: every number once, none left out, and the summary says the same. */
export function checkNumbers({ plan: { summary }, next: start, spec }: CheckContext, report: Report): Check {
  let units = 0;
  let nodes = 0;
  let block = start.block;
  let blockUnits = 0;
  let blockBytes = 0;
  let priority = Number.POSITIVE_INFINITY;
  const seeds = new SeedWindow();

  const closeBlock = () => {
    const planned = summary.blocks[block - start.block];
    if (planned?.index !== block || planned.units !== blockUnits)
      report("block-count", `block ${block} has ${blockUnits} units, the summary says ${planned?.units ?? "none"}`);
  };

  return {
    unit(unit) {
      const index = start.unit + units++;
      if (unit.index !== index || unit.name !== unitName(index))
        report("unit-name", `unit ${index} is called ${unit.name} (${unit.index})`);
      for (const node of unit.nodes) {
        const expected = start.node + nodes++;
        if (node.index !== expected || node.name !== processingNodeName(expected))
          report("node-name", `node ${expected} is called ${node.name} (${node.index})`);
        if (node.seed < 1n || seeds.repeats(node.seed))
          report("seed", `${node.name} has the seed ${node.seed} of another node`);
      }
      if (unit.block !== block) {
        closeBlock();
        if (unit.block !== block + 1)
          report("block-order", `${unit.name} is in block ${unit.block} after block ${block}`);
        block = unit.block;
        blockUnits = 0;
        blockBytes = 0;
      }
      if (unit.priority >= priority) report("priority", `${unit.name} does not rank below the unit before it`);
      blockUnits += 1;
      blockBytes += unit.expectedOutputBytes;
      priority = unit.priority;
      const isTooHeavy = blockUnits > 1 && blockBytes > spec.unit.blockTargetBytes;
      if (blockUnits > spec.unit.maxUnitsPerBlock || isTooHeavy)
        report("block-size", `block ${block} holds ${blockUnits} units of ${blockBytes} bytes`, { unit: unit.name });
    },
    finish() {
      if (units > 0) closeBlock();
      checkTotals(summary, start, { units, nodes, blocks: units === 0 ? 0 : block - start.block + 1 }, report);
      if (units === 0) report("empty", "the plan has no units");
    },
  };
}

function checkTotals(
  { units, nodesByRole: roles, next }: PlanSummary,
  start: Counters,
  found: { readonly units: number; readonly nodes: number; readonly blocks: number },
  report: Report,
): void {
  const said = [units, roles.landing, roles.merge, roles.cleanup];
  if (said.some((count) => count !== found.units) || roles.processing !== found.nodes)
    report("summary", `${found.units} units with ${found.nodes} nodes, the summary says otherwise`, { roles });
  const moved = { unit: start.unit + found.units, node: start.node + found.nodes, block: start.block + found.blocks };
  for (const key of ["unit", "node", "block"] as const) {
    if (next[key] !== moved[key])
      report("counter", `the ${key} counter moves to ${next[key]} instead of ${moved[key]}`);
  }
}

/** Sees repeated seeds among the last few thousand: memory does not grow with the plan. */
class SeedWindow {
  readonly #recent = new Set<bigint>();

  repeats(seed: bigint): boolean {
    if (this.#recent.has(seed)) return true;
    if (this.#recent.size >= 4096) this.#recent.clear();
    this.#recent.add(seed);
    return false;
  }
}
