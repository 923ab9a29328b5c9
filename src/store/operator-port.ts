import type { Alert, Site, SiteSync } from "../core/dag.ts";
import type { DagId, NodeName, SiteName, UnitName, WorkflowId } from "../core/names.ts";
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
} from "../core/operator.ts";
import type { RememberAnswer, RememberedRule } from "../core/rule.ts";
import type { Page, PageWanted } from "./page.ts";

/** The parts of the store (see port.ts) that are about what people do and hear. */
export interface NewBan extends Pick<BanRecord, "site" | "workflowId" | "reason" | "evidence"> {
  readonly until: Date;
  readonly actor: string;
  readonly at: Date;
}

export interface SiteStore {
  /** By name. */
  list(): Promise<readonly Site[]>;
  get(name: SiteName): Promise<Site | null>;
  /** Adds the sites an engine reports; leaves an operator's status alone. */
  learn(learned: readonly { name: SiteName; cores: number; memoryMb: number }[], at: Date): Promise<void>;
  change(
    name: SiteName,
    change: Partial<Pick<Site, "status" | "drainUntil" | "note">>,
    actor: string,
    at: Date,
  ): Promise<boolean>;
  /** What the catalog says of sites; an operator's status stays. */
  sync(changes: readonly SiteSync[], at: Date): Promise<void>;
  /**
   * One active ban per site and workflow: a second one extends the first when it would last longer, and else
   * changes nothing. A site nobody has heard of becomes known. `workflowId` null: for every workflow.
   */
  ban(ban: NewBan): Promise<BanAnswer>;
  /** Lifts those that are active and answers how many. null: only the one for every workflow; "all": whatever is. */
  unban(which: { site: SiteName; workflowId: WorkflowId | null | "all" }, actor: string, at: Date): Promise<number>;
  activeBans(at: Date): Promise<readonly BanRecord[]>;
  /** Of these sites (absent: of all) those active at `at`; with `includePast` also expired and removed ones. At most 1000. */
  bans(which: { sites?: readonly SiteName[]; includePast?: boolean; at: Date }): Promise<readonly BanRecord[]>;
}

/** Failures classified for the runs to come. */
export interface RuleStore {
  /** Oldest first. */
  list(): Promise<readonly RememberedRule[]>;
  /** Of any number who remember the same, one makes the row. null: it was withdrawn at the same moment. */
  remember(rule: RememberedRule): Promise<RememberAnswer | null>;
  /** null: there is none of that id. */
  forget(id: string): Promise<RememberedRule | null>;
}

export interface OpenAlerts {
  readonly open: number;
  /** That a request is held. */
  readonly ofHeld: number;
  readonly critical: number;
}

export interface AlertStore {
  /** Opens an alert or counts up the open one of the same key. Sinks hear of it when it opens or its severity changes. */
  raise(alert: Pick<Alert, "key" | "severity" | "subject" | "message"> & { at: Date }): Promise<void>;
  close(key: string, at: Date): Promise<void>;
  open(): Promise<readonly Alert[]>;
  /** null also for what is no id at all. */
  get(id: string): Promise<AlertRecord | null>;
  /** `open` true: not closed; false: closed; absent: all. */
  list(page: PageWanted & { open?: boolean }): Promise<Page<AlertRecord>>;
  /** All that are open, whatever page somebody looks at. */
  countOpen(): Promise<OpenAlerts>;
  /** false: no such alert, or closed, or acknowledged before (by whom stays). */
  acknowledge(id: string, actor: string, at: Date): Promise<boolean>;
  /**
   * What a sink has yet to be told, least often tried first: an alert whose revision is newer than the one it knows.
   * A closed alert only when the sink heard, or was tried to be told, of it while it was open.
   */
  undelivered(sink: string, limit: number): Promise<readonly AlertDelivery[]>;
  /** The sink took this revision. Never goes back; the alert may have changed again since: then it comes again. */
  delivered(delivery: { id: string; sink: string; revision: number; at: Date }): Promise<void>;
  /** The sink did not take it: counted, and offered again. */
  deliveryFailed(delivery: { id: string; sink: string; error: string; at: Date }): Promise<void>;
}

/** What was done, by whom and why. Only ever added to. */
export interface AuditStore {
  /** With a `key`, once per key: false when it was noted before. */
  add(entry: AuditEntry & { key?: string }): Promise<boolean>;
  list(page: PageWanted & { subject?: string }): Promise<Page<AuditRecord>>;
}

export interface NodeActionStore {
  /**
   * Reserves what becomes of attempts, each by itself and atomically: of any number of concurrent calls for the same
   * attempt one is "reserved", the others get the same action back. retry and fail exclude each other for an attempt
   * ("conflict" tells the one that stands); a resubmit is a matter of its own. Answers in the order given.
   */
  reserveMany(actions: readonly NewNodeAction[]): Promise<readonly NodeReservation[]>;
  /** Of a workflow, oldest first; those of one bulk call by unit and node. */
  ofWorkflow(workflowId: WorkflowId): Promise<readonly NodeAction[]>;
  /** Answers how many were not applied before; the time of the first application stands. */
  markApplied(ids: readonly string[], at: Date): Promise<number>;
  /** Of a DAG, or of one node of it. */
  list(dagId: DagId, unit?: UnitName, node?: NodeName): Promise<readonly NodeAction[]>;
}
