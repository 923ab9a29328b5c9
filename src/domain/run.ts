import type { NodeTally, UnitTally } from "./dag.ts";
import type { DagId, NodeName, UnitName } from "./names.ts";

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
}
interface EndedRun extends RunProgress {
  readonly kind: "ended";
  readonly verdict: RunVerdict;
  /** The engine's own words. */
  readonly words: string;
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
  readonly state: NodeState;
  readonly retries: number;
  readonly held: boolean;
  readonly detail: string;
}
