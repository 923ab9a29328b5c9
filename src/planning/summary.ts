import type { BlockPlan, PlanSummary, UnitPlan } from "../domain/plan.ts";
import type { Counters } from "./facts.ts";

/** Adds up a round while it is walked. */
export class SummaryTally {
  readonly #start: Counters;
  readonly #dataset: string;
  readonly #blocks: { index: number; dataset: string; units: number; expectedBytes: number }[] = [];
  #units = 0;
  #nodes = 0;
  #events = 0n;
  #uncounted = 0;
  #nextEvent: bigint;
  #nextLumi: bigint;
  biggestEvents = 0;

  constructor(start: Counters, dataset: string) {
    this.#start = start;
    this.#dataset = dataset;
    this.#nextEvent = start.firstEvent;
    this.#nextLumi = start.firstLumi;
  }

  add(unit: UnitPlan, isGeneration: boolean): void {
    this.#units += 1;
    this.#nodes += unit.nodes.length;
    let block = this.#blocks.at(-1);
    if (block?.index !== unit.block) {
      block = { index: unit.block, dataset: this.#dataset, units: 0, expectedBytes: 0 };
      this.#blocks.push(block);
    }
    block.units += 1;
    block.expectedBytes += unit.expectedOutputBytes;
    let events = 0;
    for (const node of unit.nodes) {
      if (node.events === null) this.#uncounted += 1;
      else {
        events += node.events;
        if (node.events > this.biggestEvents) this.biggestEvents = node.events;
      }
    }
    this.#events += BigInt(events);
    const last = unit.nodes.at(-1);
    if (isGeneration && last) {
      this.#nextEvent = last.lastEvent! + 1n;
      this.#nextLumi = last.lastLumi! + 1n;
    }
  }

  get units(): number {
    return this.#units;
  }
  get nodes(): number {
    return this.#nodes;
  }
  /** Jobs whose events nobody could tell. */
  get uncounted(): number {
    return this.#uncounted;
  }

  finish(inputFiles: number, warnings: readonly string[]): PlanSummary {
    const start = this.#start;
    return {
      units: this.#units,
      blocks: this.#blocks satisfies BlockPlan[],
      nodesByRole: { landing: this.#units, processing: this.#nodes, merge: this.#units, cleanup: this.#units },
      inputFiles,
      events: this.#events,
      next: {
        unit: start.unit + this.#units,
        node: start.node + this.#nodes,
        block: start.block + this.#blocks.length,
        firstEvent: this.#nextEvent,
        firstLumi: this.#nextLumi,
      },
      warnings,
    };
  }
}
