/**
 * The names of everything in a submit directory (docs/submit-directory.md). Nobody else spells them; the shell programs
 * of src/submit-dir/payload have their own copies, which spelling.test.ts compares with these.
 */

import { jobIndex } from "../core/names.ts";

/** In the submit directory itself. */
export const TOP = {
  dag: "workflow.dag",
  config: "dagman.config",
  plan: "plan.json",
  policy: "policy.json",
  stepProfile: "step_profile.json",
  submission: "submission",
  submissionLock: ".submission.lock",
  submitHost: "submit-host",
  compacted: "compacted.json",
  ended: "ended.list",
  bin: "bin",
  payload: "payload",
} as const;

/** In the directory of a unit. */
export const UNIT = {
  dag: "group.dag",
  manifest: "manifest.json",
  include: "group.inc",
  log: "group.log",
  ledger: "ledger.jsonl",
  mergeOutput: "merge_output.json",
  abort: "run.abort",
  lock: ".group.lock",
} as const;

const JOBS_PER_PART = 1000;
/** A folder that the jobs of a graph share. */
export const isPart = (folder: string): boolean => /^part_\d{3,}$/.test(folder);

/** Jobs of a graph share a folder, a thousand each; any other unit has its own. */
export function unitFolder(unit: string): string {
  const index = jobIndex(unit);
  return index === null ? unit : `part_${String(Math.floor(index / JOBS_PER_PART)).padStart(3, "0")}`;
}

/** Of a graph, in the submit directory: a submit file per size of jobs, and one that nobody reads, for nodes that do nothing. */
export const jobSubmitFile = (size: number): string => `job-${size}.sub`;
export const NOOP_SUBMIT_FILE = "noop.sub";
export const barrierName = (index: number): string => `barrier_${index}`;
/** Soft jobs that have to have succeeded, as `part_000/job_000000`, a line each: bin/pre looks for what a failed one left. */
export const softSetFile = (index: number): string => `soft-${index}.list`;

/** In the directory of a unit, after the name of a node. */
export const NODE = { post: "post.json", wait: "wait", stopped: "stopped", trouble: "trouble" } as const;
export const nodeFile = (node: string, kind: keyof typeof NODE): string => `${node}.${NODE[kind]}`;

/** After the names of a node and of its job's cluster: `$(RETRY)` begins again at 0 after a rescue, clusters only grow. */
export const ATTEMPT = { out: "out", err: "err", report: "report.json", recovery: "recovery.log" } as const;
export const attemptFile = (node: string, cluster: number | string, kind: keyof typeof ATTEMPT): string =>
  `${node}.${cluster}.${ATTEMPT[kind]}`;

/** What engines leave beside a DAG, after its name. */
export const BESIDE_DAG = {
  status: "status",
  metrics: "metrics",
  rescue: "rescue",
  submit: "condor.sub",
  log: "dagman.log",
  out: "dagman.out",
  libOut: "lib.out",
  libErr: "lib.err",
  nodesLog: "nodes.log",
  lock: "lock",
} as const;
export const besideDag = (dag: string, kind: keyof typeof BESIDE_DAG): string => `${dag}.${BESIDE_DAG[kind]}`;

/** What a job leaves in its working directory, and all that is ours there. */
export const REPORT = ATTEMPT.report;
export const IN_JOB: readonly string[] = [UNIT.manifest, REPORT, UNIT.mergeOutput];
/** Our own programs beside the request's files on the worker; the one that every job is; one of those on the submit host. */
export const WORKER = `${TOP.payload}/wms2`;
export const RUN = "run.sh";
export const program = (name: string): string => `${TOP.bin}/${name}`;
/** From a unit's directory. */
export const fromUnit = (path: string): string => `../${path}`;

/** A file of a submit directory, as text in pieces: no file has to fit in memory. */
export interface SubmitFile {
  /** Relative to the submit directory. */
  readonly path: string;
  readonly chunks: Iterable<string>;
}

export const submitDirName = (round: number, dagId: string): string => `r${round}-${dagId.slice(0, 8)}`;
export const isSubmitDirName = (name: string): boolean => /^r\d+-./.test(name);

/** In a submit directory: that of a run of failed jobs beside the others. */
export const sideDirName = (dagId: string): string => `side-${dagId.slice(0, 8)}`;

const UNWRITTEN = ".tmp-";
/** What a directory is called until it is whole. */
export const temporaryName = (dagId: string): string => `${UNWRITTEN}${dagId}`;
export const isTemporaryName = (name: string): boolean => name.startsWith(UNWRITTEN);

/** The node of a file that has its name and this ending; null: it has another. */
export function nodeNamedIn(file: string, kind: keyof typeof NODE): string | null {
  const ending = `.${NODE[kind]}`;
  return file.length > ending.length && file.endsWith(ending) ? file.slice(0, -ending.length) : null;
}

/** Of the files of a unit, the newest stderr of each of these nodes. */
export function newestStderr(files: readonly string[], isWanted: (node: string) => boolean): readonly string[] {
  const newest = new Map<string, { readonly file: string; readonly cluster: number }>();
  for (const file of files) {
    const [, node = "", digits = ""] = /^(.+)\.(\d+)\.err$/.exec(file) ?? [];
    const cluster = Number(digits);
    if (digits !== "" && isWanted(node) && cluster > (newest.get(node)?.cluster ?? -1))
      newest.set(node, { file, cluster });
  }
  return [...newest.values()].map(({ file }) => file);
}
