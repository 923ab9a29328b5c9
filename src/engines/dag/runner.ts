import type { NoMatch } from "../../core/run.ts";
import type { EngineSite } from "../port.ts";
import type { JobSpec } from "./job-spec.ts";
import type { LiveNode, ScriptPart } from "./machine.ts";

/**
 * What starts jobs. The executor says when a job is due; a runner finds it a place, starts it and reports what became of
 * it. A job is known by its cluster, a number of ours that is never given twice: a batch system's own id may be lost or reused.
 *
 * The truth about an attempt lies in files of its own: a claim, made by whoever begins it and refused to the second, and an
 * end, written when it is over. A batch system is only asked why there is no end; its "over" may become "running" again. What
 * the executor has in its journal as ended is over, whatever a runner hears later.
 */
export interface JobRunner {
  /** Queues a job. Nothing begins before `begins` was reported and is on disk; `ended` is reported once. */
  start(job: JobSpec, watch: JobWatch): void;
  /**
   * For a job that was reported to an earlier executor to have begun; the runner kept its description. `running`, `ended`: its end will be reported, as for any other.
   * `unknown`: there is no trace of it. It may be started again with the same cluster: if it has begun after all, its claim lets only one run.
   */
  adopt(claim: Claim, watchOf: (job: JobSpec) => JobWatch): "running" | "ended" | "unknown";
  /** Ends a job, or lets it no more begin; `ended` is reported when it is gone. Unknown jobs and second calls are no error. */
  remove(cluster: number, removal: Removal): void;
  /** null: it does not wait, it runs. */
  explain(cluster: number): JobWait | null;
  /** Runs (by batch name) with a job that can never start here, or has no room now, each with one of its jobs and why. */
  stuck(): ReadonlyMap<string, NoMatch>;
  capacity(): readonly EngineSite[];
  /** Leaves; what runs goes on, for the next one to adopt. Nothing is reported any more. */
  close(): void;
}

/** Where and when a job began. */
export interface Placement {
  readonly site: string;
  readonly at: number;
}

/** What the journal knows of a job that has begun. */
export interface Claim extends Placement {
  readonly cluster: number;
  /** This very attempt was begun again before, for it vanished. */
  readonly evicted: boolean;
}

/** Hears of one job; the executor's side. What it is told is in the journal before anything else follows from it. */
export interface JobWatch {
  readonly batchName: string;
  begins(place: Placement, workDir: string): void;
  /** It is about to be ended for this reason: its exit will not say. */
  holds(hold: Hold): void;
  /** It is gone with its machine, and waits again. */
  evicted(why: string): void;
  ended(end: JobEnd): void;
}

export type JobEnd =
  /** `code`: the exit code, or minus the signal. */
  | { readonly kind: "exited"; readonly code: number; readonly used: Usage }
  | { readonly kind: "removed"; readonly removal: Removal; readonly peakMb: number | null }
  /** Nobody knows how it ended: an attempt for recovery to count. */
  | { readonly kind: "lost"; readonly why: string };

export interface Usage {
  readonly userSec: number;
  readonly systemSec: number;
  readonly wallSec: number;
  readonly memoryMb: number | null;
}

/** Why a job is held, with HTCondor's codes: the reason that POST and the operator get to see. */
export interface Hold {
  readonly code: number;
  readonly subcode: number;
  readonly why: string;
}
export type Removal = Hold | { readonly why: string };

/** `never`: why time alone will not bring it a place; null: it only waits for its turn. */
export interface JobWait {
  readonly never: NoMatch | null;
}

/** Runs PRE and POST, on the machine of the executor. `id` is never given twice: started again, a script runs once. */
export interface ScriptRunner {
  /** The exit code of a script that has nothing to decide and was carried out meanwhile; null: it has to be started. */
  atOnce?(call: ScriptCall): number | null;
  /** Throws when it cannot be prepared; nothing has begun then. */
  start(id: number, call: ScriptCall, onEnd: (exit: ProgramExit) => void): void;
  adopt(id: number, onEnd: (exit: ProgramExit) => void): void;
  kill(id: number): void;
}

export interface ScriptCall {
  readonly part: ScriptPart;
  readonly node: LiveNode;
  /** Of the job's last attempt; null: it could not be submitted. */
  readonly cluster: number | null;
  readonly cwd: string;
  readonly dagPath: string;
}

export type ProgramExit =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signaled"; readonly signal: number }
  /** The working directory or a redirection failed: the program never ran. */
  | { readonly kind: "unstarted"; readonly why: string }
  /** Its supervisor is gone and has left no end: killed with the machine, or by the program. */
  | { readonly kind: "vanished" };

/** As DAGMan's $RETURN: the exit code, or minus the signal; null: it did neither. */
export function returnOf(exit: ProgramExit): number | null {
  return exit.kind === "exited" ? exit.code : exit.kind === "signaled" ? -exit.signal : null;
}
