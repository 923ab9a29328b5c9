import type { GenerationSpec, InputSpec, SplitAlgorithm, SplitSpec } from "../domain/request.ts";
import { SPLIT_ALGORITHMS } from "../domain/request.ts";
import { beforeFilter, MAX_INT64, readBigInteger } from "./big-integers.ts";
import type { Form } from "./form.ts";
import { eventsPerJobFor, eventsPerLumiFor } from "./sizing.ts";
import { parseDuration } from "./units.ts";
import { isRow } from "./values.ts";

const BY = {
  files: "FileBased",
  events: "EventBased",
  lumis: "LumiBased",
  "events-and-lumis": "EventAwareLumiBased",
} as const;
const WORDS = [...Object.keys(BY), ...SPLIT_ALGORITHMS];
const MAX_PER_JOB = Number.MAX_SAFE_INTEGER;
export const SPLIT_DEFAULTS = { filesPerJob: 5, eventsPerJob: 10_000, lumisPerJob: 8 };

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
  if (top.spot("split") !== null && old !== null)
    top.notes.problem(old.path, "says the same as split; keep one of them");
  const form = top.section(top.spot("split") === null && old !== null ? "splitting_params" : "split");
  form.knows("run_whitelist", "lumi_mask");
  const usual = kind === "generate" ? "events" : "files";
  const by = old === null ? form.choice("by", WORDS, usual) : top.choice("splitting_algo", WORDS, usual);
  const algorithm: SplitAlgorithm = Object.hasOwn(BY, by) ? BY[by as keyof typeof BY] : (by as SplitAlgorithm);
  const perJob = { min: 1, max: MAX_PER_JOB };
  const filesPerJob = form.integer("files_per_job", perJob, null);
  const eventsPerJob = form.integer("events_per_job", perJob, null);
  const lumisPerJob = form.integer("lumis_per_job", perJob, null);
  const inSplit = form.integer("events_per_lumi", perJob, null);
  const atTop = top.integer("events_per_lumi", perJob, null);
  if (inSplit !== null && atTop !== null)
    top.notes.problem("events_per_lumi", "says the same as split.events_per_lumi; keep one of them");
  form.close();
  if (kind === "generate" && algorithm !== "EventBased") {
    const spot = top.spot("splitting_algo") ?? form.spot("by");
    top.notes.problem(spot?.path ?? form.pathOf("by"), "generated events can only be split by events", "events");
  }
  warnUseless(form, algorithm, {
    files_per_job: filesPerJob,
    lumis_per_job: lumisPerJob,
    events_per_job: eventsPerJob,
  });
  const guess = sizeFromTime(top);
  return {
    split: {
      algorithm,
      filesPerJob: filesPerJob ?? SPLIT_DEFAULTS.filesPerJob,
      eventsPerJob: eventsPerJob ?? guess ?? SPLIT_DEFAULTS.eventsPerJob,
      lumisPerJob: lumisPerJob ?? SPLIT_DEFAULTS.lumisPerJob,
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

function warnUseless(form: Form, algorithm: SplitAlgorithm, given: Readonly<Record<string, number | null>>): void {
  const used = { FileBased: "files", EventBased: "events", LumiBased: "lumis", EventAwareLumiBased: "events" }[
    algorithm
  ];
  for (const [key, value] of Object.entries(given)) {
    if (value !== null && key !== `${used}_per_job`) {
      form.notes.warn(form.pathOf(key), `has no effect when work is split by ${used}`);
    }
  }
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
  const wanted = readBigInteger(top, "events", 1n);
  if (top.spot("events") === null) top.missing("events", "how many events to produce, a whole number from 1");
  const filterEfficiency = top.number("filter_efficiency", { min: 0, above: 0, max: 1 }, 1);
  const totalEvents = beforeFilter(wanted ?? 1n, filterEfficiency);
  const firstEvent = readBigInteger(top, "first_event", 1n) ?? 1n;
  const firstLumi = top.integer("first_lumi", { min: 1, max: 2 ** 32 - 1 }, 1);
  const topUp = top.flag("top_up", false);
  const lumis = top.choice("lumis", ["per_job", "per_work_unit"] as const, "per_job");
  if (firstEvent + totalEvents - 1n > MAX_INT64)
    top.notes.problem("events", `the last event would be beyond ${MAX_INT64}`);
  if (filterEfficiency < 1 && wanted !== null) {
    top.notes.warn("filter_efficiency", `${totalEvents} events will be generated so that about ${wanted} survive`);
  }
  const perJob = read.split.eventsPerJob;
  const { eventsPerJob, eventsPerLumi } = read.sized
    ? { eventsPerJob: perJob, eventsPerLumi: Math.min(read.eventsPerLumi ?? perJob, perJob) }
    : eventsPerLumiFor(perJob, read.eventsPerLumi, totalEvents);
  return {
    generation: { totalEvents, firstEvent, firstLumi, eventsPerLumi, lumis, filterEfficiency, topUp },
    split: { ...read.split, eventsPerJob },
  };
}

export const GENERATION_KEYS = [
  "events",
  "first_event",
  "first_lumi",
  "filter_efficiency",
  "top_up",
  "lumis",
  "events_per_lumi",
] as const;

/** Keys of the other kind are contradictions, not unknown words. */
export function refuseGenerationKeys(top: Form): void {
  for (const key of GENERATION_KEYS) {
    const spot = top.spot(key);
    if (spot !== null) top.notes.problem(spot.path, "belongs to kind: generate, and this is kind: process");
  }
}
