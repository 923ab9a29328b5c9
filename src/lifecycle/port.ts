import type { Result } from "../base/result.ts";
import type { AdmissionLimits, Queue } from "../domain/admission.ts";
import type { RequestName, SiteName } from "../domain/names.ts";
import type { NodeChanges } from "../domain/operator.ts";
import type { Problem } from "../domain/problem.ts";
import type { RequestRecord } from "../domain/request.ts";
import type { PlanDescription } from "../planning/describe.ts";
import type { OperatorAction } from "../recovery/round/actions.ts";
import type { ErrorsView } from "../recovery/round/errors-view.ts";
import type { OperatorCommands } from "./port-operators.ts";

export { ACTION, actionsIn, mayResume, OPERATOR_ACTIONS } from "../recovery/round/actions.ts";
export { describeErrors } from "../recovery/round/describe-errors.ts";
export type * from "./port-operators.ts";
export type { ErrorsView, OperatorAction };

/**
 * What people and programs may ask of the lifecycle. A command validates, stores a wish or a change, nudges
 * the loop and returns; the loop does the work. `actor` is the name of the token that asked.
 */
export interface Commands extends OperatorCommands {
  /** Takes a document as a person wrote it; nothing is stored for a bad one. */
  submit(document: { text: string; format: "json" | "yaml" }, actor: string): Promise<SubmitAnswer>;
  /** Which problems would it have? Stores nothing. */
  check(document: { text: string; format: "json" | "yaml" }, actor: string): Promise<SubmitAnswer>;
  /** What its first round would be, as things are now; null: no such request. */
  preview(name: RequestName): Promise<PlanPreview | null>;
  reprioritise(name: RequestName, change: { priority?: number; urgent?: boolean }, seen: Seen): Promise<ChangeAnswer>;
  abort(name: RequestName, reason: string, seen: Seen): Promise<ChangeAnswer>;
  /** release, fail, restart, stop, resume, hold, rescue, resubmit, abort: checked, audited, idempotent. */
  act(name: RequestName, wanted: OperatorRequest, seen: Seen & { dryRun: boolean }): Promise<ActAnswer>;
  /** What failed in its present round, for people; null: no such request. */
  errors(name: RequestName): Promise<ErrorsView | null>;
  setAdmission(limits: Partial<AdmissionLimits>, actor: string): Promise<AdmissionLimits>;
  changeSite(
    name: SiteName,
    change: { status: "enabled" | "draining" | "disabled"; note?: string },
    actor: string,
  ): Promise<boolean>;
  queue(): Promise<Queue>;
}

/** Who asks, and which version they looked at (If-Match); null: whatever it is now. */
export interface Seen {
  readonly actor: string;
  readonly version: number | null;
}

export type SubmitAnswer = Result<
  {
    readonly request: RequestRecord | null;
    readonly warnings: readonly string[];
    /** Of a dry run, and of a request whose production steps had to be looked at. */
    readonly plan: PlanPreview | null;
  },
  | { readonly kind: "problems"; readonly problems: readonly Problem[] }
  | { readonly kind: "name-taken"; readonly name: string }
>;

export type ChangeAnswer =
  | { readonly kind: "changed"; readonly request: RequestRecord }
  | { readonly kind: "unknown-request" }
  /** The state does not allow it, with the reason and what is allowed. */
  | { readonly kind: "not-allowed"; readonly reason: string }
  /** It moved on since the caller looked. */
  | { readonly kind: "stale"; readonly request: RequestRecord };

/** What the loop tells of itself. */
export interface LoopStatus {
  readonly running: boolean;
  /** Does this server hold the lease, or which other does? */
  readonly leader: string | null;
  readonly isLeader: boolean;
  readonly lastPassAt: Date | null;
  readonly lastPassSeconds: number | null;
  readonly lastPassError: string | null;
  readonly passes: number;
  readonly openRequests: number;
  readonly requestsWithErrors: number;
  /** Seconds between passes when nothing nudges. */
  readonly intervalSec: number;
  /** A pass ended recently enough, here or at the leader. */
  readonly healthy: boolean;
  readonly why: string;
}

/** The first round in numbers, or why there would be none. */
export type PlanPreview = Result<
  PlanDescription,
  { readonly code: string; readonly message: string; readonly evidence: Readonly<Record<string, unknown>> }
>;

export interface OperatorRequest {
  readonly action: OperatorAction;
  readonly reason: string;
  /** release: go on with the same run, or with the next round; absent: what fits. */
  readonly how?: "rescue" | "next-round" | null;
  /** release: site_bans, excluded_files, memory_mb, retries, hold_threshold, top_up, as the person wrote them. */
  readonly modifications?: unknown;
  /** resubmit: units ("mg_000003") and nodes ("mg_000003/proc_000021"), or all that failed. */
  readonly nodes?: readonly string[] | "failed";
  /** resubmit: what those nodes get instead of what they had. */
  readonly changes?: NodeChanges;
  /** resubmit: the same for single nodes, by "unit/node"; they come before `changes`. */
  readonly nodeChanges?: Readonly<Record<string, NodeChanges>>;
  /** restart: what becomes of the old outputs when the clone is complete. */
  readonly cleanupPolicy?: "keep_until_replaced" | "immediate_cleanup" | null;
}

interface Acted {
  readonly because: string;
  readonly warnings: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
  readonly request: RequestRecord;
}

export type ActAnswer =
  | ({ readonly kind: "done" } & Acted)
  /** A dry run: this is what would be done. */
  | ({ readonly kind: "would" } & Acted)
  | { readonly kind: "already"; readonly why: string; readonly request: RequestRecord }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] }
  | { readonly kind: "unknown-request" }
  | { readonly kind: "stale"; readonly request: RequestRecord };
