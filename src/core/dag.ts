import type { DagId, SiteName, WorkflowId } from "./names.ts";
import type { NodeRole } from "./roles.ts";

export const DAG_STATUSES = [
  "planning", // its submit directory is being written
  "ready", // written; may be submitted
  "submitted", // the engine has it
  "running", // the engine has begun
  "completed",
  "partial", // ended, some units failed
  "failed", // ended, nothing succeeded, or the engine could not read it
  "removed", // taken out of the queue from outside
  "halted",
  "stopped", // clean stop: may be resumed from its rescue
] as const;
export type DagStatus = (typeof DAG_STATUSES)[number];
export const isInEngine = (status: DagStatus): boolean => status === "submitted" || status === "running";
export const isDagOver = (status: DagStatus): boolean =>
  ["completed", "partial", "failed", "removed", "halted", "stopped"].includes(status);

/** Counts over the inner nodes of a DAG. `queued`: handed to the engine; of them `idle` have no place yet, `held` get none. */
export interface NodeTally {
  readonly total: number;
  readonly waiting: number;
  readonly queued: number;
  readonly idle: number;
  readonly held: number;
  readonly done: number;
  readonly failed: number;
}
export const EMPTY_TALLY: NodeTally = { total: 0, waiting: 0, queued: 0, idle: 0, held: 0, done: 0, failed: 0 };

/** Nodes that something is done for now: their job runs, or is checked. Rows of earlier versions do not say who is idle. */
export const runningNodes = ({ queued, idle = 0, held }: NodeTally): number => Math.max(0, queued - idle - held);

/** Counts over work units. */
export interface UnitTally {
  readonly total: number;
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
}

/**
 * Why a DAG is a rescue. failure: recovery decided it, and it counts against the limit · repair: its run broke off
 * though no job had failed, with a limit of its own · stop: it goes on after a clean stop, or with what a side run freed · operator: a person asked for it · recovery: the request recovers by itself, with a
 * limit of its own · side: failed jobs of its parent that a person has run again while that one goes on.
 */
export const RESCUE_KINDS = ["failure", "repair", "stop", "operator", "recovery", "side"] as const;
export type RescueKind = (typeof RESCUE_KINDS)[number];

/** One submission to the engine. A rescue is a new Dag whose parent is the run it continues. */
export interface Dag {
  readonly id: DagId;
  readonly workflowId: WorkflowId;
  readonly round: number;
  readonly status: DagStatus;
  readonly version: number;
  readonly submitDir: string;
  readonly parentDagId: DagId | null;
  /** null: no rescue. */
  readonly rescueKind: RescueKind | null;
  /** The engine's own id of the run (DAGMan's cluster). */
  readonly engineId: string | null;
  readonly engine: string;
  readonly roleCounts: Readonly<Partial<Record<NodeRole, number>>>;
  readonly nodes: NodeTally;
  readonly units: UnitTally;
  readonly stopRequestedAt: Date | null;
  readonly stopReason: string | null;
  /** How it ended, in the engine's words. */
  readonly endReason: string | null;
  readonly createdAt: Date;
  readonly submittedAt: Date | null;
  readonly endedAt: Date | null;
}

export interface DagEvent {
  readonly dagId: DagId;
  readonly type: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/** An effect on the engine that was decided: stored before it is tried, closed after. */
export interface EngineIntent {
  readonly dagId: DagId;
  readonly kind: "submit" | "stop";
  readonly batchName: string;
  readonly status: "pending" | "settled" | "refused";
  readonly tries: number;
  readonly lastError: string | null;
  readonly createdAt: Date;
  readonly settledAt: Date | null;
}

export interface Site {
  readonly name: SiteName;
  readonly status: "enabled" | "draining" | "disabled";
  readonly cores: number | null;
  readonly memoryMb: number | null;
  readonly drainUntil: Date | null;
  readonly note: string | null;
  /** Who said the status: an operator, whose word stays, or the status source; null: nobody. */
  readonly statusFrom: "operator" | "source" | null;
  /** The storage its jobs read; null: no catalog lists the site. */
  readonly rses: readonly string[] | null;
  /** false: the catalog listed it once and does not any more. */
  readonly isActive: boolean;
  readonly updatedAt: Date;
}

/** Whether new work may go there, bans not counted. */
export const isOpenSite = ({ status, isActive }: Pick<Site, "status" | "isActive">): boolean =>
  status === "enabled" && isActive;

/** A site as the catalog and the status source want it, and in words what that changes. */
export interface SiteSync extends Pick<Site, "name" | "status" | "statusFrom" | "rses" | "isActive"> {
  readonly what: string;
}

/** What became of a sync: a list that is not believed changes nothing. */
export type SiteSyncAnswer =
  | { readonly kind: "no-catalog" }
  | { readonly kind: "refused"; readonly reason: string; readonly warnings: readonly string[] }
  | { readonly kind: "changes"; readonly changes: readonly SiteSync[]; readonly warnings: readonly string[] };

export interface SiteBan {
  readonly id: string;
  readonly site: SiteName;
  /** null: for every workflow. */
  readonly workflowId: WorkflowId | null;
  readonly reason: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly removedAt: Date | null;
  readonly removedBy: string | null;
}

export interface Alert {
  readonly id: string;
  /** One open alert per key: the same trouble counts up instead of repeating itself. */
  readonly key: string;
  readonly severity: "info" | "warning" | "critical";
  readonly subject: string;
  readonly message: string;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly acknowledgedBy: string | null;
  readonly closedAt: Date | null;
}
