import type { Calendar, Frequency, Interval, Month } from "./calendar.ts";
import type { NodeResources } from "./plan.ts";
import type { CommonWork } from "./work.ts";

/** A model run that writes its history in segments, and what is made of them, chunk by chunk. */
export interface SegmentsWork extends CommonWork {
  readonly kind: "segments";
  readonly experiment: string;
  /** Absolute, and reached by every worker. Commands run here; paths are named from here. */
  readonly directory: string;
  readonly calendar: Calendar;
  readonly start: Month;
  /** Day of the month that dates in names have; boundaries are months all the same. */
  readonly startDay: number;
  readonly segmentMonths: number;
  /** null: the model still runs, and the history that has arrived says how far. */
  readonly end: Month | null;
  readonly history: HistorySpec;
  readonly components: readonly Component[];
  /** unit: what falls due for a component at one date is one job · product: a job each. */
  readonly group: "unit" | "product";
  /** How often everything due and not done is looked for; null: only when somebody asks (`wms2 fill NAME --yes`). */
  readonly sweepMinutes: number | null;
  /** Executions in error after which a product is held. */
  readonly executions: number;
  /** What a command says by its exit code; every other one is an error. */
  readonly exitCodes: {
    /** History is not there, or short: tried again when it has changed, and counted nowhere. */
    readonly inputMissing: readonly number[];
    /** Data could not be copied: tried again after a while. */
    readonly transient: readonly number[];
  };
}

export interface HistorySpec {
  /** From the directory, or absolute; with placeholders {date}, {year} and the like. */
  readonly path: string;
  /** It is complete when it has this size at least, and nothing under its name with this suffix is there. */
  readonly minBytes: number;
  readonly partialSuffix: string;
  /** null: it arrives by itself. */
  readonly transfer: TransferSpec | null;
}
interface TransferSpec {
  readonly argv: readonly string[];
  /** Hours before each try; after the last one it is held. */
  readonly waitHours: readonly number[];
  readonly resources: NodeResources;
  /** Where frepp keeps its argument files; absent: nowhere. */
  readonly argumentFiles?: string;
}

export interface Component {
  readonly name: string;
  /** Boundaries of its chunks count from here. */
  readonly start: Month;
  readonly products: readonly Product[];
}

export interface Product {
  /** Unique within its component: ts-monthly-5y. */
  readonly name: string;
  /** ts: a series in time · ta: an average over it. */
  readonly family: "ts" | "ta";
  readonly frequency: Frequency;
  readonly lengthMonths: number;
  /** Length of the chunks it is made of; null: straight from history. */
  readonly fromMonths: number | null;
  /** A last chunk that is too short: never made, or made short. */
  readonly tail: "skip" | "emit";
  /** {inputs} as a word of its own becomes as many as there are; all placeholders are put into words, never split. */
  readonly argv: readonly string[];
  readonly outputs: readonly ProductOutput[];
  readonly resources: NodeResources;
}
export interface ProductOutput {
  /** With placeholders. Made under another name, verified, then renamed to this. One that ends with a slash is a folder. */
  readonly path: string;
  /** Of a folder: of all its files together. */
  readonly minBytes: number;
  /** Of a folder: how many files it has at least. Absent: one. */
  readonly files?: number;
  /** Prints how many time levels a file has; null: nobody counts. */
  readonly levels: readonly string[] | null;
}

/** One product over one interval, or the history of one segment: atmos/ts-monthly-5y/0001-0005, history/0013. */
export type NodeId = string;
export interface SegmentNode {
  readonly id: NodeId;
  /** null: history, which only a transfer makes. */
  readonly component: string | null;
  readonly product: string | null;
  readonly interval: Interval;
  /** Chunks it is made of. */
  readonly needs: readonly NodeId[];
  /** Segments whose history it reads. */
  readonly history: readonly Interval[];
  /** What it leaves, from the directory of the work. */
  readonly outputs: readonly string[];
}

/** What is kept about a node. There is a row once something happened to it. */
export const NODE_STATES = [
  "missing", // not there: never run, or gone
  "submitted", // in a run of ours: `unit` says where
  "elsewhere", // frepp has it: `job` is its id
  "done", // made and verified
  "failed", // in error, to be tried again
  "input-missing", // history was not there, or short
  "partial", // somebody made a part of it by hand
  "lost", // accepted, and never seen again
  "held", // a person has to look
  "unknown", // nobody can tell: outputs decide
] as const;
export type NodeState = (typeof NODE_STATES)[number];

export interface NodeRow {
  readonly id: NodeId;
  readonly state: NodeState;
  /** Raised by a release: budgets begin again, history stays. */
  readonly epoch: number;
  /** In this epoch: ended in error · killed, lost or never started · over the time limit. */
  readonly executions: number;
  readonly losses: number;
  readonly overruns: number;
  /** The same of transfers that failed: of history, or within a product's job. They have waits of their own. */
  readonly transfers: number;
  /** Why it is in its state, in words; null: there is nothing to say. */
  readonly reason: string | null;
  /** What kind of failure it was, by the causes of recovery; null: none. */
  readonly cause: string | null;
  readonly unit: string | null;
  readonly dagId: string | null;
  /** Of frepp's queue. */
  readonly job: string | null;
  /** Not tried again before; null: at once. */
  readonly retryAt: Date | null;
  /** Of its outputs, and of what it was made of, when it was last verified: they tell whether it still holds. null: nobody
   * knows. Of one whose input was missing: what that was like, so that it is tried again when it has changed. */
  readonly madeSum: string | null;
  readonly madeOfSum: string | null;
  readonly version: number;
  readonly changedAt: Date;
}

export const FILL_MODES = ["missing", "failed", "all"] as const;
type FillMode = (typeof FILL_MODES)[number];
/** What somebody asks to have filled. */
export interface FillChoice {
  readonly component: string | null;
  /** Chunks whose last month is in here: from the first up to the second, without it. */
  readonly from: Month | null;
  readonly to: Month | null;
  /** missing: what was never made · failed: that and what failed · all: what is done, too. */
  readonly mode: FillMode;
  /** What it needs is filled, too. */
  readonly recurse: boolean;
  /** Only these, whatever else is due; absent: all. */
  readonly nodes?: readonly NodeId[];
}

/** What a fill does about a node, in the words of the grid. */
export const CELL_STATES = [
  "none", // nothing is due
  "done",
  "missing", // will be made
  "failed", // will be tried again
  "stale", // what it was made of has changed
  "redo", // done, and asked for again
  "running",
  "queued",
  "waiting", // on something that is made first, or that is blocked
  "no-history",
  "held",
  "unknown",
] as const;
export type CellState = (typeof CELL_STATES)[number];

export interface FillAction {
  readonly node: NodeId;
  /** make: never made · retry · redo: it is done, and asked for · remake: it is stale. */
  readonly kind: "make" | "retry" | "redo" | "remake" | "transfer";
  readonly reason: string;
  /** Nodes of this plan that come first. */
  readonly after: readonly NodeId[];
  /** Executions it has left after this one fails. */
  readonly retries: number;
}
export interface FillObstacle {
  readonly node: NodeId;
  /**
   * held: a person has to release it · blocked: by another one · no-history · running: in a run of ours · elsewhere: in one
   * of frepp's · unknown: nobody can tell · later: waits for its time · stale: done, and of something that is made again or
   * has changed · not-asked: left alone by the mode.
   */
  readonly kind:
    | "held"
    | "blocked"
    | "no-history"
    | "running"
    | "elsewhere"
    | "unknown"
    | "later"
    | "stale"
    | "not-asked";
  readonly reason: string;
  /** Nodes that stand at the beginning of it: itself, or what it waits for in the end. */
  readonly causes: readonly NodeId[];
  /** When it moves by itself; null: unknown. */
  readonly until: Date | null;
}

/** One plan for the terminal, the API, the web page and the round that carries it out. */
export interface FillPlan {
  readonly experiment: string;
  /** Of the columns: what was chosen, and what else is made for it. */
  readonly range: Interval;
  readonly choice: FillChoice;
  readonly rows: readonly {
    readonly component: string;
    readonly product: string;
    readonly lengthMonths: number;
    /** Of chunks that fall due in the range, in order. */
    readonly cells: readonly { readonly node: NodeId; readonly due: Month; readonly state: CellState }[];
  }[];
  /** Parents before children. */
  readonly actions: readonly FillAction[];
  readonly obstacles: readonly FillObstacle[];
  /** Of those chosen. */
  readonly done: number;
  /** Chosen, due and not done, or stale. */
  readonly holes: number;
}
