import { type InputSpec, inputLocation, type ProcessWork } from "../../core/work.ts";
import type { Form } from "../../intake/reading/form.ts";
import type { Kind } from "../kind.ts";
import { type ReadSplit, readSplit } from "../read-split.ts";
import { checkFiles } from "./check-files.ts";
import { mostJobs, planFiles } from "./plan-files.ts";
import { readInput, UNREADABLE } from "./read-input.ts";
import { REASONS } from "./selection.ts";
import { needsLumis } from "./split.ts";

/** Runs over input files: every one is processed once, tried again after a failure, or excluded with a reason. */
export const processKind: Kind<ProcessWork> = {
  name: "process",
  mainKeys: ["input", "input_dataset"],
  keys: ["input", "input_dataset", "events_per_file"],
  commands: "steps",
  simulatorChain: ["RECO", "MINI"],
  read: readProcess,
  extent: ({ input, split: { algorithm, eventsPerJob } }) =>
    algorithm === "EventBased" && "events" in input && input.events.by === "fixed"
      ? { events: BigInt(input.events.perFile), eventsPerJob, of: "a file", path: "input.events_per_file" }
      : null,
  describe: ({ input }) => `${input.from} ${inputLocation(input)}`,
  unitWord: "unit",
  begin: () => ({ unit: 0, node: 0, block: 0, firstEvent: 1n, firstLumi: 1n }),
  mostJobs,
  plan: planFiles,
  check: checkFiles,
  remains({ workflow, files }) {
    if (files === null || (workflow.round === 0 && workflow.currentDagId === null)) return true;
    return files.fresh + files.attempted > 0 || files.processed + files.excluded === 0;
  },
  sharePlanned({ files }) {
    const all = files ? files.fresh + files.attempted + files.processed + files.excluded : 0;
    return files === null || all === 0 ? 1 : (all - files.waiting) / all;
  },
  releaseFields: ["excluded_files"],
  notWanted: REASONS["not-selected"],
};

function readProcess(top: Form): ProcessWork {
  const input = readInput(top);
  const read = readSplit(top, "files");
  if (top.spot("input") === null && top.spot("input_dataset") === null)
    top.missing("input", '{files: "data/*.csv"}, {directory}, {list} or {dataset}; or kind: generate with events');
  checkSplitAgainstInput(read, input, top);
  return { kind: "process", input: input ?? UNREADABLE, split: read.split };
}

/** Plain files say nothing about lumis, and of events only what the request says. */
function checkSplitAgainstInput({ split, path }: ReadSplit, input: InputSpec | null, top: Form): void {
  if (input === null || (input.from !== "glob" && input.from !== "directory")) return;
  if (needsLumis(split.algorithm)) {
    top.notes.problem(path, "plain files have no lumis", "files or events; lumis need input: {list} or {dataset}");
  } else if (split.algorithm === "EventBased" && input.events.by === "unknown") {
    top.notes.problem(
      path,
      "number of events unknown: add input.events_per_file",
      "events_per_file: lines, or a number",
    );
  }
  if (input.mask.runs.length > 0 || input.mask.lumis !== null) {
    top.notes.problem(
      "input",
      "plain files have no runs and lumis to choose from",
      "runs and lumi_mask need input: {list} or {dataset}",
    );
  }
}
