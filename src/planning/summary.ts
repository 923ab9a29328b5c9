import type { BlockPlan, PlanSummary, UnitPlan } from "../core/plan.ts";
import { countNodes, MERGE_GROUP } from "../core/roles.ts";
import type { Counters } from "./facts.ts";

/** Adds up a round while it is walked. */
export class SummaryTally {
  units = 0;
  nodes = 0;
  /** Jobs whose events nobody has counted. */
  uncounted = 0;
  biggestEvents = 0;
  #events = 0n;
  #last: UnitPlan | null = null;
  readonly #blocks: { -readonly [key in keyof BlockPlan]: BlockPlan[key] }[] = [];
  readonly #dataset: string;

  constructor(dataset: string) {
    this.#dataset = dataset;
  }

  add(unit: UnitPlan): void {
    this.units += 1;
    this.nodes += unit.nodes.length;
    this.#last = unit;
    let block = this.#blocks.at(-1);
    if (block?.index !== unit.block) {
      block = { index: unit.block, dataset: this.#dataset, units: 0, expectedBytes: 0 };
      this.#blocks.push(block);
    }
    block.units += 1;
    block.expectedBytes += unit.expectedOutputBytes;
    let events = 0;
    for (const node of unit.nodes) {
      if (node.events === null) this.uncounted += 1;
      else {
        events += node.events;
        if (node.events > this.biggestEvents) this.biggestEvents = node.events;
      }
    }
    this.#events += BigInt(events);
  }

  finish(start: Counters, inputFiles: number, warnings: readonly string[]): PlanSummary {
    // Only generation gives out lumi numbers, and with them event numbers that no later round may use.
    const last = this.#last?.nodes.at(-1);
    const generated = last && last.lastLumi !== null ? last : null;
    const nodesByRole = countNodes(MERGE_GROUP, this.units, this.nodes);
    return {
      units: this.units,
      blocks: this.#blocks,
      nodes: Object.values(nodesByRole).reduce((sum, count) => sum + count, 0),
      nodesByRole,
      inputFiles,
      events: this.#events,
      expectedBytes: this.#blocks.reduce((sum, { expectedBytes }) => sum + expectedBytes, 0),
      next: {
        unit: start.unit + this.units,
        node: start.node + this.nodes,
        block: start.block + this.#blocks.length,
        firstEvent: generated ? generated.lastEvent! + 1n : start.firstEvent,
        firstLumi: generated ? generated.lastLumi! + 1n : start.firstLumi,
      },
      warnings,
    };
  }
}
