import type { GenerationSpec, InputSpec, SplitAlgorithm, SplitSpec } from "../domain/request.ts";
import { SPLIT_ALGORITHMS } from "../domain/request.ts";
import type { Form } from "../reading/form.ts";
import { parseDuration } from "../reading/units.ts";
import { isRow, MAX_INT64, words } from "../reading/values.ts";
import { beforeFilter, eventsPerJobFor, eventsPerLumiFor } from "./sizing.ts";

const BY = {
  files: "FileBased",
  events: "EventBased",
  lumis: "LumiBased",
  "events-and-lumis": "EventAwareLumiBased",
} as const;
const WORDS = [...Object.keys(BY), ...SPLIT_ALGORITHMS];
export const PER_JOB = { min: 1, max: Number.MAX_SAFE_INTEGER };
const SPLIT_DEFAULTS = { filesPerJob: 5, eventsPerJob: 10_000, lumisPerJob: 8 };
/** The keys that each algorithm goes by. */
const USED: Record<SplitAlgorithm, readonly string[]> = {
  FileBased: ["files_per_job"],
  EventBased: ["events_per_job"],
  LumiBased: ["lumis_per_job", "split_on_run", "halt_on_file_boundaries"],
  EventAwareLumiBased: ["events_per_job", "split_on_run", "halt_on_file_boundaries"],
};

export interface ReadSplit {
  readonly split: SplitSpec;
  readonly eventsPerLumi: number | null;
  /** The size of a job was written, not guessed: it is kept to the event. */
  readonly sized: boolean;
}

/** `split: {by, …}`, or 003's splitting_algo and splitting_params. */
export function readSplit(top: Form, kind: "process" | "generate"): ReadSplit {
  top.knows("splitting_algo", "splitting_params");
  const old = top.spot("splitting_algo") ?? top.spot("splitting_params");
  const isOld = old !== null && top.spot("split") === null;
  if (!isOld) old?.problem("says the same as split; keep one of them");
  const form = top.section(isOld ? "splitting_params" : "split");
  form.knows("run_whitelist", "lumi_mask", "on_missing");
  const usual = kind === "generate" ? "events" : "files";
  const by = isOld ? top.choice("splitting_algo", WORDS, usual) : form.choice("by", WORDS, usual);
  const algorithm: SplitAlgorithm = Object.hasOwn(BY, by) ? BY[by as keyof typeof BY] : (by as SplitAlgorithm);
  const filesPerJob = form.integer("files_per_job", PER_JOB, SPLIT_DEFAULTS.filesPerJob);
  const eventsPerJob = form.integer("events_per_job", PER_JOB, null);
  const lumisPerJob = form.integer("lumis_per_job", PER_JOB, SPLIT_DEFAULTS.lumisPerJob);
  const inSplit = form.integer("events_per_lumi", PER_JOB, null);
  const atTop = top.integer("events_per_lumi", PER_JOB, null);
  if (inSplit !== null && atTop !== null)
    top.problem("events_per_lumi", "says the same as split.events_per_lumi; keep one of them");
  const splitOnRun = form.flag("split_on_run", true);
  const haltOnFileBoundaries = form.flag("halt_on_file_boundaries", false);
  form.close();
  if (kind === "generate" && algorithm !== "EventBased") {
    const path = (top.spot("splitting_algo") ?? form.spot("by"))?.path ?? form.pathOf("by");
    top.notes.problem(path, "generated events can only be split by events", "events");
  }
  const used = USED[algorithm];
  for (const key of ["files_per_job", "lumis_per_job", "events_per_job", "split_on_run", "halt_on_file_boundaries"]) {
    if (form.spot(key) !== null && !used.includes(key))
      form.warn(key, `has no effect when work is split by ${used[0]!.split("_", 1)[0]}`);
  }
  return {
    split: {
      algorithm,
      filesPerJob,
      eventsPerJob: eventsPerJob ?? sizeFromTime(top) ?? SPLIT_DEFAULTS.eventsPerJob,
      lumisPerJob,
      ...(!splitOnRun && { splitOnRun }),
      ...(haltOnFileBoundaries && { haltOnFileBoundaries }),
    },
    eventsPerLumi: inSplit ?? atTop,
    sized: eventsPerJob !== null,
  };
}

/** Twelve hours of work when the time per event is known. Its own problems are told where resources are read. */
function sizeFromTime(top: Form): number | null {
  const { resources, time_per_event_sec: plain } = top.row;
  const written = isRow(resources) ? resources.time_per_event : undefined;
  const seconds = typeof written === "string" ? parseDuration(written) : plain;
  return typeof seconds === "number" && seconds > 0 ? eventsPerJobFor(seconds) : null;
}

/** Plain files tell nothing about lumis, and of events only what the request says. */
export function checkSplitAgainstInput({ split }: ReadSplit, input: InputSpec | null, top: Form): void {
  if (input === null || (input.from !== "glob" && input.from !== "directory")) return;
  const path = top.spot("splitting_algo")?.path ?? "split.by";
  if (split.algorithm === "LumiBased" || split.algorithm === "EventAwareLumiBased") {
    top.notes.problem(path, "plain files have no lumis", "files or events; lumis need input: {list} or {dataset}");
  } else if (split.algorithm === "EventBased" && input.events.by === "unknown") {
    top.notes.problem(
      path,
      "nobody knows how many events the files have; add input.events_per_file",
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

/** The keys of `kind: generate`. `events` are those wanted after the filter, as in ReqMgr2. */
export function readGeneration(top: Form, read: ReadSplit): { generation: GenerationSpec; split: SplitSpec } {
  const events = top.needed("events", "how many events to produce, a whole number from 1");
  const wanted = events?.bigInteger(1n) ?? null;
  const filterEfficiency = top.number("filter_efficiency", { min: 0, above: 0, max: 1 }, 1);
  const totalEvents = beforeFilter(wanted ?? 1n, filterEfficiency);
  const firstEvent = top.spot("first_event")?.bigInteger(1n) ?? 1n;
  const firstLumi = top.integer("first_lumi", { min: 1, max: 2 ** 32 - 1 }, 1);
  const topUp = top.flag("top_up", false);
  const lumis = top.choice("lumis", ["per_job", "per_work_unit"] as const, "per_job");
  if (firstEvent + totalEvents - 1n > MAX_INT64) top.problem("events", `the last event would be beyond ${MAX_INT64}`);
  if (filterEfficiency < 1 && wanted !== null)
    top.warn("filter_efficiency", `${totalEvents} events will be generated so that about ${wanted} survive`);
  const perJob = read.split.eventsPerJob;
  const { eventsPerJob, eventsPerLumi } = read.sized
    ? { eventsPerJob: perJob, eventsPerLumi: Math.min(read.eventsPerLumi ?? perJob, perJob) }
    : eventsPerLumiFor(perJob, read.eventsPerLumi, totalEvents);
  return {
    generation: { totalEvents, firstEvent, firstLumi, eventsPerLumi, lumis, filterEfficiency, topUp },
    split: { ...read.split, eventsPerJob },
  };
}

const GENERATION_KEYS = words("events first_event first_lumi filter_efficiency top_up lumis events_per_lumi");

/** Keys of the other kind are contradictions, not unknown words. */
export function refuseGenerationKeys(top: Form): void {
  for (const key of GENERATION_KEYS) top.spot(key)?.problem("belongs to kind: generate, and this is kind: process");
}
