import type { Alert, Site } from "../domain/dag.ts";
import type { DagId, NodeName, SiteName, UnitName, WorkflowId } from "../domain/names.ts";
import type {
  AlertDelivery,
  AlertRecord,
  AuditEntry,
  AuditRecord,
  BanAnswer,
  BanRecord,
  NewNodeAction,
  NodeAction,
  NodeReservation,
} from "../domain/operator.ts";
import type { Page } from "./port.ts";

/** The parts of the store that operators and recovery work with; see port.ts for the rest. */

export interface SiteStore {
  list(): Promise<readonly Site[]>;
  get(name: SiteName): Promise<Site | null>;
  /** Adds the sites an engine reports; leaves an operator's status alone. */
  learn(sites: readonly { name: SiteName; cores: number; memoryMb: number }[], at: Date): Promise<void>;
  change(
    name: SiteName,
    change: Partial<Pick<Site, "status" | "drainUntil" | "note">>,
    actor: string,
    at: Date,
  ): Promise<boolean>;
  /**
   * One active ban per site and workflow: a second one extends the first when it would last longer, and else
   * changes nothing. A site nobody has heard of becomes known. `workflowId` null: for every workflow.
   */
  ban(ban: {
    site: SiteName;
    workflowId: WorkflowId | null;
    reason: string;
    evidence: Readonly<Record<string, unknown>>;
    until: Date;
    actor: string;
    at: Date;
  }): Promise<BanAnswer>;
  /** Lifts those that are active and answers how many. null: only the one for every workflow; "all": whatever is. */
  unban(which: { site: SiteName; workflowId: WorkflowId | null | "all" }, actor: string, at: Date): Promise<number>;
  activeBans(at: Date): Promise<readonly BanRecord[]>;
  /**
   * Newest first, those active at `at`; with `includePast` also expired and removed ones. `workflowId` null:
   * those for every workflow; absent: of whatever workflow. At most `limit`; 1000.
   */
  bans(filter: {
    sites?: readonly SiteName[];
    workflowId?: WorkflowId | null;
    includePast?: boolean;
    at: Date;
    limit?: number;
  }): Promise<readonly BanRecord[]>;
  /** How many workflows have an active ban of their own on this site. */
  countActiveWorkflowBans(site: SiteName, at: Date): Promise<number>;
}

export interface AlertStore {
  /** Opens an alert or counts up the open one of the same key. Sinks hear of it when it opens or its severity changes. */
  raise(alert: { key: string; severity: Alert["severity"]; subject: string; message: string; at: Date }): Promise<void>;
  close(key: string, at: Date): Promise<void>;
  open(): Promise<readonly Alert[]>;
  /** null also for what is no id at all. */
  get(id: string): Promise<AlertRecord | null>;
  /** Newest first. `open` true: not closed; false: closed; absent: all. */
  list(filter: { open?: boolean; limit: number; cursor?: string }): Promise<Page<AlertRecord>>;
  /** false: no such alert, or closed, or acknowledged before (by whom stays). */
  acknowledge(id: string, actor: string, at: Date): Promise<boolean>;
  /**
   * What a sink has yet to be told, least often tried first: an alert whose revision is newer than the one it knows.
   * A closed alert is told only to a sink that heard, or was tried to be told, of it while it was open: a new sink
   * does not get the past.
   */
  undelivered(sink: string, limit: number): Promise<readonly AlertDelivery[]>;
  /** The sink took this revision. Never goes back; the alert may have changed again since: then it comes again. */
  delivered(delivery: { id: string; sink: string; revision: number; at: Date }): Promise<void>;
  /** The sink did not take it: counted, and offered again. */
  deliveryFailed(delivery: { id: string; sink: string; error: string; at: Date }): Promise<void>;
}

export interface AuditStore {
  /** Appends. With a `key`, once per key: false when it was noted before. */
  add(entry: AuditEntry & { key?: string }): Promise<boolean>;
  /** Newest first. */
  list(filter: { subject?: string; limit: number; cursor?: string }): Promise<Page<AuditRecord>>;
}

export interface NodeActionStore {
  /**
   * Reserves what becomes of an attempt, atomically: of any number of concurrent calls for the same attempt one
   * is "reserved", the others get the same action back. retry and fail exclude each other for an attempt
   * ("conflict" tells the one that stands); a resubmit is a matter of its own.
   */
  reserve(action: NewNodeAction): Promise<NodeReservation>;
  /** The same for many, each by itself, in bulk; answers in the order given. */
  reserveMany(actions: readonly NewNodeAction[]): Promise<readonly NodeReservation[]>;
  /** Reserved and not yet applied, oldest first; those of one bulk call by unit and node. */
  pending(of: { dagId: DagId } | { workflowId: WorkflowId }): Promise<readonly NodeAction[]>;
  /** How many are pending, for every DAG asked about. */
  pendingCounts(dagIds: readonly DagId[]): Promise<ReadonlyMap<DagId, number>>;
  /** Answers how many were not applied before; the time of the first application stands. */
  markApplied(ids: readonly string[], at: Date): Promise<number>;
  /** Newest first. */
  list(filter: {
    dagId: DagId;
    unit?: UnitName;
    node?: NodeName;
    limit: number;
    cursor?: string;
  }): Promise<Page<NodeAction>>;
}
