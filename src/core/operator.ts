import type { Alert, SiteBan } from "./dag.ts";
import type { DagId, NodeName, SiteName, UnitName } from "./names.ts";

/** active: valid and in use · superseded: the next version is complete · invalidated: withdrawn. */
export const OUTPUT_STATES = ["active", "superseded", "invalidated"] as const;
export type OutputState = (typeof OUTPUT_STATES)[number];

export const WISH_KINDS = [
  "abort",
  "stop",
  "hold",
  "requeue",
  "release",
  "rescue",
  "resubmit",
  "retry",
  "fail",
  "restart",
  "move",
] as const;
export type WishKind = (typeof WISH_KINDS)[number];

export const AUDIT_OUTCOMES = ["done", "already", "refused", "failed"] as const;
type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** Who did what to what, when and why, and what came of it. Never changed afterwards. */
export interface AuditEntry {
  readonly at: Date;
  /** The name of a token, or "wms2". */
  readonly actor: string;
  /** "release", "ban", … */
  readonly action: string;
  /** What it was done to: the name of a request or of a site, "admission", … */
  readonly subject: string;
  readonly reason: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly outcome: AuditOutcome;
}

export interface AuditRecord extends AuditEntry {
  readonly id: string;
}

export interface BanRecord extends SiteBan {
  /** null: nobody noted it. */
  readonly createdBy: string | null;
}

/**
 * extended: an active ban lasts longer now, with the newer reason and evidence · already: an active ban lasts as long
 * or longer, nothing changed.
 */
export interface BanAnswer {
  readonly kind: "banned" | "extended" | "already";
  readonly ban: BanRecord;
}

export const ALERT_CHANGES = ["opened", "severity", "acknowledged", "closed"] as const;
type AlertChange = (typeof ALERT_CHANGES)[number];

export interface AlertRecord extends Alert {
  readonly acknowledgedAt: Date | null;
  /** Grows with every change that people should hear of; counting up is none. */
  readonly revision: number;
  readonly lastChange: AlertChange;
}

/** An alert that a sink has yet to be told of, as it stands now. */
export interface AlertDelivery {
  readonly alert: AlertRecord;
  /** The revision the sink knows; 0: it never heard of the alert. */
  readonly told: number;
  /** Failed tries since the last success. */
  readonly tries: number;
  readonly triedAt: Date | null;
  readonly lastError: string | null;
}

/** retry: run it again · fail: give it up · resubmit: a new epoch with a fresh budget. */
export const NODE_ACTION_KINDS = ["retry", "fail", "resubmit"] as const;
type NodeActionKind = (typeof NODE_ACTION_KINDS)[number];

/** What the next attempt gets instead of what it had; absent: as before. */
export interface NodeChanges {
  readonly memoryMb?: number;
  readonly wallMinutes?: number;
  readonly sites?: readonly SiteName[];
}

/** What is to become of one attempt of one node, and who says so. */
export interface NewNodeAction {
  readonly dagId: DagId;
  readonly unit: UnitName;
  readonly node: NodeName;
  readonly kind: NodeActionKind;
  /** The attempt it answers: its cluster or its rrn, the same one for all who may answer it. */
  readonly attempt: number;
  /** For a resubmit the new one, else the present one. */
  readonly epoch: number;
  readonly actor: string;
  readonly reason: string;
  readonly changes: NodeChanges;
  readonly createdAt: Date;
}

export interface NodeAction extends NewNodeAction {
  readonly id: string;
  /** null: the engine side has yet to be told. */
  readonly appliedAt: Date | null;
}

/**
 * already: the same was reserved before, this is what it was · conflict: the opposite was reserved for this attempt,
 * retry against fail.
 */
export interface NodeReservation {
  readonly kind: "reserved" | "already" | "conflict";
  readonly action: NodeAction;
}
