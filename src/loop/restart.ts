import { invariant, WorldError } from "../core/base/errors.ts";
import { stringify } from "../core/base/json.ts";
import type { RequestName } from "../core/names.ts";
import type { Draft, RequestFile, RequestRecord, RequestSpec } from "../core/request.ts";
import { decideCleanup, invalidationManifest } from "../recovery/round/cleanup.ts";
import { cloneOf } from "../recovery/round/restart.ts";
import { decodeSpec, encodeSpec, type Store } from "../store/port.ts";
import type { Apply } from "./apply.ts";
import type { Facts } from "./decision.ts";
import { endRun, move } from "./moves.ts";
import type { Ports } from "./ports.ts";

/** A person gives a request up. Its outputs stay until somebody withdraws them; the manifest lists what that takes. */
export const fail: Apply<"fail"> = async (ports, facts, { reason }) => {
  const manifest = await leaveManifest(ports, facts, reason);
  const withManifest = `${reason}; what to withdraw is listed in ${manifest}`;
  return move(ports, facts, "failed", withManifest, { wish: null, ...outputsAfter(facts) }, async (store, at) => {
    await endRun(store, facts, reason, at);
    if (facts.workflow) await store.units.failBlocks(facts.workflow.id, at);
    await withdrawIfAsked(store, facts, reason, at);
  });
};

/** abort, fail with --invalidate: a person named the request, and its outputs with it. */
const isInvalidating = ({ request }: Facts): boolean => request.wish?.detail?.invalidate === true;
export const outputsAfter = (facts: Facts): { outputState?: "invalidated" } =>
  isInvalidating(facts) ? { outputState: "invalidated" } : {};
export async function withdrawIfAsked(store: Store, facts: Facts, reason: string, at: Date): Promise<void> {
  if (isInvalidating(facts)) await withdrawOutputs(store, facts.request.spec.name, reason, at);
}

export async function leaveManifest(
  ports: Ports,
  { request, workflow }: Pick<Facts, "request" | "workflow">,
  reason: string,
): Promise<string> {
  const blocks = workflow ? await ports.store.units.blocks(workflow.id) : [];
  const units = workflow ? await ports.store.units.list(workflow.id) : [];
  const outputs = units.flatMap((unit) => unit.outputs.map((output) => ({ ...output, unit: unit.name })));
  const actor = request.wish?.actor ?? "wms2";
  const outputBlocks = await allBlocks(ports, request.spec.name);
  const facts = {
    spec: request.spec,
    supersededBy: request.supersededBy,
    blocks,
    outputBlocks,
    outputs,
    reason,
    actor,
  };
  const text = `${stringify(invalidationManifest(facts, ports.clock.now()), 2)}\n`;
  return ports.spool.leaveNote(request.spec.name, "invalidation.json", text);
}

/** Those that were merged too: they have rules of their own. */
export async function allBlocks({ store }: Pick<Ports, "store">, requestName: RequestName) {
  const wanted = { limit: 10_000, requestName };
  const [shown, merged] = [await store.outputs.list(wanted), await store.outputs.list({ ...wanted, status: "merged" })];
  return [...shown.items, ...merged.items];
}

/** Kill and clone: the next version begins, the old one is given up, and each names the other. */
export const restart: Apply<"restart"> = async (ports, facts, { reason }) => {
  const { request } = facts;
  const { spec, wish, version } = request;
  const word = wish?.detail?.cleanupPolicy;
  const draft = wish?.detail?.draft === undefined ? null : openDraft(wish.detail.draft as PackedDraft);
  const cleanupPolicy = word === "immediate_cleanup" || word === "keep_until_replaced" ? word : null;
  await leaveManifest(ports, facts, reason);
  const withClone = `${reason}; goes on as ${cloneOf(spec).name}`;
  return move(ports, facts, "failed", withClone, { wish: null }, async (store, at) => {
    await endRun(store, facts, reason, at);
    const old = { ...request, version: version + 1 };
    if (await startClone({ ...ports, store }, old, { cleanupPolicy, draft }, wish?.actor ?? "wms2")) return;
    const { name } = cloneOf(spec);
    throw new WorldError("conflict", name, `${spec.name} cannot be restarted: ${name} was submitted meanwhile`);
  });
};

/**
 * The clone comes first: a request can only name a successor that exists. The old one learns its name, and stays what
 * it is. To be called within a transaction; false: the clone's name is taken.
 */
export async function startClone(
  { store, clock }: Ports,
  { spec, version }: Pick<RequestRecord, "spec" | "version">,
  { cleanupPolicy, draft }: { cleanupPolicy: RequestSpec["cleanupPolicy"] | null; draft: Draft | null },
  actor: string,
): Promise<boolean> {
  const at = clock.now();
  const clone = cloneOf(spec, cleanupPolicy, draft?.spec);
  const files = draft?.files ?? (await store.requests.files(spec.name));
  if (!(await store.requests.create(clone, "submitted", files, actor, at))) return false;
  const document = draft ? draft.document : await store.requests.document(spec.name);
  if (document) await store.requests.keepDocument(clone.name, document);
  const why = { reason: `restarted as ${clone.name}`, actor, at };
  const isLinked = await store.requests.change(spec.name, version, { supersededBy: clone.name }, why);
  invariant(isLinked, "the request moved while it was restarted", { request: spec.name });
  return true;
}

/** A draft as a wish keeps it, in JSON. */
interface PackedDraft {
  readonly spec: unknown;
  readonly document?: string | undefined;
  readonly files: readonly (Omit<RequestFile, "content"> & { readonly content: string })[];
}
export const packDraft = ({ spec, files, document }: Draft): PackedDraft => ({
  spec: encodeSpec(spec),
  document,
  files: files.map((file) => ({ ...file, content: Buffer.from(file.content).toString("base64") })),
});
const openDraft = ({ spec, files, document }: PackedDraft): Draft => ({
  spec: decodeSpec(spec),
  document,
  files: files.map((file) => ({ ...file, content: Buffer.from(file.content, "base64") })),
});

/** From here on none of its outputs is valid for us; the walk over output blocks takes them back from the catalog. */
export async function withdrawOutputs(store: Store, name: RequestName, reason: string, at: Date): Promise<void> {
  const workflow = await store.workflows.forRequest(name);
  if (!workflow) return;
  await store.units.invalidate(workflow.id, "all", reason, at);
  await store.outputs.withdraw(workflow.id, at);
}

/**
 * When a clone is complete, the outputs of the version before it are superseded, or withdrawn if its policy says so. To
 * be called within the transaction that completes it.
 */
export async function supersedePredecessor(ports: Ports, facts: Facts): Promise<void> {
  const { spec } = facts.request;
  const before = spec.previousVersion && (await ports.store.requests.get(spec.previousVersion));
  if (!before) return;
  const decision = decideCleanup(before.outputState, spec);
  if (decision.kind === "keep") return;
  const at = ports.clock.now();
  const why = { reason: decision.reason, actor: "wms2", at };
  const outputState = decision.kind === "invalidate" ? "invalidated" : "superseded";
  if (!(await ports.store.requests.change(before.spec.name, before.version, { outputState }, why))) return;
  if (decision.kind === "invalidate") await withdrawOutputs(ports.store, before.spec.name, decision.reason, at);
  ports.log.info("outputs.superseded", { request: before.spec.name, state: outputState, reason: decision.reason });
}
