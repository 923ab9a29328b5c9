import type { NodeTally, UnitTally } from "./dag.ts";
import type { DagId, NodeName, UnitName } from "./names.ts";
import type { ThrottleSpec } from "./request.ts";

/** What an engine needs to know of a run. `submitDir` holds workflow.dag and everything it names. */
export interface Run {
  readonly dagId: DagId;
  readonly submitDir: string;
  readonly batchName: string;
  /** null before the engine gave one. */
  readonly engineId: string | null;
  readonly priority: number;
}

/** How far a run has come. */
interface RunProgress {
  readonly nodes: NodeTally;
  readonly units: UnitTally;
  readonly unitsDone: readonly UnitName[];
  readonly unitsFailed: readonly UnitName[];
}
interface RunningRun extends RunProgress {
  readonly kind: "running";
  /** Something odd that did not stop us: an unreadable status file, a held DAGMan. */
  readonly note: string | null;
  readonly waits: RunWaits;
  /** Of its failed jobs, those that side runs have now. */
  readonly beside?: number;
}

/** What keeps nodes of a run, as its files and the queue tell it; null: nothing of the kind. Examples are "unit/node". */
export interface RunWaits {
  /** Failed, and not to be tried again before a time, which may have passed; `reason` of the one that comes first. */
  readonly deferred: {
    readonly nodes: number;
    readonly nextAt: Date;
    readonly lastAt: Date;
    readonly reason: string;
    readonly example: string;
  } | null;
  /** In the queue and not to be run; `reason` is the engine's. `byHand`: it stays so until a person releases them. */
  readonly held: {
    readonly nodes: number;
    readonly since: Date;
    readonly reason: string;
    readonly byHand: boolean;
    readonly example: string;
  } | null;
  /** Idle, and no worker will ever take them, or none has room now. */
  readonly unmatched: NoMatch | null;
  /** Ended, and not yet checked; `trouble` is why POST could not do it. */
  readonly checking: { readonly nodes: number; readonly trouble: string | null; readonly example: string } | null;
  /** Categories at their limit, and how many are ready behind it: units of the run, or jobs of its units. */
  readonly limited: readonly AtLimit[];
}
export interface AtLimit {
  readonly category: keyof ThrottleSpec | "group";
  /** Of a group of a graph's jobs: what the person called them. */
  readonly group?: string;
  readonly limit: number;
  readonly waiting: number;
}
export const NO_WAITS: RunWaits = { deferred: null, held: null, unmatched: null, checking: null, limited: [] };

/** Why no worker can take a job; slots: one could, and has no room now. */
export interface NoMatch {
  readonly code: "no-worker" | "no-site" | "too-large" | "slots";
  readonly reason: string;
}
interface EndedRun extends RunProgress {
  readonly kind: "ended";
  readonly verdict: RunVerdict;
  /** The engine's own words. */
  readonly text: string;
  /** Number of the rescue file a resubmission would use; null: none. */
  readonly rescue: number | null;
}

/** What an engine sees of a run at one moment. `unknown` is an answer: keep the last state and say so. */
export type RunObservation = RunningRun | EndedRun | { readonly kind: "unknown"; readonly why: string };

/**
 * success: exit code 0, DagStatus 0 and every node done. failed: some node failed. aborted: ABORT-DAG-ON.
 * removed: taken out of the queue. halted: drained by a halt file. unreadable: the DAG file does not parse or
 * has a cycle. lost: the engine has no trace of it and left no verdict.
 */
export type RunVerdict = "success" | "failed" | "aborted" | "removed" | "halted" | "unreadable" | "lost";

export const NODE_STATES = ["waiting", "ready", "pre", "queued", "post", "done", "failed", "futile"] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** A node as a person sees it live. `unit` is null for nodes of the top DAG that are no units. */
export interface NodeView {
  readonly unit: UnitName | null;
  readonly node: NodeName;
  /** What the person called a job of a graph. */
  readonly job?: string;
  readonly state: NodeState;
  readonly retries: number;
  readonly held: boolean;
  /** In the queue without a place to run. */
  readonly idle: boolean;
  readonly detail: string;
}

/** The units of a run and a letter for each: w waits, r has begun, d done, f failed. */
export interface UnitStates {
  readonly names: readonly string[];
  readonly states: string;
}
