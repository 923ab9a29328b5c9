import type { RequestName, SiteName } from "../domain/names.ts";
import type { NodeChanges } from "../domain/operator.ts";
import type { Problem } from "../domain/problem.ts";
import type { ReleaseModifications } from "../domain/release.ts";
import type { Draft, RequestRecord, RequestSpec, RequestWish } from "../domain/request.ts";
import { isTerminal } from "../domain/request-status.ts";
import { daysAfter } from "../recovery/bans/ban.ts";
import { mayDo, mayResume, type OperatorAction } from "../recovery/round/actions.ts";
import { decideRelease } from "../recovery/round/release.ts";
import { decideRescueNow, decideResubmit } from "../recovery/round/rerun.ts";
import { checkRestart, cloneOf } from "../recovery/round/restart.ts";
import { decideRetryNow } from "../recovery/round/retry-now.ts";
import { type Difference, differences, revisionOf, revisionProblems } from "../recovery/round/revise.ts";
import { plural } from "../recovery/words.ts";
import { effectiveSpec } from "./gather-round.ts";
import { packDraft, startClone } from "./give-up.ts";
import { judgeMove } from "./judge-move.ts";
import { changeProblems } from "./node-changes.ts";
import { gatherOperator } from "./operator-facts.ts";
import type { Ports, Work } from "./ports.ts";
import { presentRun, unfinishedUnits } from "./present-run.ts";
import { joinReruns, type RerunWish, rerunWish } from "./rerun-wish.ts";

/** Who asks, and which version they looked at (If-Match); null: whatever it is now. */
export interface Seen {
  readonly actor: string;
  readonly version: number | null;
}

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
  /** resubmit: what those nodes get instead of what they had. */
  readonly changes?: NodeChanges;
  /** resubmit: the same for single nodes, by "unit/node"; they come before `changes`. */
  readonly nodeChanges?: Readonly<Record<string, NodeChanges>>;
  /** restart: what becomes of the old outputs when the clone is complete. */
  readonly cleanupPolicy?: RequestSpec["cleanupPolicy"] | null;
  /** release, restart: the request as it should have been. */
  readonly draft?: Draft | null;
}

/** Nothing was done. refused: it cannot be, as it was asked for · conflict: it cannot be, as things stand. */
export interface Refusal<Kind extends "refused" | "conflict"> {
  readonly kind: Kind;
  readonly problems: readonly Problem[];
}
export const refusal = <Kind extends "refused" | "conflict">(
  kind: Kind,
  message: string,
  allowed: string | null,
  path = "",
): Refusal<Kind> => ({ kind, problems: [{ path, message, allowed }] });

/** There is no such request, or it moved on since the caller looked. */
export type NotAsSeen =
  | { readonly kind: "unknown-request" }
  | { readonly kind: "stale"; readonly request: RequestRecord };

export type ActAnswer =
  /** "would": a dry run; this is what would be done. */
  | {
      readonly kind: "done" | "would";
      readonly because: string;
      readonly warnings: readonly string[];
      readonly detail: Readonly<Record<string, unknown>>;
      readonly request: RequestRecord;
    }
  | { readonly kind: "already"; readonly why: string; readonly request: RequestRecord }
  | Refusal<"refused">
  | NotAsSeen;

/**
 * The operator's hand: release, fail, restart, stop, resume, hold, rescue, resubmit, abort; checked, audited,
 * idempotent. Everything is checked here, against the state table and the facts; what is left for the loop is a wish
 * on the request. A dry run does all of the checking and none of the storing.
 */
export async function act(
  ports: Work,
  name: RequestName,
  wanted: OperatorRequest,
  seen: Seen & { dryRun: boolean },
): Promise<ActAnswer> {
  const { store } = ports;
  const request = await store.requests.get(name);
  if (!request) return { kind: "unknown-request" };
  if (seen.version !== null && seen.version !== request.version) return { kind: "stale", request };
  const verdict = await judge(ports, request, wanted);
  if (verdict.kind !== "go") {
    const detail = verdict.kind === "refused" ? { problems: verdict.problems } : {};
    if (!seen.dryRun) await audit(ports, request, wanted, seen.actor, verdict.kind, detail);
    return verdict.kind === "already" ? { ...verdict, request } : verdict;
  }
  const { because, warnings = [], detail = {} } = verdict;
  if (seen.dryRun) return { kind: "would", because, warnings, detail, request };
  const isStored = await store.transaction((tx) =>
    storeWish({ ...ports, store: tx }, request, wanted, verdict, seen.actor),
  );
  const now = (await store.requests.get(name)) ?? request;
  return isStored ? { kind: "done", because, warnings, detail, request: now } : { kind: "stale", request: now };
}

export type Verdict = Go | { readonly kind: "already"; readonly why: string } | Refusal<"refused">;
interface Go {
  readonly kind: "go";
  readonly because: string;
  readonly warnings?: readonly string[];
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly modifications?: ReleaseModifications;
}

/** Whether it may be done, and what it would be. Reads whole rounds from the disk: never within a transaction. */
export async function judge(ports: Work, request: RequestRecord, wanted: OperatorRequest): Promise<Verdict> {
  const { action, reason } = wanted;
  const { wish, status, hold } = request;
  const problems = await changeProblems(ports, request, wanted.changes ?? {});
  if (problems.length > 0) return { kind: "refused", problems };
  if (wish && wish.kind === wishKind(action) && action !== "resubmit")
    return { kind: "already", why: `${action} was asked for already` };
  if (wish && FINAL.includes(wish.kind) && action !== "abort")
    return refusal("refused", `${wish.actor} asked for ${wish.kind}, and that is under way`, "abort");
  const may = action === "resume" ? mayResume(status, hold?.code ?? null) : mayDo(action, status);
  if (may.kind === "already") return may;
  if (may.kind === "refused") return refusal("refused", may.why, `in ${may.allowedIn.join(", ")}`);
  switch (action) {
    case "abort":
    case "stop":
    case "hold":
    case "fail":
      return { kind: "go", because: `${action}: ${reason}` };
    case "resume":
      return { kind: "go", because: `resumed: ${reason}`, detail: { how: "plan" } };
    case "release":
      return judgeRelease(ports, request, wanted);
    case "rescue":
    case "resubmit":
      return judgeRerun(ports, request, wanted);
    case "retry":
      return judgeRetry(ports, request, wanted);
    case "restart":
      return judgeRestart(ports, request, wanted);
    case "move":
      return judgeMove(ports, request, wanted);
  }
}

/** What ends a request is not undone by asking for something else before the loop got to it. */
const FINAL: readonly RequestWish["kind"][] = ["abort", "fail", "restart"];

type Judge = (ports: Work, request: RequestRecord, wanted: OperatorRequest) => Promise<Verdict>;

const judgeRelease: Judge = async (ports, request, wanted) => {
  const facts = await gatherOperator(ports, request, wanted);
  const { draft } = wanted;
  const changed = draft ? differences(await standing(ports, request), draft) : [];
  const problems = revisionProblems(changed, request.spec.name);
  if (problems.length > 0) return { kind: "refused", problems };
  // Corrected, the same units can be run again: nothing has to be left behind.
  const how = wanted.how ?? (draft && facts.release.canRescue ? "rescue" : null);
  const decided = decideRelease(facts.release, wanted.modifications, how);
  if (!decided.ok) return { kind: "refused", problems: decided.error };
  const { modifications, warnings, because } = decided.value;
  if (!draft) return { kind: "go", because, warnings, detail: { how: decided.value.how }, modifications };
  const { memoryMb, wallMinutes } = draft.spec.resources;
  const asks = changed.some(({ path }) => path.startsWith("resources.")) ? { changes: { memoryMb, wallMinutes } } : {};
  return {
    kind: "go",
    because: `${because}, with ${plural(changed.length, "change")}`,
    warnings: [...warnings, ...unchanged(changed)],
    detail: { how: decided.value.how, changed: changed.map(tellChange), ...asks },
    modifications: { ...modifications, revision: revisionOf(draft.spec) },
  };
};

/** What there is to correct: the request as it goes on now. */
const standing = async ({ store }: Work, request: RequestRecord): Promise<Draft> => ({
  spec: effectiveSpec(request),
  files: await store.requests.files(request.spec.name),
});
const tellChange = ({ path, words }: Difference): string => `${path}: ${words}`;
const unchanged = (changed: readonly Difference[]): readonly string[] =>
  changed.length === 0 ? ["nothing differs from the request as it is"] : [];

const judgeRerun: Judge = async (ports, request, wanted) => {
  const { rerun } = await gatherOperator(ports, request, wanted);
  if (!rerun) return refusal("refused", "there is no run to go on with", "release, or restart");
  const { nodes = "failed", action } = wanted;
  const decided = action === "rescue" || nodes === "failed" ? decideRescueNow(rerun) : decideResubmit(rerun, nodes);
  if (!decided.ok) return { kind: "refused", problems: decided.error };
  const { because, reelectUnits } = decided.value;
  const epochOf = decided.value.epochOf && Object.fromEntries(decided.value.epochOf);
  const detail = rerunWish({ ...wanted, epochOf, reelect: reelectUnits.length });
  const { wish } = request;
  if (action === "rescue" || wish?.kind !== "resubmit") return { kind: "go", because, detail };
  const joined = joinReruns(wish.detail as RerunWish, detail);
  return joined
    ? { kind: "go", because: `joins the resubmit that ${wish.actor} asked for`, detail: joined }
    : { kind: "already", why: "resubmit was asked for already" };
};

const judgeRetry: Judge = async (ports, request, { nodes = "failed" }) => {
  const { wish } = request;
  if (wish) return refusal("refused", `${wish.actor} asked for ${wish.kind}, and that is under way`, "afterwards");
  const run = await presentRun(ports.store, request);
  const cooling = new Map<string, readonly string[]>();
  for (const unit of run ? await unfinishedUnits(ports, run) : [])
    cooling.set(unit, await ports.spool.cooling(run?.dag.submitDir ?? "", unit, ports.clock.now()));
  return decideRetryNow(cooling, nodes);
};

const judgeRestart: Judge = async (ports, request, { cleanupPolicy = null, draft }) => {
  const { spec, supersededBy } = request;
  const { name, processingVersion } = cloneOf(spec);
  const isNameTaken = (await ports.store.requests.get(name)) !== null;
  const { versionLimit } = ports.policy;
  const problems = checkRestart({ spec, supersededBy, versionLimit, isNameTaken });
  if (problems.length > 0) return { kind: "refused", problems };
  const because = `restarted as ${name}, version ${processingVersion}`;
  if (!draft) return { kind: "go", because, detail: { clone: name, cleanupPolicy } };
  const changed = differences(await standing(ports, request), draft);
  const detail = { clone: name, cleanupPolicy, changed: changed.map(tellChange) };
  return {
    kind: "go",
    because: `${because}, with ${plural(changed.length, "change")}`,
    warnings: unchanged(changed),
    detail,
  };
};

const wishKind = (action: OperatorAction): RequestWish["kind"] => (action === "resume" ? "release" : action);

/**
 * The wish, what a release changes at once, and the audit entry; `ports` with the store of a transaction. false: the
 * request moved on since it was judged.
 */
export async function storeWish(
  ports: Work,
  request: RequestRecord,
  wanted: OperatorRequest,
  { because, detail = {}, modifications }: Go,
  actor: string,
): Promise<boolean> {
  const at = ports.clock.now();
  const { action, reason, cleanupPolicy = null, draft = null } = wanted;
  if (action === "restart" && isTerminal(request.status)) {
    if (!(await startClone(ports, request, { cleanupPolicy, draft }, actor))) return false;
  } else {
    const isJoined = action === "resubmit" && request.wish?.kind === "resubmit";
    const kept = action === "restart" && draft ? { ...detail, draft: packDraft(draft) } : detail;
    const wish = isJoined ? { ...request.wish, detail } : { kind: wishKind(action), actor, reason, at, detail: kept };
    const change = {
      wish: wish as RequestWish,
      ...(modifications && { modifications: joined(request.modifications, modifications) }),
    };
    const why = { reason: because, actor, at };
    if (!(await ports.store.requests.change(request.spec.name, request.version, change, why))) return false;
    if (action === "release" && draft) await ports.store.requests.replaceFiles(request.spec.name, draft.files);
    if (modifications) await applyRelease(ports, request.spec.name, modifications, actor, reason);
  }
  return audit(ports, request, wanted, actor, "done", detail);
}

/** What an earlier release changed stays so, unless this one says otherwise. */
function joined(before: ReleaseModifications | null, now: ReleaseModifications): ReleaseModifications {
  const isSaid = (value: unknown) => (Array.isArray(value) ? value.length > 0 : value !== null);
  return { ...now, ...before, ...Object.fromEntries(Object.entries(now).filter(([, value]) => isSaid(value))) };
}

/**
 * What an operator changes at a release: bans and exclusions at once, the rest is kept for the next plan. Outputs that
 * the catalog refused are offered to it again.
 */
async function applyRelease(
  { store, clock, policy }: Work,
  name: RequestName,
  { siteBans, excludedFiles }: { siteBans: readonly SiteName[]; excludedFiles: readonly string[] },
  actor: string,
  reason: string,
): Promise<void> {
  const workflow = await store.workflows.forRequest(name);
  if (!workflow) return;
  await store.units.tryOwedAgain(workflow.id);
  const at = clock.now();
  const until = daysAfter(at, policy.bans.durationDays);
  for (const site of siteBans)
    await store.sites.ban({ site, workflowId: workflow.id, reason, evidence: { by: actor }, until, actor, at });
  if (excludedFiles.length)
    await store.files.setState(workflow.id, excludedFiles, "excluded", `by ${actor}: ${reason}`);
}

function audit(
  { store, clock }: Ports,
  { spec }: RequestRecord,
  { action, reason }: OperatorRequest,
  actor: string,
  outcome: "done" | "already" | "refused",
  detail: Record<string, unknown>,
): Promise<boolean> {
  return store.audit.add({ at: clock.now(), actor, action, subject: spec.name, reason, detail, outcome });
}
