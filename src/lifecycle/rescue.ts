import { invariant } from "../base/errors.ts";
import type { Dag, RescueKind } from "../domain/dag.ts";
import type { DagId, SiteName, WorkflowId } from "../domain/names.ts";
import type { Store } from "../store/port.ts";
import type { Apply } from "./apply.ts";
import { avoidClosedSites } from "./avoid-closed-sites.ts";
import { decideReady, decideSteps, type RescueNote, type UnitSteps } from "./decide-rescue.ts";
import type { Facts, Rescue } from "./decision.ts";
import { loadRequestFiles } from "./fetch-files.ts";
import { effectiveSpec, latestUnits } from "./gather-round.ts";
import { assertLeads } from "./in-progress.ts";
import { tellMetrics } from "./measure.ts";
import { again, changeWorkflow, endDag, holdRequest, move, theRun } from "./moves.ts";
import type { NewEpoch, PassWork, Ports } from "./ports.ts";
import { resizeUnits } from "./resize-units.ts";

/**
 * A rescue is a new DAG on the same directory: the engine skips what is done. Its row comes first, with all that is to
 * be changed in the directory, so that a crash while the files are changed is made good by changing them again.
 */
export const beginRescue: Apply<"rescue"> = async (ports, facts, decision) => {
  const { request, round } = facts;
  const { dag } = theRun(facts);
  const { rescueKind, reelectUnits, leaveOut, epochOf, reason } = decision;
  const at = ports.clock.now();
  const isByHand = rescueKind === "operator";
  const within = async (store: Store) => {
    await applyBans(ports, store, facts);
    await tellMetrics(store, facts);
    const units = (round?.unfinished ?? []).filter((unit) => !leaveOut.includes(unit));
    const { changes = {}, nodeChanges = {}, sameEpoch = [] } = (request.wish?.detail ?? {}) as Partial<RescueNote>;
    const by = request.wish?.actor ?? "wms2";
    const note = { units, reelectUnits, epochOf, sameEpoch, changes, nodeChanges, by, reason };
    await createChild(ports, store, facts, dag, rescueKind, note);
  };
  if (request.status === "held") {
    const change = { wish: null, rescuesUsed: 0 };
    return move(ports, facts, "queued", reason, change, within);
  }
  const done = await ports.store.transaction(async (store) => {
    const change = isByHand ? { wish: null, rescuesUsed: 0 } : { rescuesUsed: request.rescuesUsed + 1 };
    const why = { reason, actor: "wms2", at };
    if (!(await store.requests.change(request.spec.name, request.version, change, why))) return false;
    await within(store);
    return true;
  });
  if (done) ports.log.info("round.rescued", { request: request.spec.name, reason });
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

/** Changes the directory as the rescue says. May be done again: nothing is submitted before it is through. */
export const prepareRescue: Apply<"prepare-rescue"> = async (ports, facts, { reason }) => {
  const { spool, store } = ports;
  const { dag, workflow } = theRun(facts);
  const { submitDir } = dag;
  const event = (await store.dags.history(dag.id)).findLast(({ type }) => type === "rescue");
  invariant(event, "a rescue that says nothing", { dag: dag.id });
  const note = event.detail as unknown as RescueNote;
  const finished: ReadonlySet<string> = await store.units.finishedNames(workflow.id);
  const unfinished = latestUnits(workflow, dag).filter((unit) => !finished.has(unit));
  const change = decideSteps(note, await spool.damaged(submitDir, unfinished));
  // The run is over before it began: so the round can be left behind.
  if (change.kind === "hold")
    return holdRequest(ports, facts, change.hold, (tx, at) => endDag(tx, dag, "failed", change.hold.message, at));
  // Epochs are numbered by the rescues people asked for in this chain of runs.
  const epoch = await store.dags.countRescues(workflow.id, dag.round, "operator");
  const opening = { epoch, by: note.by, reason: note.reason, at: event.at.toISOString() };
  for (const steps of change.steps) await changeUnit(ports, submitDir, steps, opening);
  await resizeUnits(ports, facts, workflow, dag, unfinished);
  const { request } = facts;
  if (request.modifications?.revision) {
    const files = await loadRequestFiles(ports, request.spec);
    if (!files.ok) return holdRequest(ports, facts, files.error);
    await spool.revise(submitDir, effectiveSpec(request), files.value, note.units);
  }
  const kept = await avoidClosedSites(ports, workflow, dag, unfinished);
  const decision = decideReady(kept, await spool.rescueTrouble(submitDir), submitDir, reason);
  if (decision.kind === "hold") return holdRequest(ports, facts, decision.hold);
  const at = ports.clock.now();
  await markReservationsDone(ports, workflow.id, note.epochOf ?? {}, at);
  await store.dags.change(dag.id, dag.version, { status: "ready" }, { reason: decision.reason, at });
  return again;
};

/** A late pass must not change the files of a run that another server has begun since: each unit asks again. */
async function changeUnit(
  ports: PassWork,
  submitDir: string,
  { unit, letRun, avoidSites, openEpoch, adjust, landAt }: UnitSteps,
  opening: Omit<NewEpoch, "nodes">,
): Promise<void> {
  const { spool } = ports;
  assertLeads(ports);
  if (letRun !== undefined) await spool.letRun(submitDir, unit, letRun);
  if (avoidSites) await spool.reelect(submitDir, unit, avoidSites);
  if (openEpoch !== undefined) await spool.openEpoch(submitDir, unit, { ...opening, nodes: openEpoch });
  if (adjust) await spool.adjust(submitDir, unit, adjust.nodes, adjust.changesOf);
  if (landAt) await spool.reelect(submitDir, unit, [], landAt);
}

/** Retries that people reserved are carried out by the epoch that was opened for their nodes. */
async function markReservationsDone(
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
