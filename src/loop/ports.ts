import type { MergedSize } from "../catalogs/outputs/check-outputs.ts";
import type { OutputPatience } from "../catalogs/outputs/decide-block.ts";
import type { Catalog } from "../catalogs/port.ts";
import type { Clock } from "../core/base/clock.ts";
import type { WorldError } from "../core/base/errors.ts";
import type { Log } from "../core/base/log.ts";
import type { NodeChanges } from "../core/operator.ts";
import type { DagPlan, PlannedRange } from "../core/plan.ts";
import type { RequestFile, RequestSpec } from "../core/request.ts";
import type { RememberedRule } from "../core/rule.ts";
import type { UnitStates } from "../core/run.ts";
import type { FileStamp } from "../core/workflow.ts";
import type { Engine } from "../engines/port.ts";
import type { TextAsked, TextRead } from "../intake/read-text.ts";
import type { Kinds } from "../kinds/kind.ts";
import type { PlanPolicy } from "../planning/facts.ts";
import type { BanConfig } from "../recovery/bans/ban.ts";
import type { AttemptRecord, Ledger } from "../recovery/ledger-record.ts";
import type { PolicySpec } from "../recovery/policy-text.ts";
import type { DamagedRescue, UnitDamage } from "../recovery/round/damage.ts";
import type { Store } from "../store/port.ts";
import type { GraphNames } from "../submit-dir/jobs.ts";
import type { NodeAsks } from "../submit-dir/plan-file.ts";
import type { FreppWorld } from "./frepp-port.ts";

/** Everything the lifecycle touches. Only main.ts knows who stands behind them. */
export interface Ports {
  readonly store: Store;
  readonly engine: Engine;
  readonly catalog: Catalog;
  readonly kinds: Kinds;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly ids: { next(): string };
  readonly log: Log;
  readonly metrics: PassMetrics;
  /** Reads documents beside everything else. Absent: they are read where they come. */
  readonly readAside?: (asked: TextAsked) => Promise<TextRead>;
  /** Absent: hooks are not run. */
  readonly runHook?: RunHook;
  /** Absent: nobody runs frepp beside us. */
  readonly frepp?: FreppWorld;
  readonly events: {
    emit(type: "request.moved" | "dag.progress" | "loop.pass", detail: Record<string, unknown>): void;
  };
}

/** What the lifecycle works with: its ports, the limits it keeps to, and what tells it to end early. */
export interface Work extends Ports {
  readonly policy: LoopPolicy;
  readonly signal?: AbortSignal | undefined;
}

/** What a pass works with: only while it leads. */
export interface PassWork extends Work {
  /** The lease has not run out since the pass began. */
  leads(): boolean;
}

/** A job as its submit directory has it. */
export interface FoundJob {
  /** Of its unit, or the one that jobs of a graph share. */
  readonly folder: string;
  readonly node: string;
  readonly state: "idle" | "running" | "held" | "ended";
  /** What its ledger says of it; null: it has not been checked. */
  readonly verdict: AttemptRecord | null;
}

/** The submit directories: written whole, read piece by piece. Throws WorldError("disk-unwritable"). */
export interface Spool {
  submitDir(plan: Pick<DagPlan, "requestName" | "round" | "dagId">): string;
  /** Renders and writes under a temporary name, then renames: a directory with its final name is complete. */
  write(
    plan: DagPlan,
    spec: RequestSpec,
    files: readonly RequestFile[],
    rules: readonly RememberedRule[],
  ): Promise<void>;
  /** Why nothing can be written where submit directories or outputs go; null: it can. */
  trouble(): Promise<WorldError | null>;
  isComplete(submitDir: string): Promise<boolean>;
  /** Removes a directory that was never submitted, and what was left of its writing. */
  discard(submitDir: string, dagId: string): Promise<void>;
  /** Text of mg_N/merge_output.json, and of mg_N/manifest.json; null when there is none. */
  mergeOutput(submitDir: string, unit: string): Promise<string | null>;
  manifest(submitDir: string, unit: string): Promise<string | null>;
  /** Where the merged files of a request go, and the size of one of them. */
  mergedDir(requestName: string): string;
  mergedSize(requestName: string, path: string): Promise<MergedSize>;
  /** The ledger of one unit, oldest line first, with what could not be read. */
  ledger(submitDir: string, unit: string): Promise<Ledger>;
  /** The texts of many, for a reader that needs only half of them: "" when there is none, null when it cannot be read. */
  ledgers(
    submitDir: string,
    units: Iterable<string>,
  ): AsyncIterable<{ readonly unit: string; readonly text: string | null }>;
  /** Text of the report that the job of a node left in this attempt; null when there is none. */
  report(submitDir: string, unit: string, node: string, cluster: number): Promise<string | null>;
  /** Text of the last verdict on a node, with the attempt it is about; null when there is none. */
  verdict(submitDir: string, unit: string, node: string): Promise<string | null>;
  /** Of these units, those that cannot be run from their directories. */
  damaged(submitDir: string, units: readonly string[]): Promise<readonly UnitDamage[]>;
  unitNames(submitDir: string): Promise<readonly string[]>;
  /** Where units are, in order: a folder each, or one that jobs of a graph share. */
  folders(submitDir: string): Promise<readonly string[]>;
  /** Every unit of the run as the engine last wrote it; null: it wrote nothing, or its directory is no more. */
  unitStates(submitDir: string): Promise<UnitStates | null>;
  /** Since when the jobs of these folders run that run now; null: there is too much to read for somebody who waits. */
  runningSince(submitDir: string, folders: readonly string[]): Promise<readonly Date[] | null>;
  /** The job with this number of the engine's; null: it is not there. `budget`: folders that may still be looked into. */
  findJob(submitDir: string, cluster: number, since: Date, budget: { looks: number }): Promise<FoundJob | null>;
  /** Text of workflow.dag; "" when there is none. */
  dagText(submitDir: string): Promise<string>;
  /** Of a graph: what people call its jobs. */
  jobNames(submitDir: string): Promise<GraphNames>;
  nodeNames(submitDir: string, unit: string): Promise<readonly string[]>;
  /** What the nodes of a unit ask for, as planned and as changed since; null: its files do not say. */
  asks(submitDir: string, unit: string): Promise<(node: string) => NodeAsks | null>;
  /** Of these nodes of a unit, those that no rescue runs again. */
  doneNodes(submitDir: string, unit: string, nodes: readonly string[]): Promise<readonly string[]>;
  /** Block and event ranges of a unit, as its manifest says. */
  planned(submitDir: string, unit: string): Promise<{ block: number; ranges: readonly PlannedRange[] }>;
  /** The unit lands again, elsewhere, as a whole. Repeatable. */
  reelect(
    submitDir: string,
    unit: string,
    avoidSites: readonly string[],
    only?: readonly string[] | null,
  ): Promise<boolean>;
  /** The unit's next run keeps away from these sites. nowhere: then it could run nowhere. Repeatable. */
  keepAway(
    submitDir: string,
    unit: string,
    closed: readonly string[],
  ): Promise<"stays" | "narrowed" | "moved" | "nowhere">;
  /** What nodes ask for from their next submission on; null: all of the unit. Repeatable. */
  adjust(
    submitDir: string,
    unit: string,
    nodes: readonly string[] | null,
    changesOf: (node: string) => NodeChanges,
  ): Promise<void>;
  /** The retry policy that jobs of such a request go by, as JSON. */
  policyText(spec: PolicySpec, rules: readonly RememberedRule[]): string;
  /** Attachments, policy, and the commands of these units, as the request says now. No run may be there. Repeatable. */
  revise(
    submitDir: string,
    spec: RequestSpec,
    files: readonly RequestFile[],
    units: readonly string[],
    rules: readonly RememberedRule[],
  ): Promise<void>;
  /** Its policy has the rules that are remembered now; the rest of it stays. No run may be there. Repeatable. */
  remember(submitDir: string, rules: readonly RememberedRule[]): Promise<void>;
  /** Nodes that failed are not run again by the next run; by the one after it they are. Repeatable. */
  leave(submitDir: string, unit: string, nodes: readonly string[]): Promise<void>;
  /**
   * Nodes that had stopped for good may run again, and those that one run left; null: all of the unit. Of a job of a graph only
   * itself, also while others run. Repeatable.
   */
  letRun(submitDir: string, unit: string, nodes: readonly string[] | null): Promise<void>;
  /** Gives nodes a fresh budget and keeps their history. Once per epoch. */
  openEpoch(submitDir: string, unit: string, epoch: NewEpoch): Promise<void>;
  /** The nodes of these units that failed and are not to be tried again yet, by unit. */
  cooling(submitDir: string, units: readonly string[], now: Date): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Their next try begins at once. Repeatable. */
  endWaits(
    submitDir: string,
    unit: string,
    ended: Omit<NewEpoch, "epoch"> & { nodes: readonly string[] },
  ): Promise<void>;
  /** Tells in a unit's ledger that a person left it behind. Repeatable. */
  noteLeft(submitDir: string, unit: string, said: Pick<NewEpoch, "by" | "reason" | "at">): Promise<void>;
  /** The end of the log of a node's attempt, or of its newest; "" when there is none. */
  logTail(submitDir: string, unit: string, node: string, cluster?: number): Promise<string>;
  /** Jobs of a graph that the engine takes for done, and are not, are left to the next run. Repeatable. */
  reopenEnded(submitDir: string, at: Date): Promise<void>;
  /** A run of these jobs of a graph beside its other ones, in a folder of its own. Repeatable. */
  writeSide(
    submitDir: string,
    side: Pick<DagPlan, "requestName" | "round" | "dagId">,
    jobs: readonly string[],
  ): Promise<void>;
  /** Where a DAGMan broke off and left its lock, the next one begins with a rescue file that has these as done. */
  nameDone(submitDir: string, done: readonly string[]): Promise<void>;
  /** Rescue files from which the engine could not go on; none: they are sound, or there are none. */
  damagedRescues(submitDir: string): Promise<readonly DamagedRescue[]>;
  /** A unit's. */
  setRescueAside(submitDir: string, unit: string, file: string): Promise<void>;
  /** Size and time of files of a person's, from a directory; what is not there is left out. Throws WorldError("files-unreachable"). */
  stamps(directory: string, paths: Iterable<string>): Promise<ReadonlyMap<string, FileStamp>>;
  /** One word for all that is in each folder; `listing` "": that is more than anybody looks at. */
  folderStamps(question: FolderQuestion): Promise<ReadonlyMap<string, FileStamp>>;
  /** The same of what is in them: "cksum:<POSIX CRC>". */
  checksums(directory: string, paths: Iterable<string>, longestMs?: number): Promise<ReadonlyMap<string, string>>;
  /** What a command of a person's says about a file, a number; null: it cannot tell. */
  countLevels(directory: string, argv: readonly string[]): Promise<number | null>;
  /** Leaves a file beside the submit directories of a request and answers its path. */
  leaveNote(requestName: string, file: string, text: string): Promise<string>;
}

/** Below a folder that is looked into; one with more is not. */
export const MOST_ENTRIES = 100_000;

export interface FolderQuestion {
  readonly directory: string;
  /** From the directory, or absolute. */
  readonly folders: Iterable<string>;
  /** What is made there, from the directory or absolute: it is no part of them. */
  readonly without: ReadonlySet<string>;
  readonly byContents: boolean;
  readonly longestMs?: number;
  readonly mostEntries?: number;
}

export interface NewEpoch {
  readonly epoch: number;
  readonly nodes: readonly string[] | null;
  readonly by: string;
  readonly reason: string;
  readonly at: string;
}

/** Runs a command of the person's on this machine; answers how it ended, in words. Never throws for what the command does. */
export type RunHook = (wanted: {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it says is added here. */
  readonly log: string;
  readonly timeoutSec: number;
}) => Promise<string>;

export interface PassMetrics {
  observePass(seconds: number): void;
  countDecision(kind: string): void;
  observeEngineCall(call: string, seconds: number): void;
}

/** Limits of the loop, from the configuration. */
export interface LoopPolicy extends PlanPolicy {
  readonly concurrency: number;
  readonly intervalSec: number;
  readonly leaseSec: number;
  /** A pass that made no progress for so long keeps the lease no more: another server takes over. */
  readonly stuckSec: number;
  /** What a pass gives each request before it goes on with the others. */
  readonly sliceSec: number;
  /** How long one request may be worked on without a rest; then it is held. */
  readonly workLimitSec: number;
  readonly resubmitGraceSec: number;
  readonly maxErrors: number;
  readonly diskPatienceSec: number;
  /** How long outputs are offered to the catalog. */
  readonly outputs: OutputPatience;
  readonly bans: BanConfig;
  /** Highest processing version a restart may reach. */
  readonly versionLimit: number;
}
