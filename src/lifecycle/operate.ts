import type { RequestName } from "../domain/names.ts";
import type { ReleaseModifications } from "../domain/operator.ts";
import type { Problem } from "../domain/problem.ts";
import type { RequestRecord, RequestWish } from "../domain/request.ts";
import { type ActionAnswer, mayDo, mayResume } from "../recovery/round/actions.ts";
import { decideRelease } from "../recovery/round/release.ts";
import { decideRescueNow, decideResubmit, type RerunFacts } from "../recovery/round/rerun.ts";
import { checkRestart, cloneOf } from "../recovery/round/restart.ts";
import { cloneRequest } from "./give-up.ts";
import { applyModifications } from "./leave-round.ts";
import { gatherOperator, type OperatorFacts } from "./operator-facts.ts";
import type { ActAnswer, OperatorRequest, Seen } from "./port.ts";
import type { LoopPolicy, Ports } from "./ports.ts";

/**
 * The operator's hand. Everything is checked here, against the state table and the facts; what is left for the loop is
 * a wish on the request. A dry run does all of the checking and none of the storing.
 */
export async function act(
  ports: Ports,
  policy: LoopPolicy,
  name: RequestName,
  wanted: OperatorRequest,
  seen: Seen & { dryRun: boolean },
): Promise<ActAnswer> {
  const request = await ports.store.requests.get(name);
  if (!request) return { kind: "unknown-request" };
  if (seen.version !== null && seen.version !== request.version) return { kind: "stale", request };
  const verdict = await judge(ports, policy, request, wanted);
  const note = (outcome: "done" | "already" | "refused", detail: Record<string, unknown> = {}) =>
    seen.dryRun ? Promise.resolve(true) : audit(ports, request, wanted, seen.actor, outcome, detail);
  if (verdict.kind === "already") {
    await note("already");
    return { kind: "already", why: verdict.why, request };
  }
  if (verdict.kind === "refused") {
    await note("refused", { problems: verdict.problems });
    return { kind: "refused", problems: verdict.problems };
  }
  const { because, warnings = [], detail = {} } = verdict;
  if (seen.dryRun) return { kind: "would", because, warnings, detail, request };
  const stored = await store(ports, request, wanted, verdict, seen);
  if (!stored) return { kind: "stale", request: (await ports.store.requests.get(name)) ?? request };
  await note("done", detail);
  return { kind: "done", because, warnings, detail, request: (await ports.store.requests.get(name)) ?? request };
}

type Verdict =
  | { readonly kind: "already"; readonly why: string }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] }
  | {
      readonly kind: "go";
      readonly because: string;
      readonly warnings?: readonly string[];
      readonly detail?: Readonly<Record<string, unknown>>;
      readonly modifications?: ReleaseModifications;
    };

async function judge(
  ports: Ports,
  policy: LoopPolicy,
  request: RequestRecord,
  wanted: OperatorRequest,
): Promise<Verdict> {
  const { action } = wanted;
  if (request.wish && request.wish.kind === wishKind(action))
    return { kind: "already", why: `${action} was asked for already` };
  const may =
    action === "resume" ? mayResume(request.status, request.hold?.code ?? null) : mayDo(action, request.status);
  const refusal = refuse(may);
  if (refusal) return refusal;
  switch (action) {
    case "abort":
    case "stop":
    case "hold":
    case "fail":
      return { kind: "go", because: `${action}: ${wanted.reason}` };
    case "resume":
      return { kind: "go", because: `resumed: ${wanted.reason}`, detail: { how: "plan" } };
    case "release":
      return judgeRelease(await gatherOperator(ports, policy, request, wanted), request, wanted);
    case "rescue":
    case "resubmit":
      return judgeRerun(await gatherOperator(ports, policy, request, wanted), wanted);
    case "restart":
      return judgeRestart(ports, policy, request, wanted);
  }
}

function refuse(may: ActionAnswer): Verdict | null {
  if (may.kind === "allowed") return null;
  if (may.kind === "already") return { kind: "already", why: may.why };
  return { kind: "refused", problems: [{ path: "", message: may.why, allowed: `in ${may.allowedIn.join(", ")}` }] };
}

function judgeRelease(facts: OperatorFacts, request: RequestRecord, wanted: OperatorRequest): Verdict {
  const body = { status: request.status, holdCode: request.hold?.code ?? null, ...facts.release };
  const decided = decideRelease(body, wanted.modifications, wanted.how ?? null);
  if (!decided.ok) return { kind: "refused", problems: decided.error };
  const { how, modifications, warnings, because } = decided.value;
  return { kind: "go", because, warnings, detail: { how }, modifications };
}

function judgeRerun(facts: OperatorFacts, wanted: OperatorRequest): Verdict {
  const known: RerunFacts | null = facts.rerun;
  if (!known)
    return {
      kind: "refused",
      problems: [{ path: "", message: "there is no run to go on with", allowed: "release, or restart" }],
    };
  const decided =
    wanted.action === "rescue" || wanted.nodes === undefined || wanted.nodes === "failed"
      ? decideRescueNow(known)
      : decideResubmit(known, wanted.nodes);
  if (!decided.ok) return { kind: "refused", problems: decided.error };
  const { epochOf, because, reelectUnits } = decided.value;
  const { changes, nodeChanges } = wanted;
  const detail = {
    epochOf: epochOf && Object.fromEntries(epochOf),
    reelect: reelectUnits.length,
    ...(changes && { changes }),
    ...(nodeChanges && { nodeChanges }),
  };
  return { kind: "go", because, detail };
}

async function judgeRestart(
  ports: Ports,
  policy: LoopPolicy,
  request: RequestRecord,
  wanted: OperatorRequest,
): Promise<Verdict> {
  const { spec, status, supersededBy } = request;
  const { name, processingVersion } = cloneOf(spec);
  const isNameTaken = (await ports.store.requests.get(name)) !== null;
  const { versionLimit } = policy;
  const problems = checkRestart({ spec, status, supersededBy, versionLimit, isNameTaken });
  if (problems.length > 0) return { kind: "refused", problems };
  return {
    kind: "go",
    because: `restarted as ${name}, version ${processingVersion}`,
    detail: { clone: name, cleanupPolicy: wanted.cleanupPolicy ?? null },
  };
}

type Go = Extract<Verdict, { kind: "go" }>;
const wishKind = (action: OperatorRequest["action"]): RequestWish["kind"] => (action === "resume" ? "release" : action);
const BAN_DAYS = 7;

/** The wish, and what a release changes at once, in one transaction. */
async function store(
  ports: Ports,
  request: RequestRecord,
  wanted: OperatorRequest,
  verdict: Go,
  seen: Seen,
): Promise<boolean> {
  const at = ports.clock.now();
  const { actor } = seen;
  const isOver = ["failed", "aborted", "completed"].includes(request.status);
  if (wanted.action === "restart" && isOver) return cloneRequest(ports, request, wanted.cleanupPolicy ?? null, actor);
  const detail = verdict.detail ?? {};
  const wish: RequestWish = { kind: wishKind(wanted.action), actor, reason: wanted.reason, at, detail };
  const { modifications } = verdict;
  return ports.store.transaction(async (tx) => {
    const change = { wish, ...(modifications ? { modifications } : {}) };
    const why = { reason: verdict.because, actor, at };
    if (!(await tx.requests.change(request.spec.name, request.version, change, why))) return false;
    if (modifications) {
      const until = new Date(at.getTime() + BAN_DAYS * 86_400_000);
      const workflow = await tx.workflows.forRequest(request.spec.name);
      await applyModifications(ports, tx, { workflow, request }, modifications, {
        actor,
        reason: wanted.reason,
        until,
      });
    }
    return true;
  });
}

function audit(
  ports: Ports,
  request: RequestRecord,
  { action, reason }: OperatorRequest,
  actor: string,
  outcome: "done" | "already" | "refused",
  detail: Record<string, unknown>,
): Promise<boolean> {
  return ports.store.audit.add({
    at: ports.clock.now(),
    actor,
    action,
    subject: request.spec.name,
    reason,
    detail,
    outcome,
  });
}
