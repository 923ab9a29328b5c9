import type { ProcessingNodePlan } from "../domain/plan.ts";
import type { Check, CheckContext, Report } from "./check.ts";
import type { PlanFile } from "./facts.ts";
import { compileMask, countLumis, type Mask, selectLumis } from "./mask.ts";

const UNTOUCHED = 0;
const BEGUN = 1;
const DONE = 2;

/**
 * Input: everything wanted of every file is read by exactly one job: whole files, event ranges that follow each
 * other, or (file, run, lumi) triples. A job reads each lumi of its mask in each of its files.
 */
export function checkFiles(context: CheckContext, report: Report): Check {
  const { spec, files, plan, isPartial } = context;
  const mask = compileMask(spec.input?.mask ?? null);
  const indexes = new Map(files.map(({ lfn }, index) => [lfn, index]));
  const state = new Uint8Array(files.length);
  const nextEvent = new Float64Array(files.length);
  const ledgers = new Map<number, LumiLedger>();
  if (indexes.size !== files.length) report("file-twice", "a file is listed twice in the input");

  /** True when the file has been read to its end. */
  const read = (node: ProcessingNodePlan, file: PlanFile, index: number): boolean => {
    if (node.runLumis) {
      const ledger = ledgers.get(index) ?? new LumiLedger(file, mask);
      ledgers.set(index, ledger);
      return ledger.read(node, report);
    }
    if (node.firstEvent === null) return true;
    const end = readEvents(node, file, nextEvent[index]!, report);
    nextEvent[index] = end ?? 0;
    return end === null || end === file.events;
  };

  return {
    unit(unit) {
      for (const node of unit.nodes) {
        if (node.inputs.length === 0) report("no-input", `${node.name} reads nothing`);
        for (const { lfn } of node.inputs) {
          const index = indexes.get(lfn);
          if (index === undefined) report("file-unknown", `${node.name} reads ${lfn}, which is no input`);
          else if (state[index] === DONE) report("file-twice", `${node.name} reads ${lfn} again`);
          else state[index] = read(node, files[index]!, index) ? DONE : BEGUN;
          if (index !== undefined && state[index] === DONE) ledgers.delete(index);
        }
      }
    },
    finish() {
      let touched = 0;
      for (const [index, file] of files.entries()) {
        if (state[index] !== UNTOUCHED) touched += 1;
        if (state[index] === BEGUN) report("file-lost", `a part of ${file.lfn} is in no job`);
        else if (state[index] === UNTOUCHED && !isPartial && isWanted(file, mask, context))
          report("file-lost", `all of ${file.lfn} is in no job`);
      }
      if (plan.summary.inputFiles !== touched)
        report("summary", `${touched} files are read, the summary says ${plan.summary.inputFiles}`);
    },
  };
}

function isWanted(file: PlanFile, mask: Mask, { spec, measured }: CheckContext): boolean {
  if (file.state === "processed" || file.state === "excluded") return false;
  const { algorithm } = spec.split;
  if (algorithm !== "LumiBased" && algorithm !== "EventAwareLumiBased" && mask.all) return true;
  const isTimed = (measured?.secondsPerEvent ?? spec.resources.secondsPerEvent) !== null;
  const mayBeTooBig = algorithm === "EventAwareLumiBased" && countLumis(file.lumis) === 1 && isTimed;
  return !mayBeTooBig && selectLumis(file, mask).length > 0;
}

/** The event after the last one read; null: it is read to its end. */
function readEvents(node: ProcessingNodePlan, file: PlanFile, expected: number, report: Report): number | null {
  const first = Number(node.firstEvent);
  if (node.inputs.length !== 1) report("event-files", `${node.name} has an event range over several files`);
  if (first !== expected) {
    const code = first < expected ? "event-twice" : "event-lost";
    report(code, `${node.name} begins at event ${first} of ${file.lfn} instead of ${expected}`);
  }
  if (node.lastEvent === null) return null;
  if (node.lastEvent < node.firstEvent! || (file.events !== null && node.lastEvent >= BigInt(file.events)))
    report("event-range", `${node.name} ends at event ${node.lastEvent} of ${file.lfn}`);
  return Number(node.lastEvent) + 1;
}

/** What has been read of a file whose jobs go by lumis. */
class LumiLedger {
  readonly #file: PlanFile;
  readonly #mask: Mask;
  /** All of the file's lumis by run, ascending. A file may have many thousands, and each may be a job. */
  readonly #lumis: ReadonlyMap<number, readonly number[]>;
  readonly #wanted: number;
  readonly #seen = new Set<string>();

  constructor(file: PlanFile, mask: Mask) {
    this.#file = file;
    this.#mask = mask;
    this.#lumis = new Map(selectLumis(file, compileMask(null)).map(({ run, lumis }) => [run, lumis]));
    this.#wanted = countLumis(selectLumis(file, mask));
  }

  /** True when all wanted lumis of the file have been read. */
  read(node: ProcessingNodePlan, report: Report): boolean {
    for (const [run, ranges] of Object.entries(node.runLumis!)) {
      const lumis = this.#lumis.get(Number(run)) ?? [];
      const here = ranges.flatMap(([first, last]) => lumis.slice(indexFrom(lumis, first), indexFrom(lumis, last + 1)));
      for (const lumi of new Set(here)) {
        const key = `${run}:${lumi}`;
        if (!this.#mask.accepts(Number(run), lumi))
          report("lumi-unwanted", `${node.name} reads lumi ${key}, which is masked`, { lfn: this.#file.lfn });
        else if (this.#seen.has(key)) report("lumi-twice", `${node.name} reads lumi ${key} of ${this.#file.lfn} again`);
        this.#seen.add(key);
      }
    }
    return this.#seen.size >= this.#wanted;
  }
}

/** Where the first number stands that is not below `least`; the numbers ascend. */
function indexFrom(numbers: readonly number[], least: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
