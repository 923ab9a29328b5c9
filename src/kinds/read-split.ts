import { SPLIT_ALGORITHMS, type SplitAlgorithm, type SplitSpec } from "../core/work.ts";
import type { Form } from "../intake/reading/form.ts";
import { parseDuration } from "../intake/reading/units.ts";
import { isRow } from "../intake/reading/values.ts";
import { eventsPerJobFor } from "./sizing.ts";

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
  /** Where the document says how work is split. */
  readonly path: string;
}

/** `split: {by, …}`, or the older splitting_algo and splitting_params. */
export function readSplit(top: Form, usual: keyof typeof BY): ReadSplit {
  top.knows("splitting_algo", "splitting_params");
  const old = top.spot("splitting_algo") ?? top.spot("splitting_params");
  const isOld = old !== null && top.spot("split") === null;
  if (!isOld) old?.problem("says the same as split; keep one of them");
  const form = top.section(isOld ? "splitting_params" : "split");
  form.knows("run_whitelist", "lumi_mask", "on_missing");
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
    path: (top.spot("splitting_algo") ?? form.spot("by"))?.path ?? form.pathOf("by"),
  };
}

/** Twelve hours of work when the time per event is known. Its own problems are noted where resources are read. */
function sizeFromTime(top: Form): number | null {
  const { resources, time_per_event_sec: plain } = top.row;
  const written = isRow(resources) ? resources.time_per_event : undefined;
  const seconds = typeof written === "string" ? parseDuration(written) : plain;
  return typeof seconds === "number" && seconds > 0 ? eventsPerJobFor(seconds) : null;
}
