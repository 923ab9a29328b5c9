import type { Dag, DagEvent, DagStatus, EngineIntent, NodeTally, RescueKind, UnitTally } from "../core/dag.ts";
import type { Metrics } from "../core/metrics.ts";
import type { DagId, RequestName, UnitName, WorkflowId } from "../core/names.ts";
import type { RequestFile, RequestRecord, RequestSpec, Transition } from "../core/request.ts";
import type { RequestStatus } from "../core/request-status.ts";
import type {
  Block,
  FileChanges,
  FileState,
  FinishedUnit,
  InputFile,
  JobProof,
  LedgerFile,
  MeasuredUnit,
  OutputFile,
  PlacedFile,
  UnitStatus,
  Workflow,
} from "../core/workflow.ts";

import type { DeskStore, RequestFilter } from "./desk-port.ts";
import type { ImportStore } from "./import-port.ts";
import type { AlertStore, AuditStore, NodeActionStore, RuleStore, SiteStore } from "./operator-port.ts";
import type { OutputBlockStore } from "./output-port.ts";
import type { Page, PageWanted } from "./page.ts";
import type { SegmentNodeStore } from "./segment-port.ts";

export * from "./desk-port.ts";
export type { StepTaken } from "./output-port.ts";
export type { Page } from "./page.ts";
export { decodeSpec, encodeSpec } from "./spec-json.ts";

/**
 * Everything that outlives the process. SQL in, domain values out. Changes of state are compare-and-set: they say which
 * version they saw, and get `false` when it moved on. Any call may throw WorldError("store-unreachable"). Lists are
 * newest first unless they say otherwise; where many are asked for in one query, those that are not there are not in the answer.
 */
export interface Store {
  readonly requests: RequestStore;
  readonly workflows: WorkflowStore;
  readonly dags: DagStore;
  readonly units: UnitStore;
  readonly outputs: OutputBlockStore;
  readonly files: FileStore;
  readonly sites: SiteStore;
  readonly alerts: AlertStore;
  readonly audit: AuditStore;
  readonly nodeActions: NodeActionStore;
  readonly intents: IntentStore;
  readonly imports: ImportStore;
  readonly rules: RuleStore;
  readonly segmentNodes: SegmentNodeStore;
  readonly settings: SettingStore;
  readonly desk: DeskStore;
  /** All or nothing. Nested calls join the outer one. */
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

type Counts<Key extends string = string> = Promise<Readonly<Record<Key, number>>>;

/** What may be changed of a request; its spec never is, and its error and waiting are remarks. */
export type RequestChange = Partial<
  Omit<RequestRecord, "spec" | "version" | "error" | "waiting" | "createdAt" | "updatedAt" | "statusSince">
>;
interface Why {
  readonly reason: string;
  readonly actor: string;
  readonly at: Date;
}

export interface RequestStore {
  /** false: the name is taken. Leaves the first transition too. */
  create(
    spec: RequestSpec,
    status: RequestStatus,
    files: readonly RequestFile[],
    actor: string,
    at: Date,
  ): Promise<boolean>;
  /** The spec and the files of a draft (status new), instead of those it had; false: there is no such draft. */
  replaceDraft(spec: RequestSpec, files: readonly RequestFile[], at: Date): Promise<boolean>;
  get(name: RequestName): Promise<RequestRecord | null>;
  files(name: RequestName): Promise<readonly RequestFile[]>;
  /** The document as it was submitted; null: it was not kept. */
  document(name: RequestName): Promise<string | null>;
  keepDocument(name: RequestName, document: string): Promise<void>;
  /** Instead of those it had. */
  replaceFiles(name: RequestName, files: readonly RequestFile[]): Promise<void>;
  list(filter: RequestFilter): Promise<Page<RequestRecord>>;
  /**
   * As `list`, only the names: what a bulk action walks. The place in the list does not depend on the status, so
   * requests may change between two pages without any being left out or met twice.
   */
  names(filter: RequestFilter): Promise<Page<RequestName>>;
  /** All versions of a request (itself, those before, those after), oldest first. Empty: no such request. */
  versions(name: RequestName): Promise<readonly RequestRecord[]>;
  /** All that are not over, oldest first, without paging: what a pass walks. Most of them may be queued. */
  open(which?: "all" | "but-queued"): Promise<readonly RequestRecord[]>;
  countByStatus(): Promise<Readonly<Partial<Record<RequestStatus, number>>>>;
  /**
   * Those that are queued and have nothing to do until they look again: they take no place in the queue. Whoever was asked for
   * something looks now.
   */
  resting(at: Date): Promise<ReadonlySet<RequestName>>;
  /** Open requests by what they wait for. */
  countByWait(): Counts;
  /** Compare-and-set on version. A change of status must be legal and leaves a transition row. */
  change(name: RequestName, version: number, change: RequestChange, why: Why): Promise<boolean>;
  /** What the loop last said of it. Does not touch the version: it is a remark, not a change. */
  remark(name: RequestName, remark: Partial<Pick<RequestRecord, "error" | "waiting">>): Promise<void>;
  transitions(name: RequestName): Promise<readonly Transition[]>;
}

export interface WorkflowStore {
  create(workflow: Workflow): Promise<void>;
  get(id: WorkflowId): Promise<Workflow | null>;
  forRequest(name: RequestName): Promise<Workflow | null>;
  forRequests(names: readonly RequestName[]): Promise<ReadonlyMap<RequestName, Workflow>>;
  list(page: PageWanted): Promise<Page<Workflow>>;
  /** Compare-and-set on version. */
  change(
    id: WorkflowId,
    version: number,
    change: Partial<Omit<Workflow, "id" | "requestName" | "version" | "createdAt">>,
  ): Promise<boolean>;
  /** Runs that are remembered as that engine's, of open requests and old ones. */
  runsOf(engine: string): Promise<readonly { workflowId: WorkflowId; dagId: DagId; submitDir: string }[]>;
  /** The same engine under another name, for these workflows and all their runs. */
  renameEngine(ids: readonly WorkflowId[], from: string, to: string): Promise<void>;
  countByStatus(): Counts;
}

export interface DagStore {
  create(dag: Dag): Promise<void>;
  get(id: DagId): Promise<Dag | null>;
  getMany(ids: readonly DagId[]): Promise<ReadonlyMap<DagId, Dag>>;
  /** How many rescues of a kind a round has had. */
  countRescues(workflowId: WorkflowId, round: number, kind: RescueKind): Promise<number>;
  ofWorkflow(workflowId: WorkflowId): Promise<readonly Dag[]>;
  /** The side runs of these runs, over or not, oldest first. */
  sidesOf(ids: readonly DagId[]): Promise<readonly Dag[]>;
  list(page: PageWanted & { workflowId?: WorkflowId; status?: readonly DagStatus[] }): Promise<Page<Dag>>;
  /** Those an engine may have: planning, ready, submitted, running. */
  open(): Promise<readonly Dag[]>;
  countOpen(): Promise<number>;
  /** Compare-and-set on version; a change of status leaves a history row. */
  change(
    id: DagId,
    version: number,
    change: Partial<
      Pick<Dag, "status" | "engineId" | "stopRequestedAt" | "stopReason" | "endReason" | "submittedAt" | "endedAt">
    >,
    why: Omit<Why, "actor">,
  ): Promise<boolean>;
  /**
   * A ticket to submit it with, newer than all before; null: it moved on since it was seen. Taking one is a change of its
   * version, so nobody ends the DAG behind the back of a submission. By the database's clock: a later run of the same
   * directory has the higher ticket, also in a database that was restored from a backup.
   */
  takeTicket(dag: Pick<Dag, "id" | "version">): Promise<number | null>;
  /** Progress counters: last writer wins, no version. Writes nothing when nothing differs. */
  progress(id: DagId, nodes: NodeTally, units: UnitTally): Promise<void>;
  /** What planning had to tell of a round: what it raised or lowered, and what nobody knows. */
  planWarnings(workflow: Pick<Workflow, "id" | "round">): Promise<readonly string[]>;
  /** Oldest first. */
  history(id: DagId): Promise<readonly DagEvent[]>;
  addEvent(event: DagEvent): Promise<void>;
}

/** A block is open until each of its units is registered, invalidated or abandoned. */
export interface BlockStore {
  /**
   * A round planned again after a crash may cut its blocks differently: the later plan stands, as long as nothing of
   * that block has finished.
   */
  createBlocks(
    workflowId: WorkflowId,
    blocks: readonly { index: number; dataset: string; units: number }[],
    at: Date,
  ): Promise<void>;
  blocks(workflowId: WorkflowId): Promise<readonly Block[]>;
  blockCountByStatus(): Counts;
  /** Units that were planned and are neither finished nor abandoned. */
  unaccounted(workflowId: WorkflowId): Promise<number>;
  /** Of a plan that nothing was done of: its blocks from this one on are forgotten. */
  dropBlocks(workflowId: WorkflowId, from: number): Promise<void>;
  /** Those that will never come, by name. */
  abandonedNames(workflowId: WorkflowId): Promise<ReadonlySet<UnitName>>;
  /**
   * Units that will never come, so that their blocks can close: a block is complete when those registered and those
   * abandoned make up its total. Once each; a unit that has finished is left alone. Answers how many were new.
   */
  abandonUnits(workflowId: WorkflowId, units: readonly { name: UnitName; block: number }[], at: Date): Promise<number>;
  /**
   * owed and registered → invalidated; a block of which nothing valid is left becomes invalidated too. The rows
   * stay: an invalidated unit is never run again. Answers how many were valid before.
   */
  invalidate(workflowId: WorkflowId, units: readonly UnitName[] | "all", reason: string, at: Date): Promise<number>;
  /** open → failed, all of a workflow: nothing will come any more. Answers how many were open. */
  failBlocks(workflowId: WorkflowId, at: Date): Promise<number>;
}

export interface UnitStore extends BlockStore {
  /**
   * Records finished units and what they owe, once each, together with the block's and workflow's counters and the input
   * files of the unit → processed. One that was abandoned and finished after all is taken back, and its block with it. Answers
   * how many were new.
   */
  recordFinished(finished: readonly MeasuredUnit[]): Promise<number>;
  /** What the jobs of finished units showed, of at most so many units of each round, spread evenly over it. */
  measured(
    workflowId: WorkflowId,
    perRound: number,
  ): Promise<readonly { readonly round: number; readonly metrics: Metrics; readonly finishedAt: Date }[]>;
  /** What finished jobs of a graph were made of, some at a time, by name. Those that nobody could tell of are left out. */
  proofs(
    workflowId: WorkflowId,
  ): AsyncIterable<readonly { readonly unit: UnitName; readonly dagId: DagId; readonly proof: JobProof }[]>;
  /** Which of a workflow's units have a row. */
  finishedNames(workflowId: WorkflowId): Promise<ReadonlySet<UnitName>>;
  countByStatus(workflowId: WorkflowId): Counts<UnitStatus>;
  outputs(
    workflowId: WorkflowId,
    page: PageWanted,
  ): Promise<Page<OutputFile & { readonly unit: UnitName; readonly status: UnitStatus }>>;
  list(workflowId: WorkflowId): Promise<readonly FinishedUnit[]>;
}

export interface FileStore {
  /**
   * Adds files the ledger does not know (fresh) and refreshes size, events, sites of those it does. All or nothing: what
   * reading the pages throws is thrown, and the ledger is as before.
   */
  sync(workflowId: WorkflowId, pages: AsyncIterable<readonly InputFile[]>): Promise<FileChanges>;
  /** Those still to be done: fresh first, then attempted, by LFN. Without `lumis`, of runs only their numbers. */
  remaining(workflowId: WorkflowId, wanted: { lumis: boolean }): AsyncIterable<readonly LedgerFile[]>;
  /** Those still to be done that are planned into units, by LFN. */
  placed(workflowId: WorkflowId): Promise<readonly PlacedFile[]>;
  /** How many still to be done are in no unit yet. */
  countWaiting(workflowId: WorkflowId): Promise<number>;
  /** Of these, those still to be done. */
  stillOpen(workflowId: WorkflowId, lfns: readonly string[]): Promise<ReadonlySet<string>>;
  /** Which units a file was planned into: one call per round, in bulk. */
  assign(workflowId: WorkflowId, assignments: readonly { lfn: string; unit: UnitName }[]): Promise<void>;
  setState(workflowId: WorkflowId, lfns: readonly string[], state: FileState, reason: string | null): Promise<void>;
  /** Those that are excluded for any other reason than that the request does not ask for them. */
  countLeftOut(workflowId: WorkflowId, notWanted: string | null): Promise<number>;
  /** Files that are left out, and why: the first by name. */
  excluded(
    workflowId: WorkflowId,
    limit: number,
  ): Promise<readonly { readonly file: string; readonly reason: string }[]>;
  countByState(workflowId: WorkflowId): Counts<FileState>;
}

type IntentKind = EngineIntent["kind"];
export interface IntentStore {
  getMany(dagIds: readonly DagId[], kind: IntentKind): Promise<ReadonlyMap<DagId, EngineIntent>>;
  /** One that is there for this DAG and kind stands, but for one that was refused: it begins again. */
  begin(dagId: DagId, kind: IntentKind, batchName: string, at: Date): Promise<void>;
  tried(dagId: DagId, kind: IntentKind, error: string | null): Promise<void>;
  /** The first answer stands: an intent that is closed stays so. */
  close(dagId: DagId, kind: IntentKind, status: "settled" | "refused", at: Date): Promise<void>;
}

export interface OperatorToken {
  readonly sha256: string;
  readonly name: string;
  readonly createdAt: Date;
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
  listTokens(): Promise<readonly OperatorToken[]>;
  /** false: it was not there, or it is the last one, without which nobody could change anything. */
  removeToken(sha256: string): Promise<boolean>;
  findToken(sha256: string): Promise<{ name: string } | null>;
  /** A browser that signed in with a token; those that ran out go. */
  addSession(session: { sha256: string; tokenSha256: string; at: Date; until: Date }): Promise<void>;
  /** `latest`: no session that begins now ends later. */
  findSession(sha256: string, at: Date, latest: Date): Promise<{ name: string; until: Date } | null>;
  removeSession(sha256: string): Promise<boolean>;
}
