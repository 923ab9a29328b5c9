import { invariant } from "../base/errors.ts";
import { listed, plural } from "../base/text.ts";
import type { Dag, RescueKind } from "../domain/dag.ts";
import type { DagId, SiteName, WorkflowId } from "../domain/names.ts";
import { describeDamage, UNIT_DAMAGED } from "../recovery/round/damage.ts";
import { NO_RESCUE } from "../recovery/round/hold-round.ts";
import type { Store } from "../store/port.ts";
import type { Apply } from "./apply.ts";
import { keepAway } from "./avoid-closed-sites.ts";
import type { Facts, Rescue } from "./decision.ts";
import { effectiveSpec, latestUnits } from "./gather-round.ts";
import { assertLeads } from "./in-progress.ts";
import { again, changeWorkflow, endDag, holdRequest, move, theRun } from "./moves.ts";
import type { Ports } from "./ports.ts";
import { changesFor, type RerunWish, sitesFor } from "./rerun-wish.ts";

/**
 * A rescue is a new DAG on the same directory: the engine skips what is done. Its row comes first, with all that is to
 * be changed in the directory, so that a crash while the files are changed is made good by changing them again.
 */
export const beginRescue: Apply<"rescue"> = async (ports, facts, decision) => {
  const { request, round } = facts;
  const { dag } = theRun(facts);
  const { rescueKind, reelectUnits, leaveOut, epochOf, because } = decision;
  const at = ports.clock.now();
  const isByHand = rescueKind === "operator";
  const within = async (store: Store) => {
    await applyBans(ports, store, facts);
    const units = (round?.unfinished ?? []).filter((unit) => !leaveOut.includes(unit));
    const { changes = {}, nodeChanges = {}, sameEpoch = [] } = (request.wish?.detail ?? {}) as Partial<RescueNote>;
    const by = request.wish?.actor ?? "wms2";
    const note = { units, reelectUnits, epochOf, sameEpoch, changes, nodeChanges, by, because };
    await createChild(ports, store, facts, dag, rescueKind, note);
  };
  if (request.status === "held") {
    const change = { wish: null, rescuesUsed: 0 };
    return move(ports, facts, "queued", because, change, within);
  }
  const done = await ports.store.transaction(async (store) => {
    const change = isByHand ? { wish: null, rescuesUsed: 0 } : { rescuesUsed: request.rescuesUsed + 1 };
    const why = { reason: because, actor: "wms2", at };
    if (!(await store.requests.change(request.spec.name, request.version, change, why))) return false;
    await within(store);
    return true;
  });
  if (done) ports.log.info("round.rescued", { request: request.spec.name, because });
  return again;
};

/** The row of a run that goes on where another one ended, and what is to be changed in its directory before. */
export async function createChild(
  ports: Ports,
  store: Store,
  facts: Facts,
  parent: Dag,
  rescueKind: RescueKind,
  note: RescueNote,
): Promise<void> {
  const id = ports.ids.next() as DagId;
  const { units, nodes } = parent;
  await store.dags.create({
    ...parent,
    id,
    status: "planning",
    version: 1,
    parentDagId: parent.id,
    rescueKind,
    engineId: null,
    units: { ...units, waiting: units.total - units.done, running: 0, failed: 0 },
    nodes: { ...nodes, waiting: nodes.total - nodes.done, queued: 0, idle: 0, held: 0, failed: 0 },
    stopRequestedAt: null,
    stopReason: null,
    endReason: null,
    createdAt: ports.clock.now(),
    submittedAt: null,
    endedAt: null,
  });
  await store.dags.addEvent({ dagId: id, type: "rescue", detail: { ...note }, at: ports.clock.now() });
  await changeWorkflow(store, facts, () => ({ currentDagId: id }));
}

/** What the failures of the round said about sites, stored together with what is done about them. */
export async function applyBans(ports: Ports, store: Store, { round }: Facts): Promise<void> {
  if (!round) return;
  const at = ports.clock.now();
  for (const ban of [...round.bans.create, ...round.bans.promote]) {
    const { site, workflowId, reason, evidence, expiresAt: until } = ban;
    await store.sites.ban({ site: site as SiteName, workflowId, reason, evidence, until, actor: "wms2", at });
  }
  const by = { at, actor: "wms2", detail: {}, outcome: "done" as const };
  for (const { key, event, site, reason } of round.bans.audit) {
    await store.audit.add({ key, action: event, subject: site, reason, ...by });
  }
}

export interface RescueNote
  extends Pick<RerunWish, "changes" | "nodeChanges" | "sameEpoch">,
    Pick<Rescue, "reelectUnits" | "epochOf"> {
  readonly units: readonly string[];
  readonly by: string;
  readonly because: string;
}

/** Changes the directory as the rescue says. May be done again: nothing is submitted before it is through. */
export const prepareRescue: Apply<"prepare-rescue"> = async (ports, facts, { because }) => {
  const { dag, workflow } = theRun(facts);
  const event = (await ports.store.dags.history(dag.id)).findLast(({ type }) => type === "rescue");
  invariant(event, "a rescue that says nothing", { dag: dag.id });
  const note = event.detail as unknown as RescueNote;
  const { spool, store } = ports;
  const { submitDir } = dag;
  const finished: ReadonlySet<string> = await store.units.finishedNames(workflow.id);
  const unfinished = latestUnits(workflow, dag).filter((unit) => !finished.has(unit));
  const damaged = await spool.damaged(submitDir, unfinished);
  if (damaged.length > 0) {
    const message = describeDamage(damaged);
    const hold = { code: UNIT_DAMAGED, message, evidence: { damaged: damaged.slice(0, 20) }, actions: NO_RESCUE };
    // The run is over before it began: so the round can be left behind.
    return holdRequest(ports, facts, hold, (tx, at) => endDag(tx, dag, "failed", message, at));
  }
  const epochs = note.epochOf ?? {};
  // Without a new epoch only what level 1 left open runs again; marks of a final stop stay. A late pass must not change
  // the files of a run that another server has begun since: each step asks again.
  for (const unit of note.units) {
    assertLeads(ports);
    await spool.letRun(submitDir, unit, unit in epochs ? (epochs[unit] ?? null) : []);
  }
  for (const { unit, avoidSites } of note.reelectUnits) {
    assertLeads(ports);
    await spool.reelect(submitDir, unit, avoidSites);
  }
  // Epochs are numbered by the rescues people asked for in this chain of runs.
  const epoch = await ports.store.dags.countRescues(workflow.id, dag.round, "operator");
  const opening = { epoch, by: note.by, reason: note.because, at: event.at.toISOString() };
  for (const [unit, nodes] of Object.entries(epochs)) {
    assertLeads(ports);
    const opened = nodes?.filter((node) => !note.sameEpoch?.includes(`${unit}/${node}`)) ?? null;
    if (opened?.length !== 0) await spool.openEpoch(submitDir, unit, { ...opening, nodes: opened });
    await spool.adjust(submitDir, unit, nodes, (node) => changesFor(note, unit, node));
    const sites = sitesFor(note, unit);
    if (sites.length) await spool.reelect(submitDir, unit, [], sites);
  }
  const { request } = facts;
  if (request.modifications?.revision)
    await spool.revise(
      submitDir,
      effectiveSpec(request),
      await ports.store.requests.files(request.spec.name),
      note.units,
    );
  const { words, nowhere, closed } = await keepAway(ports, workflow, dag, unfinished);
  if (nowhere.length > 0) {
    const message = `${plural(nowhere.length, "unit")} could run nowhere (${listed(nowhere)}): ${listed(closed)}`;
    const actions = ["release", "fail", "restart", "abort"];
    const evidence = { units: nowhere.slice(0, 20), closed };
    return holdRequest(ports, facts, { code: "no-site-left", message, evidence, actions });
  }
  const trouble = await spool.rescueTrouble(submitDir);
  if (trouble) {
    const actions = ["restart", "abort"];
    return holdRequest(ports, facts, { code: "rescue-damaged", message: trouble, evidence: { submitDir }, actions });
  }
  const at = ports.clock.now();
  await settleReservations(ports, workflow.id, epochs, at);
  const reason = words === null ? because : `${because}; ${words}`;
  await ports.store.dags.change(dag.id, dag.version, { status: "ready" }, { reason, at });
  return again;
};

/** Retries that people reserved are carried out by the epoch that was opened for their nodes. */
async function settleReservations(
  { store }: Ports,
  workflowId: WorkflowId,
  epochs: NonNullable<Rescue["epochOf"]>,
  at: Date,
): Promise<void> {
  const isOpened = (unit: string, node: string) => unit in epochs && (epochs[unit]?.includes(node) ?? true);
  const pending = await store.nodeActions.pending(workflowId);
  const done = pending.filter(({ kind, unit, node }) => kind !== "fail" && isOpened(unit, node)).map(({ id }) => id);
  if (done.length) await store.nodeActions.markApplied(done, at);
}
