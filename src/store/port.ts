import type { Dag, DagEvent, DagStatus, EngineIntent, NodeTally, UnitTally } from "../domain/dag.ts";
import type { DagId, RequestName, UnitName, WorkflowId } from "../domain/names.ts";
import type {
  BlockRecord,
  DagRecord,
  OutputState,
  ReleaseModifications,
  RescueKind,
  WorkflowRecord,
} from "../domain/operator.ts";
import type {
  HoldReason,
  PassError,
  ProductionStep,
  RequestFile,
  RequestRecord,
  RequestSpec,
  RequestWish,
  Transition,
} from "../domain/request.ts";
import type { RequestStatus } from "../domain/request-status.ts";
import type { FileState, FinishedUnit, InputFile, LedgerFile, OutputFile, Workflow } from "../domain/workflow.ts";
import type { AlertStore, AuditStore, NodeActionStore, SiteStore } from "./port-operators.ts";

export type { AlertStore, AuditStore, NodeActionStore, SiteStore } from "./port-operators.ts";

/**
 * Everything that outlives the process. SQL in, domain values out. Changes of state are compare-and-set:
 * they say which version they saw, and get `false` when it moved on. Any call may throw
 * WorldError("store-unreachable").
 */
export interface Store {
  readonly requests: RequestStore;
  readonly workflows: WorkflowStore;
  readonly dags: DagStore;
  readonly units: UnitStore;
  readonly files: FileStore;
  readonly sites: SiteStore;
  readonly alerts: AlertStore;
  readonly audit: AuditStore;
  readonly nodeActions: NodeActionStore;
  readonly intents: IntentStore;
  readonly settings: SettingStore;
  /** All or nothing. Nested calls join the outer one. */
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface RequestChange {
  readonly status?: RequestStatus;
  readonly priority?: number;
  readonly urgent?: boolean;
  readonly productionSteps?: readonly ProductionStep[];
  readonly hold?: HoldReason | null;
  readonly wish?: RequestWish | null;
  readonly supersededBy?: RequestName | null;
  readonly modifications?: ReleaseModifications | null;
  readonly rescuesUsed?: number;
  readonly outputState?: OutputState;
}

export interface RequestFilter {
  readonly status?: readonly RequestStatus[];
  readonly requestor?: string;
  readonly campaign?: string;
  readonly nameContains?: string;
  readonly limit: number;
  /** Opaque: where the page before ended. */
  readonly cursor?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export interface RequestStore {
  /** false: the name is taken. Stores the first transition too. */
  create(
    spec: RequestSpec,
    status: RequestStatus,
    files: readonly RequestFile[],
    actor: string,
    at: Date,
  ): Promise<boolean>;
  get(name: RequestName): Promise<RequestRecord | null>;
  files(name: RequestName): Promise<readonly RequestFile[]>;
  /** Newest first. */
  list(filter: RequestFilter): Promise<Page<RequestRecord>>;
  /**
   * As `list`, only the names: what a bulk action walks. The place in the list does not depend on the status, so
   * requests may change between two pages without any being left out or met twice.
   */
  names(filter: RequestFilter): Promise<Page<RequestName>>;
  /** All versions of a request (itself, those before, those after), oldest first. Empty: no such request. */
  versions(name: RequestName): Promise<readonly RequestRecord[]>;
  /** All that are not over, without paging: what a pass walks. */
  open(): Promise<readonly RequestRecord[]>;
  countByStatus(): Promise<Readonly<Partial<Record<RequestStatus, number>>>>;
  /** Compare-and-set on version. A change of status must be legal and leaves a transition row. */
  change(
    name: RequestName,
    version: number,
    change: RequestChange,
    why: { reason: string; actor: string; at: Date },
  ): Promise<boolean>;
  /** What the loop last said of it. Does not touch the version: it is a remark, not a change. */
  remark(name: RequestName, remark: { error?: PassError | null; waiting?: string | null }): Promise<void>;
  transitions(name: RequestName): Promise<readonly Transition[]>;
}

export interface WorkflowStore {
  /** Nothing is abandoned unless it says so. */
  create(workflow: Workflow & Partial<WorkflowRecord>): Promise<void>;
  get(id: WorkflowId): Promise<WorkflowRecord | null>;
  forRequest(name: RequestName): Promise<WorkflowRecord | null>;
  /** Of many requests in one query; those without a workflow are not in the answer. */
  forRequests(names: readonly RequestName[]): Promise<ReadonlyMap<RequestName, WorkflowRecord>>;
  list(page: { limit: number; cursor?: string }): Promise<Page<WorkflowRecord>>;
  /** Compare-and-set on version. */
  change(
    id: WorkflowId,
    version: number,
    change: Partial<Omit<WorkflowRecord, "id" | "requestName" | "version" | "createdAt">>,
  ): Promise<boolean>;
  countByStatus(): Promise<Readonly<Record<string, number>>>;
}

export interface DagStore {
  /** No rescue unless it says which kind. */
  create(dag: Dag & Partial<DagRecord>): Promise<void>;
  get(id: DagId): Promise<DagRecord | null>;
  /** Many in one query; those that do not exist are not in the answer. */
  getMany(ids: readonly DagId[]): Promise<ReadonlyMap<DagId, DagRecord>>;
  /** How many rescues of a kind a round has had. */
  countRescues(workflowId: WorkflowId, round: number, kind: RescueKind): Promise<number>;
  list(filter: {
    workflowId?: WorkflowId;
    status?: readonly DagStatus[];
    limit: number;
    cursor?: string;
  }): Promise<Page<DagRecord>>;
  /** Those an engine may have: planning, ready, submitted, running. */
  open(): Promise<readonly DagRecord[]>;
  /** Compare-and-set on version; a change of status leaves a history row. */
  change(
    id: DagId,
    version: number,
    change: Partial<
      Pick<Dag, "status" | "engineId" | "stopRequestedAt" | "stopReason" | "endReason" | "submittedAt" | "endedAt">
    >,
    why: { reason: string; at: Date },
  ): Promise<boolean>;
  /** Progress counters: last writer wins, no version. Writes nothing when nothing differs. */
  progress(id: DagId, nodes: NodeTally, units: UnitTally): Promise<void>;
  history(id: DagId): Promise<readonly DagEvent[]>;
  addEvent(event: DagEvent): Promise<void>;
}

export interface UnitStore {
  /**
   * Records finished units as owed, once each: a unit that has a row already is left alone. In the same
   * statement batch: the block's and workflow's counters, and the input files of the unit → processed. One that
   * was abandoned and finished after all is taken back, and its block with it. Answers how many were new.
   */
  recordFinished(units: readonly FinishedUnit[]): Promise<number>;
  /** Which of a workflow's units have a row. */
  finishedNames(workflowId: WorkflowId): Promise<ReadonlySet<UnitName>>;
  owed(workflowId: WorkflowId, limit: number): Promise<readonly FinishedUnit[]>;
  /** How many units are owed, for every workflow asked about. */
  owedCounts(workflowIds: readonly WorkflowId[]): Promise<ReadonlyMap<WorkflowId, number>>;
  countByStatus(workflowId: WorkflowId): Promise<Readonly<Record<FinishedUnit["status"], number>>>;
  /** owed → registered; false when it was not owed any more. Closes the block when it was its last. */
  markRegistered(workflowId: WorkflowId, unit: UnitName, at: Date): Promise<boolean>;
  registrationFailed(workflowId: WorkflowId, unit: UnitName, words: string): Promise<void>;
  outputs(
    workflowId: WorkflowId,
    page: { limit: number; cursor?: string },
  ): Promise<Page<OutputFile & { unit: UnitName; status: FinishedUnit["status"] }>>;
  list(workflowId: WorkflowId): Promise<readonly FinishedUnit[]>;
  createBlocks(
    workflowId: WorkflowId,
    blocks: readonly { index: number; dataset: string; units: number }[],
    at: Date,
  ): Promise<void>;
  blocks(workflowId: WorkflowId): Promise<readonly BlockRecord[]>;
  /**
   * Units that will never come, so that their blocks can close: a block is complete when those registered and those
   * abandoned make up its total (with nothing in it, when all were abandoned: see unitsDone). Once each; a unit
   * that has finished is left alone. Answers how many were new.
   */
  abandonUnits(workflowId: WorkflowId, units: readonly { name: UnitName; block: number }[], at: Date): Promise<number>;
  /**
   * owed and registered → invalidated; a block of which nothing valid is left becomes invalidated too. The rows
   * stay: an invalidated unit is never run again. Answers how many were valid before.
   */
  invalidate(workflowId: WorkflowId, units: readonly UnitName[] | "all", reason: string, at: Date): Promise<number>;
  invalidated(workflowId: WorkflowId): Promise<readonly { unit: UnitName; block: number; reason: string; at: Date }[]>;
  /** complete → archived; false when it was not complete. */
  archiveBlock(workflowId: WorkflowId, index: number, at: Date): Promise<boolean>;
  /** open → failed, all of a workflow: nothing will come any more. Answers how many were open. */
  failBlocks(workflowId: WorkflowId, at: Date): Promise<number>;
  blockCountByStatus(): Promise<Readonly<Record<string, number>>>;
}

export interface FileStore {
  /** Adds files the ledger does not know (fresh) and refreshes size, events, sites of those it does. */
  sync(workflowId: WorkflowId, files: readonly InputFile[]): Promise<{ added: number; gone: readonly string[] }>;
  /** Those still to be done: fresh first, then attempted, by LFN. */
  remaining(workflowId: WorkflowId): Promise<readonly LedgerFile[]>;
  /** Which units a file was planned into (one call per round, in bulk). */
  assign(workflowId: WorkflowId, assignments: readonly { lfn: string; unit: UnitName }[]): Promise<void>;
  setState(workflowId: WorkflowId, lfns: readonly string[], state: FileState, reason: string | null): Promise<void>;
  countByState(workflowId: WorkflowId): Promise<Readonly<Record<FileState, number>>>;
}

export interface IntentStore {
  /** Stores the intent, or returns the one that is there for this dag and kind. */
  begin(intent: { dagId: DagId; kind: EngineIntent["kind"]; batchName: string; at: Date }): Promise<EngineIntent>;
  tried(dagId: DagId, kind: EngineIntent["kind"], error: string | null): Promise<void>;
  settle(dagId: DagId, kind: EngineIntent["kind"], status: "settled" | "refused", at: Date): Promise<void>;
  get(dagId: DagId, kind: EngineIntent["kind"]): Promise<EngineIntent | null>;
  /** Of many DAGs in one query; those without one are not in the answer. */
  getMany(dagIds: readonly DagId[], kind: EngineIntent["kind"]): Promise<ReadonlyMap<DagId, EngineIntent>>;
}

export interface SettingStore {
  get<T>(key: string): Promise<T | null>;
  set(key: string, value: unknown, actor: string, at: Date): Promise<void>;
  /** One of several servers holds the lease: true when `owner` has it until `until`. */
  takeLease(name: string, owner: string, now: Date, until: Date): Promise<boolean>;
  dropLease(name: string, owner: string): Promise<void>;
  lease(name: string): Promise<{ owner: string; until: Date } | null>;
  /** SHA-256 of operator tokens; the tokens themselves are never stored. */
  addToken(token: { sha256: string; name: string; at: Date }): Promise<void>;
  findToken(sha256: string): Promise<{ name: string } | null>;
}
