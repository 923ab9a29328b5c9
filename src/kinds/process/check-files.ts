import { countWhile, isWithin, joinRanges, type Ranges } from "../../core/base/ranges.ts";
import type { ProcessingNodePlan } from "../../core/plan.ts";
import type { ProcessWork } from "../../core/work.ts";
import type { Check, CheckContext, Report } from "../../planning/check.ts";
import { mayRunAt } from "../../planning/check-limits.ts";
import type { PlanFile } from "../../planning/facts.ts";
import { byLfn, inOrder } from "../../planning/piece.ts";
import { compileMask, countDistinct, countLumis, type Mask, selectLumis } from "./mask.ts";

const UNTOUCHED = 0;
const BEGUN = 1;
const DONE = 2;

/**
 * Input: everything wanted of every file is read by exactly one job: whole files, event ranges that follow each
 * other, or (file, run, lumi) triples. A job reads each lumi of its mask in each of its files.
 */
export function checkFiles(context: CheckContext<ProcessWork>, report: Report): Check {
  const { spec, files, plan, isPartial } = context;
  const mask = compileMask(spec.work.input.mask);
  const indexes = new LfnIndex(files);
  const state = new Uint8Array(files.length);
  const nextEvent = new Float64Array(files.length);
  const ledgers = new Map<number, LumiLedger>();
  if (indexes.hasTwice) report("file-twice", "a file is listed twice in the input");

  /** True when the file has been read to its end. */
  const read = (node: ProcessingNodePlan, wanted: JoinedByRun | null, file: PlanFile, index: number): boolean => {
    if (wanted) {
      const ledger = ledgers.get(index) ?? new LumiLedger(file, mask);
      ledgers.set(index, ledger);
      return ledger.read(node.name, wanted, report);
    }
    if (node.firstEvent === null) return true;
    const end = readEvents(node, file, nextEvent[index]!, report);
    nextEvent[index] = end ?? 0;
    return end === null || end === file.events;
  };

  return {
    unit(unit) {
      for (const node of unit.nodes) {
        const wanted = node.runLumis && joinedByRun(node.runLumis);
        if (node.inputs.length === 0) report("no-input", `${node.name} reads nothing`);
        for (const { lfn } of node.inputs) {
          const index = indexes.find(lfn);
          if (index === undefined) report("file-unknown", `${node.name} reads ${lfn}, which is no input`);
          else if (state[index] === DONE) report("file-twice", `${node.name} reads ${lfn} again`);
          else state[index] = read(node, wanted, files[index]!, index) ? DONE : BEGUN;
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

/** Where a file stands in a list, by its name. Numbers only; those who ask go by name mostly, and find the next one at once. */
class LfnIndex {
  readonly #files: readonly PlanFile[];
  readonly #order: Uint32Array;
  readonly hasTwice: boolean;
  #next = 0;

  constructor(files: readonly PlanFile[]) {
    this.#files = files;
    this.#order = Uint32Array.from(inOrder([...files.keys()], (a, b) => byLfn(files[a]!, files[b]!)));
    this.hasTwice = this.#order.some((_, place) => place > 0 && this.#lfn(place - 1) === this.#lfn(place));
  }

  find(lfn: string): number | undefined {
    let place = this.#next;
    if (place >= this.#order.length || this.#lfn(place) !== lfn)
      place = countWhile(this.#order.length, (at) => this.#lfn(at) < lfn);
    if (place >= this.#order.length || this.#lfn(place) !== lfn) return undefined;
    this.#next = place + 1;
    return this.#order[place];
  }

  #lfn(place: number): string {
    return this.#files[this.#order[place]!]!.lfn;
  }
}

function isWanted(file: PlanFile, mask: Mask, context: CheckContext<ProcessWork>): boolean {
  const { spec, sizing } = context;
  if (file.state === "processed" || file.state === "excluded") return false;
  // By choice, files that no usable site holds are left out.
  const isNowhere = file.sites.length > 0 && !file.sites.some((site) => mayRunAt(site, context));
  if (spec.work.input.onMissing === "skip" && isNowhere) return false;
  const { algorithm } = spec.work.split;
  if (algorithm !== "LumiBased" && algorithm !== "EventAwareLumiBased" && mask.all) return true;
  const isTimed = (sizing?.secondsPerEvent ?? spec.resources.secondsPerEvent) !== null;
  const mayBeTooBig = algorithm === "EventAwareLumiBased" && countDistinct(file.lumis) === 1 && isTimed;
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

/** A job's lumi ranges by run, ascending. */
type JoinedByRun = ReadonlyMap<number, Ranges>;
const joinedByRun = (runLumis: NonNullable<ProcessingNodePlan["runLumis"]>): JoinedByRun =>
  new Map(Object.entries(runLumis).map(([run, ranges]) => [Number(run), joinRanges(ranges)]));

/** What has been read of a file whose jobs go by lumis. */
class LumiLedger {
  readonly #file: PlanFile;
  readonly #mask: Mask;
  /** All of the file's lumis by run, ascending. */
  readonly #lumis: ReadonlyMap<number, readonly number[]>;
  readonly #wanted: number;
  readonly #seen = new Map<number, Set<number>>();
  #count = 0;

  constructor(file: PlanFile, mask: Mask) {
    this.#file = file;
    this.#mask = mask;
    const all = selectLumis(file, compileMask(null));
    this.#lumis = new Map(all.map(({ run, lumis }) => [run, lumis]));
    this.#wanted = countLumis(mask.all ? all : selectLumis(file, mask));
  }

  /** True when all wanted lumis of the file have been read. */
  read(node: string, asked: JoinedByRun, report: Report): boolean {
    // A job may have as many runs as it has files, a file may be cut into as many jobs as it has runs.
    const [few, many] = asked.size < this.#lumis.size ? [asked, this.#lumis] : [this.#lumis, asked];
    for (const run of few.keys()) {
      if (!many.has(run)) continue;
      const seen = this.#seen.get(run) ?? new Set();
      this.#seen.set(run, seen);
      for (const lumi of lumisWithin(this.#lumis.get(run)!, asked.get(run)!)) {
        const { lfn } = this.#file;
        if (!this.#mask.accepts(run, lumi))
          report("lumi-unwanted", `${node} reads lumi ${run}:${lumi}, which is masked`, { lfn });
        else if (seen.has(lumi)) report("lumi-twice", `${node} reads lumi ${run}:${lumi} of ${lfn} again`);
        else this.#count += 1;
        seen.add(lumi);
      }
    }
    return this.#count >= this.#wanted;
  }
}

/** Of the lumis those within the ranges, both ascending: by whichever is fewer, so that a cut file stays cheap. */
function lumisWithin(lumis: readonly number[], ranges: Ranges): readonly number[] {
  if (lumis.length <= ranges.length) return lumis.filter((lumi) => isWithin(lumi, ranges));
  const indexFrom = (least: number) => countWhile(lumis.length, (at) => lumis[at]! < least);
  return ranges.flatMap(([first, last]) => lumis.slice(indexFrom(first), indexFrom(last + 1)));
}
