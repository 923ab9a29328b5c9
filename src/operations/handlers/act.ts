import type { RequestName, SiteName } from "../../core/names.ts";
import type { ReleaseModifications } from "../../core/release.ts";
import type { RequestRecord, RequestWish } from "../../core/request.ts";
import { isTerminal } from "../../core/request-status.ts";
import type { Ports, Work } from "../../loop/ports.ts";
import { packDraft, startClone } from "../../loop/restart.ts";
import { daysAfter } from "../../recovery/bans/ban.ts";
import { describeEffect } from "../../recovery/round/effect.ts";
import type { Store } from "../../store/port.ts";
import { checkAction, type Go, wishKind } from "./check-action.ts";
import { type Foresee, makeForesee } from "./gather-effect.ts";
import type { ActAnswer, By, OperatorRequest, Seen } from "./port.ts";

/**
 * The operator's hand: release, fail, restart, stop, resume, hold, rescue, resubmit, abort; checked, audited,
 * idempotent. Everything is checked here, against the state table and the facts; what is left for the loop is a wish
 * on the request. A dry run does all of the checking and none of the storing.
 */
export async function act(
  ports: Work,
  name: RequestName,
  wanted: OperatorRequest,
  seen: Seen & By,
  foresee: Foresee = makeForesee(ports),
): Promise<ActAnswer> {
  const { store } = ports;
  const request = await store.requests.get(name);
  if (!request) return { kind: "unknown-request" };
  if (seen.version !== null && seen.version !== request.version) return movedOn(store, request);
  const checked = await checkAction(ports, request, wanted);
  if (checked.kind !== "go") {
    const detail = checked.kind === "refused" ? { problems: checked.problems } : {};
    if (!seen.dryRun) await audit(ports, request, wanted, seen.actor, checked.kind, detail);
    return checked.kind === "already" ? { ...checked, request } : checked;
  }
  const { warnings = [], detail = {} } = checked;
  const effect = await foresee(request, wanted.action);
  const told = { reason: describeEffect(effect, name, checked.reason), warnings, detail, effect };
  if (seen.dryRun) return { kind: "would", ...told, request };
  const isStored = await store.transaction((tx) =>
    storeWish({ ...ports, store: tx }, request, wanted, checked, seen.actor),
  );
  const now = (await store.requests.get(name)) ?? request;
  return isStored ? { kind: "done", ...told, request: now } : movedOn(store, now);
}

/** It is not what the caller looked at: what it is now, and how it came to that. */
export async function movedOn(store: Store, request: RequestRecord): Promise<Extract<ActAnswer, { kind: "stale" }>> {
  const { spec, status, wish } = request;
  const last = (await store.requests.transitions(spec.name)).at(-1);
  const how = last ? ` (${[...(last.from ? [`${last.from} → ${last.to}`] : []), last.reason].join(": ")})` : "";
  const asked = wish ? `, and ${wish.actor} asked for ${wish.kind}` : "";
  return { kind: "stale", request, why: `it changed since it was shown: it is ${status} now${how}${asked}` };
}

/**
 * The wish, what a release changes at once, and the audit entry; `ports` with the store of a transaction. false: the
 * request moved on since it was checked.
 */
export async function storeWish(
  ports: Work,
  request: RequestRecord,
  wanted: OperatorRequest,
  { reason: decided, detail = {}, modifications }: Go,
  actor: string,
): Promise<boolean> {
  const at = ports.clock.now();
  const { action, reason, cleanupPolicy = null, draft = null } = wanted;
  const kind = wishKind(action);
  if (kind === null) {
    const why = { reason: decided ?? `${action}: ${reason}`, actor, at };
    if (!(await ports.store.requests.change(request.spec.name, request.version, { status: "submitted" }, why)))
      return false;
  } else if (action === "restart" && isTerminal(request.status)) {
    if (!(await startClone(ports, request, { cleanupPolicy, draft }, actor))) return false;
  } else {
    const isJoined = action === "resubmit" && request.wish?.kind === "resubmit";
    const kept = action === "restart" && draft ? { ...detail, draft: packDraft(draft) } : detail;
    const wish = isJoined ? { ...request.wish, detail } : { kind, actor, reason, at, detail: kept };
    const change = {
      wish: wish as RequestWish,
      ...(modifications && { modifications: joined(request.modifications, modifications) }),
    };
    const why = { reason: decided ?? `${action}: ${reason}`, actor, at };
    if (!(await ports.store.requests.change(request.spec.name, request.version, change, why))) return false;
    if (action === "release" && draft) {
      await ports.store.requests.replaceFiles(request.spec.name, draft.files);
      if (draft.document) await ports.store.requests.keepDocument(request.spec.name, draft.document);
    }
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
  const at = clock.now();
  await store.outputs.retry({ workflowId: workflow.id }, at);
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
