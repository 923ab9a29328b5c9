import { plural } from "../../core/base/text.ts";
import type { ReleaseModifications } from "../../core/release.ts";
import type { Draft, RequestRecord, RequestWish } from "../../core/request.ts";
import { shapeOf } from "../../core/roles.ts";
import { kindOf } from "../../kinds/kind.ts";
import { effectiveSpec } from "../../loop/gather-round.ts";
import type { Work } from "../../loop/ports.ts";
import { joinReruns, type RerunWish, rerunWish } from "../../loop/rerun-wish.ts";
import { FINAL_WISHES, mayDo, mayResume, type OperatorAction } from "../../recovery/round/actions.ts";
import { decideRelease } from "../../recovery/round/release.ts";
import { decideRescueNow, decideResubmit, type RerunFacts } from "../../recovery/round/rerun.ts";
import { checkRestart, cloneOf } from "../../recovery/round/restart.ts";
import { decideRetryNow } from "../../recovery/round/retry-now.ts";
import { type Difference, differences, revisionOf, revisionProblems } from "../../recovery/round/revise.ts";
import { changeProblems } from "./check-changes.ts";
import { checkMove } from "./check-move.ts";
import { gatherOperator } from "./gather-operator.ts";
import type { OperatorRequest, Refusal } from "./port.ts";
import { mayRun, presentDag, presentRun, unfinishedUnits } from "./present-run.ts";

/** What came of checking an action: it may be done so, it is so already, or it cannot be done. */
export type Checked = Go | { readonly kind: "already"; readonly why: string } | Refusal<"refused">;
export interface Go {
  readonly kind: "go";
  /** What was decided, where the action has several ways; null: what it always does. */
  readonly reason: string | null;
  readonly warnings?: readonly string[];
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly modifications?: ReleaseModifications;
}

/** Whether it may be done, and what it would be. Reads whole rounds from the disk: never within a transaction. */
export async function checkAction(ports: Work, request: RequestRecord, asked: OperatorRequest): Promise<Checked> {
  const wanted = await withJobNames(ports, request, asked);
  const { action } = wanted;
  const { wish, status, hold } = request;
  const problems = await changeProblems(ports, request, wanted.changes ?? {});
  if (problems.length > 0) return { kind: "refused", problems };
  if (wish && wish.kind === wishKind(action) && action !== "resubmit")
    return { kind: "already", why: `${action} was asked for already` };
  if (wish && FINAL_WISHES.includes(wish.kind) && action !== "abort")
    return refusal("refused", `${wish.actor} asked for ${wish.kind}, and that is under way`, "abort");
  const may = action === "resume" ? mayResume(status, hold?.code ?? null) : mayDo(action, status);
  if (may.kind === "already") return may;
  if (may.kind === "refused") return refusal("refused", may.why, `in ${may.allowedIn.join(", ")}`);
  switch (action) {
    case "abort":
    case "fail":
      return wanted.invalidate ? checkInvalidate(ports, request, wanted) : { kind: "go", reason: null };
    case "submit":
    case "stop":
    case "hold":
      return { kind: "go", reason: null };
    case "requeue":
      return checkRequeue(ports, request, wanted);
    case "resume":
      return { kind: "go", reason: null, detail: { how: "plan" } };
    case "release":
      return checkRelease(ports, request, wanted);
    case "rescue":
    case "resubmit":
      return checkRerun(ports, request, wanted);
    case "retry":
      return checkRetry(ports, request, wanted);
    case "restart":
      return checkRestartWish(ports, request, wanted);
    case "move":
      return checkMove(ports, request, wanted);
  }
}

/** People call the jobs of a graph by their own names. */
async function withJobNames(
  { store, spool }: Work,
  { spec }: RequestRecord,
  wanted: OperatorRequest,
): Promise<OperatorRequest> {
  const { nodes } = wanted;
  const dag = nodes && nodes !== "failed" ? (await presentDag(store, spec.name)).dag : null;
  if (!nodes || nodes === "failed" || !dag) return wanted;
  const names = await spool.jobNames(dag.submitDir);
  return { ...wanted, nodes: nodes.map((name) => names.nodeOf(name)) };
}

type Check = (ports: Work, request: RequestRecord, wanted: OperatorRequest) => Promise<Checked>;

/** What cannot be undone is counted before it is done. */
const checkInvalidate: Check = async ({ store }, { spec }) => {
  const { items } = await store.outputs.list({ limit: 10_000, requestName: spec.name });
  const files = items.reduce((sum, block) => sum + block.files, 0);
  const what = `${plural(files, "file")} in ${plural(items.length, "block")}`;
  return {
    kind: "go",
    reason: null,
    warnings: [`its outputs are withdrawn: ${what} so far`],
    detail: { invalidate: true },
  };
};

const checkRequeue: Check = async ({ store }, { spec, status }) => {
  const { dag } = await presentDag(store, spec.name);
  if (await mayRun(store, dag)) return { kind: "go", reason: null };
  return refusal("refused", `it is ${status}: nothing of it is in the engine`, "stop, to keep it from going on");
};

const COMMANDS = /^(steps|attachments)\b/;
const checkRelease: Check = async (ports, request, wanted) => {
  const facts = await gatherOperator(ports, request, wanted);
  const { draft } = wanted;
  const changed = draft ? differences(await standing(ports, request), draft) : [];
  const keeps = kindOf(ports.kinds, request.spec.work).credits !== undefined;
  const problems = revisionProblems(changed, request.spec.name, keeps);
  if (problems.length > 0) return { kind: "refused", problems };
  // Corrected, the same units can be run again: nothing has to be left behind.
  const how = wanted.how ?? (draft && facts.release.canRescue ? "rescue" : null);
  const decided = decideRelease(facts.release, wanted.modifications, how);
  if (!decided.ok) return { kind: "refused", problems: decided.error };
  const { modifications, warnings, reason } = decided.value;
  if (!draft) {
    const { how } = decided.value;
    // A rescue runs the jobs as they were written, but for what is said of each.
    const asks =
      how === "rescue" && modifications.memoryMb !== null ? { changes: { memoryMb: modifications.memoryMb } } : {};
    return { kind: "go", reason, warnings, detail: { how, ...asks }, modifications };
  }
  const { memoryMb, wallMinutes } = draft.spec.resources;
  const asks = changed.some(({ path }) => path.startsWith("resources.")) ? { changes: { memoryMb, wallMinutes } } : {};
  return {
    kind: "go",
    reason: `${reason}, with ${plural(changed.length, "change")}`,
    warnings: [...warnings, ...unchanged(changed)],
    detail: { how: decided.value.how, changed: changed.map(tellChange), ...asks },
    modifications: {
      ...modifications,
      revision: revisionOf(draft.spec),
      ...(changed.some(({ path }) => COMMANDS.test(path)) && { commandsSince: ports.clock.now().toISOString() }),
    },
  };
};

/** What there is to correct: the request as it goes on now. */
const standing = async ({ store }: Work, request: RequestRecord): Promise<Draft> => ({
  spec: effectiveSpec(request),
  files: await store.requests.files(request.spec.name),
});
const tellChange = ({ path, change }: Difference): string => `${path}: ${change}`;
const unchanged = (changed: readonly Difference[]): readonly string[] =>
  changed.length === 0 ? ["nothing differs from the request as it is"] : [];

const checkRerun: Check = async (ports, request, wanted) => {
  const { rerun } = await gatherOperator(ports, request, wanted);
  if (!rerun) return refusal("refused", "there is no run to go on with", "release, or restart");
  const { action, nodes: asked = "failed" } = wanted;
  const nodes = rerun.stillRuns && asked === "failed" ? failedSoFar(rerun) : asked;
  if (nodes === null)
    return refusal("refused", "its run goes on: what failed in it is looked at when it has ended", "names of jobs");
  const decided = action === "rescue" || nodes === "failed" ? decideRescueNow(rerun) : decideResubmit(rerun, nodes);
  if (!decided.ok) return { kind: "refused", problems: decided.error };
  const { reason, reelectUnits, beside } = decided.value;
  const epochOf = decided.value.epochOf && Object.fromEntries(decided.value.epochOf);
  // Who names some means those: what else failed stays as it is.
  const detail = rerunWish({ ...wanted, epochOf, reelect: reelectUnits.length, alone: epochOf !== null, beside });
  const { wish } = request;
  if (action === "rescue" || wish?.kind !== "resubmit") return { kind: "go", reason, detail };
  const joined = joinReruns(wish.detail as RerunWish, detail);
  return joined
    ? { kind: "go", reason: `joins the resubmit that ${wish.actor} asked for`, detail: joined }
    : { kind: "already", why: "resubmit was asked for already" };
};

/** Of a graph that goes on, jobs that can run beside the others; null: there are none. */
function failedSoFar({ failedNodes, besideNow, limited }: RerunFacts): readonly string[] | null {
  const units = [...failedNodes].map((place) => place.split("/")[0] ?? "");
  const jobs = units.filter((unit) => shapeOf(unit).layout === "flat" && !besideNow.has(unit) && !limited.has(unit));
  return jobs.length > 0 ? jobs : null;
}

const checkRetry: Check = async (ports, request, { nodes = "failed" }) => {
  const { wish } = request;
  if (wish) return refusal("refused", `${wish.actor} asked for ${wish.kind}, and that is under way`, "afterwards");
  const run = await presentRun(ports.store, request);
  const units = run ? await unfinishedUnits(ports, run) : [];
  return decideRetryNow(await ports.spool.cooling(run?.dag.submitDir ?? "", units, ports.clock.now()), nodes);
};

const checkRestartWish: Check = async (ports, request, { cleanupPolicy = null, draft }) => {
  const { spec, supersededBy } = request;
  const { name, processingVersion } = cloneOf(spec);
  const isNameTaken = (await ports.store.requests.get(name)) !== null;
  const { versionLimit } = ports.policy;
  const problems = checkRestart({ spec, supersededBy, versionLimit, isNameTaken });
  if (problems.length > 0) return { kind: "refused", problems };
  const credits = kindOf(ports.kinds, spec.work).credits !== undefined;
  const again = credits ? "it takes over what is done and still holds" : "all of it runs again";
  const isWithdrawn = (cleanupPolicy ?? draft?.spec.cleanupPolicy ?? spec.cleanupPolicy) === "immediate_cleanup";
  const old = isWithdrawn ? "withdrawn" : "superseded";
  const reason = `gives it up and begins again as ${name}, version ${processingVersion}: ${again}; the outputs of ${spec.name} are ${old} when that is complete`;
  if (!draft) return { kind: "go", reason, detail: { clone: name, cleanupPolicy } };
  const changed = differences(await standing(ports, request), draft);
  const detail = { clone: name, cleanupPolicy, changed: changed.map(tellChange) };
  return {
    kind: "go",
    reason: `${reason}, with ${plural(changed.length, "change")}`,
    warnings: unchanged(changed),
    detail,
  };
};

/** What is left for the loop to do; null: nothing, a draft is submitted at once. */
export const wishKind = (action: OperatorAction): RequestWish["kind"] | null =>
  action === "submit" ? null : action === "resume" ? "release" : action;

export const refusal = <Kind extends "refused" | "conflict">(
  kind: Kind,
  message: string,
  allowed: string | null,
  path = "",
): Refusal<Kind> => ({ kind, problems: [{ path, message, allowed }] });
