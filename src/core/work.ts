import type { GraphWork, Hook } from "./graph.ts";
import type { SegmentsWork } from "./segments.ts";

/**
 * What a request asks to be done. Each kind of request has its own fields here and its own folder in src/kinds, which
 * gives them their meaning; nobody else asks which kind it is. A kind of its own adds itself to `Works`.
 */
export interface Works {
  readonly process: ProcessWork;
  readonly generate: GenerateWork;
  readonly graph: GraphWork;
  readonly segments: SegmentsWork;
}
export type Work = Works[keyof Works];

/** What work of any kind may have, for those who do not care which kind it is. */
export interface CommonWork {
  readonly kind: string;
  /** Where its files come from; absent: it reads none. */
  readonly input?: InputSpec;
  /** What every job reads beside its input; absent: nothing. */
  readonly secondary?: readonly SecondaryInput[];
  readonly split?: SplitSpec;
  /** Where all its jobs run: every worker sees it, so a job may change its site. Absent: each has a directory of its own. */
  readonly directory?: string;
  /** Of jobs that number their lumis themselves. */
  readonly eventsPerLumi?: number;
  /** Commands to be run when something happened. */
  readonly hooks?: readonly Hook[];
  /** Names of failure handlers that are only for jobs which name them; absent: all handlers are for all jobs. */
  readonly namedHandlers?: readonly string[];
  /** Whether what was given up is made again; absent: there is no such choice. */
  readonly topUp?: boolean;
}

/** Runs over input files. */
export interface ProcessWork extends CommonWork {
  readonly kind: "process";
  readonly input: InputSpec;
  readonly split: SplitSpec;
}

/** Makes events without input. */
export interface GenerateWork extends CommonWork {
  readonly kind: "generate";
  readonly totalEvents: bigint;
  readonly firstEvent: bigint;
  readonly firstLumi: number;
  readonly eventsPerLumi: number;
  /** Each job has lumis of its own (default), or the jobs of a work unit share one. */
  readonly lumis?: "per_job" | "per_work_unit";
  /** Share of generated events that survive; totalEvents are counted before the filter. */
  readonly filterEfficiency: number;
  readonly topUp: boolean;
  readonly split: SplitSpec;
}

/** Whether its jobs make their events: they number the lumis, and nothing is read. */
export const makesEvents = (work: Work): work is GenerateWork => work.eventsPerLumi !== undefined;

/** Pile-up and the like: located as a whole, never split over. */
export interface SecondaryInput {
  readonly dataset: string;
  /** Jobs may run where it is not, and read it over the network. */
  readonly anywhere: boolean;
}

/** Where the input comes from. `path`s are absolute by the time a spec is stored. */
export type InputSpec = InputSource & {
  /** Files that no usable site holds: the request waits for a person (default), or goes on without them. */
  readonly onMissing?: "hold" | "skip";
};
type InputSource =
  | { readonly from: "glob"; readonly pattern: string; readonly events: EventCount; readonly mask: LumiMask }
  | { readonly from: "directory"; readonly path: string; readonly events: EventCount; readonly mask: LumiMask }
  | { readonly from: "list"; readonly path: string; readonly mask: LumiMask }
  | { readonly from: "dataset"; readonly dataset: string; readonly mask: LumiMask; readonly blocks?: BlockChoice };

/** Which blocks of a dataset are read, by their full names `/A/B/C#id`. */
export interface BlockChoice {
  /** Empty: all. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}
export const allowsBlock = (choice: BlockChoice | undefined, block: string): boolean =>
  !choice || ((choice.allow.length === 0 || choice.allow.includes(block)) && !choice.deny.includes(block));

/** The pattern, path or dataset it names. */
export function inputLocation(input: InputSpec): string {
  switch (input.from) {
    case "glob":
      return input.pattern;
    case "dataset":
      return input.dataset;
    case "directory":
    case "list":
      return input.path;
  }
}

/** How events of a plain file are counted: not at all, one per line, or a fixed number per file. */
export type EventCount =
  | { readonly by: "unknown" }
  | { readonly by: "lines" }
  | { readonly by: "fixed"; readonly perFile: number };

/** Whether runs and lumis of the input decide what is done: only then are they read. */
export const goesByLumis = ({ input, split }: CommonWork): boolean =>
  split?.algorithm === "LumiBased" ||
  split?.algorithm === "EventAwareLumiBased" ||
  (input !== undefined && (input.mask.runs.length > 0 || input.mask.lumis !== null));

export interface LumiMask {
  /** Empty: all runs. */
  readonly runs: readonly number[];
  /** Runs that are left out, whatever else is chosen; absent: none. */
  readonly withoutRuns?: readonly number[];
  /** run → inclusive lumi ranges; null: all lumis. */
  readonly lumis: Readonly<Record<string, readonly (readonly [number, number])[]>> | null;
}

export const SPLIT_ALGORITHMS = ["FileBased", "EventBased", "LumiBased", "EventAwareLumiBased"] as const;
export type SplitAlgorithm = (typeof SPLIT_ALGORITHMS)[number];

export interface SplitSpec {
  readonly algorithm: SplitAlgorithm;
  readonly filesPerJob: number;
  readonly eventsPerJob: number;
  readonly lumisPerJob: number;
  /** By lumis: a job ends with its run (default), or goes on with the next one. */
  readonly splitOnRun?: boolean;
  /** By lumis: a job ends with its file. */
  readonly haltOnFileBoundaries?: boolean;
}
