import type { AdmissionLimits, Queue } from "../../core/admission.ts";
import type { Result } from "../../core/base/result.ts";
import type { SiteSyncAnswer } from "../../core/dag.ts";
import type { DagId, RequestName, SiteName } from "../../core/names.ts";
import type { AlertRecord, NewNodeAction, NodeAction, NodeChanges } from "../../core/operator.ts";
import type { Problem } from "../../core/problem.ts";
import type { Draft, RequestRecord, RequestSpec } from "../../core/request.ts";
import type { RerunWish } from "../../loop/rerun-wish.ts";
import type { PlanDescription } from "../../planning/describe.ts";
import type { ErrorsView } from "../../recovery/explain/errors-view.ts";
import type { AttemptRecord, EpochRecord, ScriptRecord } from "../../recovery/ledger-record.ts";
import type { OperatorAction } from "../../recovery/round/actions.ts";
import type { Effect } from "../../recovery/round/effect.ts";
import type { RequestFilter } from "../../store/port.ts";
import type { BlockCommands } from "./block-port.ts";
import type { DeskCommands } from "./desk-port.ts";
import type { FillCommands } from "./fill-port.ts";
import type { FreppCommands } from "./frepp-port.ts";
import type { PolicyCommands } from "./policy-question.ts";
import type { RecoveryCommands } from "./recovery-port.ts";
import type { ReplayCommands } from "./replay.ts";
import type { ResultCommands } from "./result-port.ts";
import type { RunCommands } from "./run-port.ts";
import type { BanSiteAnswer, BanWanted, ChangeSiteAnswer, SiteWanted, UnbanSiteAnswer } from "./site-port.ts";

export type { LoopStatus } from "../../loop/loop.ts";
export { actionCommand } from "../../recovery/explain/advise.ts";
export { describeErrors } from "../../recovery/explain/describe-errors.ts";
export { type Estimate, estimateEnd, PACE_WINDOWS_MS } from "../../recovery/explain/estimate-end.ts";
export { estimateStarts } from "../../recovery/explain/estimate-start.ts";
export {
  type MoreLines,
  OPEN_ALERTS,
  type OpenMatter,
  shiftReportText,
  shiftSentence,
} from "../../recovery/explain/shift-report.ts";
export { normaliseLine } from "../../recovery/likeness.ts";
export {
  ACTION,
  OPERATOR_ACTIONS,
  type OperatorAction,
  offeredActions,
  thenOf,
} from "../../recovery/round/actions.ts";
export type { Cause, Choice, UnitMap, UnitPaint } from "./desk-port.ts";
export type { RunAnswer } from "./run-port.ts";
export type { Effect };

/**
 * What people and programs may ask. A command checks, stores a wish or a change, nudges the loop and returns; the loop
 * does the work. null: there is no such request, site, …
 */
export interface Commands
  extends BlockCommands,
    DeskCommands,
    FreppCommands,
    FillCommands,
    PolicyCommands,
    ReplayCommands,
    RecoveryCommands,
    RunCommands,
    ResultCommands {
  /** Nothing is stored for a bad document. */
  submit(document: Document, actor: string, signal?: AbortSignal): Promise<SubmitAnswer>;
  /** Which problems would it have? Stores nothing. */
  check(document: Document, actor: string, signal?: AbortSignal): Promise<SubmitAnswer>;
  /** As it was submitted, under the name it has; `text` null: it was not kept. */
  document(name: RequestName): Promise<{ readonly text: string | null } | null>;
  /** What its first round would be, as things are now. */
  preview(name: RequestName, signal?: AbortSignal): Promise<PlanPreview | null>;
  reprioritise(
    name: RequestName,
    wanted: { priority?: number; urgent?: boolean; reason?: string },
    by: By & Seen,
  ): Promise<ChangeAnswer>;
  /** `from`: release, restart: the request as it should have been, as a person wrote it. */
  act(name: RequestName, wanted: OperatorRequest & { from?: string }, by: By & Seen): Promise<ActAnswer>;
  /** The same for many, one after another; each has its own answer, and one that is refused stops no other. */
  actMany(which: ManyRequests, wanted: OperatorRequest, by: By): Promise<ManyAnswer>;
  /** Reserves one more attempt of a failed node, within the budgets it has. */
  retryNode(dagId: DagId, wanted: RetryWanted, by: By): Promise<RetryAnswer>;
  attempts(name: RequestName, filter: AttemptFilter): Promise<AttemptPage | null>;
  /** What failed in the present round, with the ends of the logs that show it best. */
  errors(name: RequestName): Promise<ErrorsView | null>;
  banSite(site: SiteName, wanted: BanWanted, by: By): Promise<BanSiteAnswer>;
  /** `all`: bans of single workflows too. */
  unbanSite(
    site: SiteName,
    wanted: { readonly request: RequestName | null; readonly all: boolean; readonly reason: string },
    by: By,
  ): Promise<UnbanSiteAnswer>;
  changeSite(name: SiteName, wanted: SiteWanted, by: By): Promise<ChangeSiteAnswer>;
  /** Throws WorldError("catalog-unreachable"). */
  syncSites(by: By): Promise<SiteSyncAnswer>;
  /** The engine pauses the run, or lets it go on; the request does not move. */
  changeDag(
    dagId: DagId,
    verb: "hold" | "release",
    reason: string,
    by: By,
  ): Promise<
    | { readonly kind: "done" | "would"; readonly message: string }
    | { readonly kind: "unknown-dag" }
    | { readonly kind: "not-allowed"; readonly reason: string }
  >;
  acknowledge(
    id: string,
    reason: string,
    actor: string,
  ): Promise<
    { readonly kind: "acknowledged" | "already" | "closed"; readonly alert: AlertRecord } | { readonly kind: "unknown" }
  >;
  setAdmission(limits: Partial<AdmissionLimits>, actor: string): Promise<AdmissionLimits>;
  queue(): Promise<Queue>;
}

/** Who asks: the name of a token. A dry run does all of the checking and none of the storing. */
export interface By {
  readonly actor: string;
  readonly dryRun: boolean;
}
/** Who asks, and which version they looked at (If-Match); null: whatever it is now. */
export interface Seen {
  readonly actor: string;
  readonly version: number | null;
}

/** As a person wrote it. `isDraft`: it is only kept, in place of the draft of that name, until it is submitted. */
export interface Document {
  readonly text: string;
  readonly format: "json" | "yaml";
  readonly isDraft?: boolean;
  /** A request of its name may be there: somebody wants to see the difference. */
  readonly isCompared?: boolean;
}

/** The first round in numbers, or why there would be none. */
export type PlanPreview = Result<
  PlanDescription,
  { readonly code: string; readonly message: string; readonly evidence: Readonly<Record<string, unknown>> }
>;

export type SubmitAnswer = Result<
  {
    readonly request: RequestRecord | null;
    readonly warnings: readonly string[];
    /** Of a dry run, and of a request whose production steps had to be looked at. */
    readonly plan: PlanPreview | null;
    /** It was imported before, and nothing was done. */
    readonly already?: boolean;
    /** Of a check: what the document is read as. */
    readonly readAs?: { readonly spec: RequestSpec; readonly isTaken: boolean };
  },
  | { readonly kind: "problems"; readonly problems: readonly Problem[] }
  | { readonly kind: "name-taken"; readonly name: string }
  /** Nobody there knows a request of that name. */
  | { readonly kind: "unknown"; readonly name: string; readonly source: string }
>;

/** Nothing was done. refused: it cannot be, as it was asked for · conflict: it cannot be, as things stand. */
export interface Refusal<Kind extends "refused" | "conflict"> {
  readonly kind: Kind;
  readonly problems: readonly Problem[];
}
/** There is no such request, or it moved on since the caller looked. */
export type NotAsSeen =
  | { readonly kind: "unknown-request" }
  | { readonly kind: "stale"; readonly request: RequestRecord; readonly why?: string };

type ChangeAnswer =
  | { readonly kind: "changed" | "would" | "already"; readonly request: RequestRecord; readonly message: string }
  /** The state does not allow it, with the reason and what is allowed. */
  | { readonly kind: "not-allowed"; readonly reason: string }
  | NotAsSeen;

export interface OperatorRequest {
  readonly action: OperatorAction;
  readonly reason: string;
  /** release: go on with the same run, or with the next round; absent: what fits. */
  readonly how?: "rescue" | "next-round" | null;
  /** release: site_bans, excluded_files, memory_mb, retries, hold_threshold, top_up, as the person wrote them. */
  readonly modifications?: unknown;
  /** resubmit, retry: units ("mg_000003") and nodes ("mg_000003/proc_000021"), or all that failed. */
  readonly nodes?: readonly string[] | "failed";
  /** resubmit: the nodes among them that get no fresh budget, as one more attempt was asked for. */
  readonly sameEpoch?: readonly string[];
  /** resubmit: whose word each of them is, by "unit/node"; else it is that of whoever asks. */
  readonly said?: RerunWish["said"];
  /** resubmit: what those nodes get instead of what they had. */
  readonly changes?: NodeChanges;
  /** resubmit: the same for single nodes, by "unit/node"; they come before `changes`. */
  readonly nodeChanges?: Readonly<Record<string, NodeChanges>>;
  /** abort, fail: its outputs are withdrawn, too. */
  readonly invalidate?: boolean;
  /** restart: what becomes of the old outputs when the clone is complete. */
  readonly cleanupPolicy?: RequestSpec["cleanupPolicy"] | null;
  /** release, restart: the request as it should have been. */
  readonly draft?: Draft | null;
}
export type ActAnswer =
  /** "would": a dry run; this is what would be done. */
  | {
      readonly kind: "done" | "would";
      /** What it comes to, in words, and counted. */
      readonly reason: string;
      readonly effect: Effect;
      readonly warnings: readonly string[];
      readonly detail: Readonly<Record<string, unknown>>;
      readonly request: RequestRecord;
    }
  | { readonly kind: "already"; readonly why: string; readonly request: RequestRecord }
  | Refusal<"refused">
  | NotAsSeen;

export interface ManyRequests {
  readonly names?: readonly RequestName[];
  /** The versions of them that the caller looked at; what moved on since is left alone. */
  readonly seen?: ReadonlyMap<RequestName, number>;
  /** Used when no names are given. */
  readonly filter: Omit<RequestFilter, "limit" | "cursor">;
  readonly limit: number;
  readonly cursor?: string;
}
export interface ManyAnswer {
  readonly results: readonly { readonly name: RequestName; readonly answer: ActAnswer }[];
  /** null: all were visited. */
  readonly nextCursor: string | null;
}

export interface RetryWanted {
  readonly unit: string | null;
  readonly node: string;
  readonly reason: string;
  readonly changes: NodeChanges;
  /** The attempt the caller saw fail; null: whatever was the last. */
  readonly attempt: number | null;
  /** Refuse when the node was executed more often than this many retries allow; null: no limit of the caller's. */
  readonly maxRetries: number | null;
}
export type NoRetry = Refusal<"refused" | "conflict"> | { readonly kind: "unknown"; readonly what: string };
export type RetryAnswer =
  | { readonly kind: "reserved" | "already"; readonly action: NodeAction; readonly requestName: RequestName }
  | { readonly kind: "would"; readonly action: NewNodeAction; readonly requestName: RequestName }
  | NoRetry;

/** The last attempt of a node, and the number by which all who answer it know it. */
export interface LastAttempt {
  readonly unit: string;
  readonly node: string;
  readonly attempt: number;
  readonly record: AttemptRecord;
}
export interface AttemptFilter {
  readonly unit?: string;
  /** "proc_000021", or with its unit: "mg_000003/proc_000021". */
  readonly node?: string;
  /** A page ends with the unit that reaches this number. */
  readonly limit: number;
  readonly cursor?: string;
}
/** What the person called a job of a graph. */
type OfJob = { readonly job?: string | null };
interface OfUnit {
  readonly round: number;
  readonly unit: string;
}
export interface AttemptPage {
  readonly items: (OfUnit & OfJob & { readonly record: AttemptRecord; readonly script: ScriptRecord | null })[];
  readonly epochs: (OfUnit & { readonly record: EpochRecord })[];
  /** What people said of nodes besides: classified, tried again now, left behind. `node` null: of the whole unit. */
  readonly said: (OfUnit & {
    readonly node: string | null;
    readonly at: string;
    readonly by: string;
    readonly what: string;
    readonly reason: string;
  })[];
  /** Lines of the ledgers that could not be read. */
  readonly unreadable: { readonly unit: string; readonly line: number; readonly message: string }[];
  /** Submit directories that are no more. */
  readonly gone: string[];
  readonly nextCursor: string | null;
}
