import type { Run } from "../../core/run.ts";
import { program } from "../../submit-dir/names.ts";

/**
 * The command lines of HTCondor 23.9.6 we use, as argument vectors: nothing here ever passes a shell.
 *
 * Names within constraints are quoted by `adString`; the words around them are ours.
 */
export type Argv = readonly string[];

/** A ClassAd string literal. */
const adString = (text: string): string => `"${text.replace(/[\\"]/g, "\\$&")}"`;

const batchIs = (run: Run): string => `JobBatchName == ${adString(run.batchName)}`;
/** The DAGMan that was submitted by us; those of its units have DAGManJobId set. */
const topOf = (run: Run): string => `${batchIs(run)} && JobUniverse == 7 && DAGManJobId is undefined`;

const inDirectory = (verb: "fence" | "run", run: Run, ticket: number): Argv => [
  ...["sh", program("submit"), verb, String(ticket), run.batchName],
];
/** From here on no submission with an older ticket gets through. */
export const fenceCommand = (run: Run, ticket: number): Argv => inDirectory("fence", run, ticket);

/**
 * Run in the submit directory, by its own bin/submit, which adds the rest. Never -f (it renames rescue files and runs
 * everything again), never -DoRescueFrom (passed down, it retires the units' newer rescue files), never -usedagdir (clashes
 * with SUBDAG … DIR). -maxidle stands here because condor_submit_dag always writes one and dagman.config cannot override it.
 */
export const submitCommand = (run: Run, ticket: number, maxIdle: number): Argv => [
  ...inDirectory("run", run, ticket),
  ...["-batch-name", run.batchName, "-maxidle", String(maxIdle)],
  ...(run.priority === 0 ? [] : ["-priority", String(run.priority)]),
];

/** What a look at the queue brings back. */
const QUEUE_ATTRIBUTES =
  "ClusterId,JobBatchName,JobUniverse,JobStatus,DAGManJobId,DAGNodeName,HoldReason,HoldReasonCode,QDate,EnteredCurrentStatus";
const query = (constraint: string, ...more: string[]): Argv => [
  ...["condor_q", "-allusers", "-json", ...more],
  ...["-attributes", QUEUE_ATTRIBUTES, "-constraint", constraint],
];

/**
 * All runs in one query: the DAGMans of every tree, jobs in state X (3, being removed), for a tree is gone only when they are, and held
 * ones (5), for only the queue knows why. Ordinary jobs are left out: there may be hundreds of thousands.
 */
export const queueCommand = query(
  'regexp("^wms2-", JobBatchName) && (JobUniverse == 7 || JobStatus == 3 || JobStatus == 5)',
);

/** Anything at all with this batch name: one answer is enough. */
export const findCommand = (run: Run): Argv => query(batchIs(run), "-limit", "50");

/** All of a run, whatever it is doing. */
export const clustersCommand = (run: Run): Argv => [
  ...["condor_q", "-allusers", "-constraint", batchIs(run), "-af", "ClusterId"],
];

/** The top alone: the schedd removes what it has submitted, and no unit's end reaches the top as a failure. */
export const removeTopCommand = (run: Run): Argv => ["condor_rm", "-constraint", topOf(run)];
/** For what is left when the top is already gone. */
export const removeTreeCommand = (run: Run): Argv => ["condor_rm", "-constraint", batchIs(run)];

/**
 * The top alone: it starts no more units while it is held, those that run go on. Units are not held, because their holds count
 * against DAGMAN_MAX_JOB_HOLDS of the top, which then removes them.
 */
export const holdCommand = (run: Run): Argv => ["condor_hold", "-reason", "held by WMS2", "-constraint", topOf(run)];
export const releaseCommand = (run: Run): Argv => ["condor_release", "-constraint", topOf(run)];

export const versionCommand: Argv = ["condor_version"];
export const queueTotalsCommand: Argv = ["condor_q", "-totals"];
/** Through a shell, so that a missing program is an answer and not a command that cannot be run. */
export const nodeVersionCommand: Argv = ["sh", "-c", "node --version"];
export const configCommand = (name: string): Argv => ["condor_config_val", "-schedd", name];

const WORKER_ATTRIBUTES = "GLIDEIN_CMSSite,TotalSlotCpus,TotalSlotMemory,PartitionableSlot,State,Cpus,Memory";
/** Whole machines (a partitionable slot) or static slots; not the pieces jobs have been given. */
export const workersCommand: Argv = [
  ...["condor_status", "-json", "-attributes", WORKER_ATTRIBUTES],
  ...["-constraint", "DynamicSlot =!= true"],
];
