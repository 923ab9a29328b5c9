import type { NodeResources } from "./plan.ts";
import type { NodeId } from "./segments.ts";
import type { CommonWork } from "./work.ts";
import type { FileStamp } from "./workflow.ts";

/** Jobs that depend on each other, each with a command of its own. As the document says it: a pattern of jobs stays one. */
export interface GraphWork extends CommonWork {
  readonly kind: "graph";
  /** Absolute, and reached by every worker. Jobs run here; what they read and make is named from here. */
  readonly directory: string;
  /** Name → values in the order they were written, as text: 0.1 stays 0.1. */
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  readonly jobs: readonly JobTemplate[];
  readonly hooks: readonly Hook[];
  /** A file has changed when its contents have; absent: when its size or time have. */
  readonly changes?: "contents";
}

/** One job, or as many as `each` makes of it. `{name}` and `{name:03d}` stand for parameters in all of its texts. */
export interface JobTemplate {
  readonly name: string;
  /** Run as it is, without a shell of ours. Parameters are put into the words, never split again. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** null: one job. */
  readonly each: Each | null;
  /** Names and anchored globs of jobs that come before. */
  readonly after: readonly string[];
  /** Paths from the directory of the graph, or absolute ones. */
  readonly reads: readonly string[];
  readonly makes: readonly string[];
  readonly resources: NodeResources;
  /** Higher goes first. */
  readonly priority: number;
  /** Most of this template's jobs at once; null: no limit. */
  readonly atOnce: number | null;
  /** done: when all jobs before it succeeded · ended: when all have ended, however. */
  readonly when: "done" | "ended";
  /** Names of the request's failure handlers that are for these jobs only; [] and all handlers that name nobody. */
  readonly handlers: readonly string[];
  /** Further tries after the first; null: as the request says. */
  readonly retries: number | null;
}

/** Columns of equal length with their names: one row, one job, in order. A product is multiplied out by whoever walks it. */
export interface Each {
  readonly how: "product" | "rows";
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** The names as they were written: a map that was stored has them in an order of its own. */
  readonly order?: readonly string[];
}

/** A command of the person's that is run when something happened. It never holds up a job. */
export interface Hook {
  readonly on: "start" | "end" | "jobs-ended";
  /** jobs-ended: names and globs; all of them have ended. */
  readonly jobs: readonly string[];
  readonly argv: readonly string[];
}

/** A graph with every job written out, in the order of the document; `index` is also the number in its node's name. */
export interface Graph {
  readonly jobs: readonly GraphJob[];
  readonly edges: readonly Edges[];
  /** Templates that limit their jobs at once, by index in GraphJob.group. */
  readonly groups: readonly { readonly name: string; readonly atOnce: number }[];
}
export interface GraphJob extends Omit<JobTemplate, "each" | "after" | "atOnce"> {
  readonly index: number;
  /** Of `groups`; null: no limit. */
  readonly group: number | null;
}

/** Every child waits for every parent. Sets are shared and never multiplied out: 1,000 × 1,000 is 2,000 numbers. */
export interface Edges {
  readonly parents: readonly number[];
  readonly children: readonly number[];
}
/** How many jobs it names. */
export const edgeSize = ({ parents, children }: Edges): number => parents.length + children.length;

/** A graph for whoever draws it: job by job while there are few. */
export interface GraphOutline {
  readonly jobs: number;
  readonly of: "jobs" | "templates" | "layers";
  readonly groups: readonly {
    readonly name: string;
    /** The longest way from the beginning, of the first of them. */
    readonly layer: number;
    readonly jobs: number;
    /** Numbers of its jobs. */
    readonly ranges: [number, number][];
  }[];
  /** Places in `groups`: each of `to` waits for each of `from`. */
  readonly edges: readonly { readonly from: number[]; readonly to: number[] }[];
}

/** What the jobs of a planned graph share. */
export interface GraphPlan {
  readonly directory: string;
  readonly changes?: GraphWork["changes"];
  /** What folders have that jobs read and none of them makes. Absent: there are none. */
  readonly folders?: readonly FileStamp[];
  /** What jobs ask for, each once; a submit file for each. */
  readonly sizes: readonly NodeResources[];
  readonly groups: Graph["groups"];
  /** Of jobs that are planned, each pair at least once. */
  readonly edges: readonly PlannedEdges[];
  /** Soft jobs that others wait for to succeed, as JobPlan.needs numbers them. */
  readonly softSets: readonly (readonly number[])[];
  /** How many there are. */
  readonly softJobs: number;
}
export interface PlannedEdges extends Edges {
  /** The number of the node they go through, which does nothing; null: each parent leads to each child. */
  readonly barrier: number | null;
}

/** A job as it is to run; what it asks for stands with its node. */
export interface JobPlan
  extends Pick<GraphJob, "name" | "argv" | "env" | "reads" | "makes" | "handlers" | "when" | "group"> {
  readonly retries: number;
  /** Of `sizes`. */
  readonly size: number;
  /** What has to be the same for a job to be the same. */
  readonly digest: string;
  /** Others wait for its end, or for that of one after it, however it ends: DAGMan is never told that it failed. */
  readonly soft: boolean;
  /** Of `softSets`: it looks how they ended, which DAGMan does not see. All have to have succeeded, if it waits for that. */
  readonly needs: readonly number[];
  /** It makes these, one after the other, and has no command of its own; absent: it has one. */
  readonly products?: readonly ProductRun[];
}

/** One product of a model run as a worker makes it: the lists about what it makes are in one order. */
export interface ProductRun {
  readonly id: NodeId;
  readonly argv: readonly string[];
  /** What has to be there, and is nobody's error if it is not: the product waits for it. */
  readonly history: readonly string[];
  readonly partialSuffix: string;
  /** Chunks it is made of. */
  readonly reads: readonly string[];
  readonly makes: readonly string[];
  /** What each is called until it is verified; none: the command itself gives the name to what is whole. */
  readonly aside: readonly string[];
  /** Bytes each has at least; how many time levels, and the command that counts them ({output}: the file). null: nobody does. */
  readonly least: readonly number[];
  /** Files that each folder has at least. Absent: one. */
  readonly files?: readonly number[];
  readonly expected: readonly (number | null)[];
  readonly levels: readonly (readonly string[] | null)[];
  /** What is there already and passes its check is it. */
  readonly keep: boolean;
  /** Where frepp's stager keeps its locks, and the date in their names: it is not begun while there is one. Absent: nowhere. */
  readonly stager?: { readonly directory: string; readonly date: string };
  /** Exit code of the command, or `other` → what it means here. */
  readonly codes: Readonly<Record<string, number>>;
}
