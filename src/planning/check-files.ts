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
  const { spec, files, plan, isPartial, fullTuning } = context;
  const mask = compileMask(spec.input?.mask ?? null);
  const indexes = new Map(files.map(({ lfn }, index) => [lfn, index]));
  const state = new Uint8Array(files.length);
  const nextEvent = new Float64Array(files.length);
  const lumisSeen = new Map<number, Set<string>>();
  if (indexes.size !== files.length) report("file-twice", "a file is listed twice in the input");

  const read = (node: ProcessingNodePlan, index: number) => {
    const file = files[index]!;
    if (state[index] === DONE)
      report("file-twice", `${node.name} reads ${file.lfn} again`, { node: node.name, lfn: file.lfn });
    else if (node.runLumis) state[index] = readLumis(node, file, mask, seenOf(lumisSeen, index), report) ? DONE : BEGUN;
    else if (node.firstEvent !== null) state[index] = readEvents(node, file, nextEvent, index, report) ? DONE : BEGUN;
    else state[index] = DONE;
    if (state[index] === DONE) lumisSeen.delete(index);
  };

  return {
    unit(unit) {
      for (const node of unit.nodes) {
        if (node.inputs.length === 0) report("no-input", `${node.name} reads nothing`, { node: node.name });
        for (const { lfn } of node.inputs) {
          const index = indexes.get(lfn);
          if (index === undefined)
            report("file-unknown", `${node.name} reads ${lfn}, which is no input`, { node: node.name, lfn });
          else read(node, index);
        }
      }
    },
    finish() {
      const hasTotals = fullTuning.totalLumis + fullTuning.totalEvents > 0;
      let touched = 0;
      for (const [index, file] of files.entries()) {
        if (state[index] !== UNTOUCHED) touched += 1;
        const isShort = state[index] === BEGUN && !hasTotals;
        const isLost = state[index] === UNTOUCHED && !isPartial && isWanted(file, mask, context);
        if (isShort || isLost) {
          report("file-lost", `${isShort ? "a part" : "all"} of ${file.lfn} is in no job`, { lfn: file.lfn });
        }
      }
      if (!hasTotals && plan.summary.inputFiles !== touched) {
        report("summary", `${touched} files are read, the summary says ${plan.summary.inputFiles}`);
      }
    },
  };
}

function isWanted(file: PlanFile, mask: Mask, { spec, fullTuning }: CheckContext): boolean {
  if (file.state === "processed" || file.state === "excluded") return false;
  const needsLumis = spec.split.algorithm === "LumiBased" || spec.split.algorithm === "EventAwareLumiBased";
  if (!needsLumis && mask.all) return true;
  const isOneBigLumi =
    spec.split.algorithm === "EventAwareLumiBased" &&
    fullTuning.leaveOutTooBig &&
    file.lumis.length === 1 &&
    file.lumis[0]!.lumis.length === 1 &&
    spec.resources.secondsPerEvent !== null;
  return !isOneBigLumi && selectLumis(file, mask).length > 0;
}

function seenOf(all: Map<number, Set<string>>, index: number): Set<string> {
  const seen = all.get(index) ?? new Set();
  all.set(index, seen);
  return seen;
}

/** True when the file has been read to its end. */
function readEvents(
  node: ProcessingNodePlan,
  file: PlanFile,
  nextEvent: Float64Array,
  index: number,
  report: Report,
): boolean {
  const first = Number(node.firstEvent);
  const evidence = { node: node.name, lfn: file.lfn, first, expected: nextEvent[index] };
  if (node.inputs.length !== 1) report("event-files", `${node.name} has an event range over several files`, evidence);
  if (first !== nextEvent[index]) {
    const code = first < nextEvent[index]! ? "event-twice" : "event-lost";
    report(code, `${node.name} begins at event ${first} of ${file.lfn} instead of ${nextEvent[index]}`, evidence);
  }
  if (node.lastEvent === null) return true;
  nextEvent[index] = Number(node.lastEvent) + 1;
  if (node.lastEvent < node.firstEvent! || (file.events !== null && node.lastEvent >= BigInt(file.events))) {
    report("event-range", `${node.name} ends at event ${node.lastEvent} of ${file.lfn}`, evidence);
  }
  return nextEvent[index] === file.events;
}

/** True when all wanted lumis of the file have been read. */
function readLumis(node: ProcessingNodePlan, file: PlanFile, mask: Mask, seen: Set<string>, report: Report): boolean {
  const wanted = selectLumis(file, mask);
  for (const [run, ranges] of Object.entries(node.runLumis!)) {
    const here = file.lumis.filter((each) => each.run === Number(run)).flatMap(({ lumis }) => lumis);
    for (const lumi of new Set(here)) {
      if (!ranges.some(([first, last]) => first <= lumi && lumi <= last)) continue;
      const key = `${run}:${lumi}`;
      const evidence = { node: node.name, lfn: file.lfn, run, lumi };
      if (!mask.accepts(Number(run), lumi))
        report("lumi-unwanted", `${node.name} reads lumi ${key}, which is masked`, evidence);
      else if (seen.has(key)) report("lumi-twice", `${node.name} reads lumi ${key} of ${file.lfn} again`, evidence);
      seen.add(key);
    }
  }
  return seen.size >= countLumis(wanted);
}
