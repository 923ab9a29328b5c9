import { invariant } from "../core/base/errors.ts";
import { groupBy } from "../core/base/group-by.ts";
import type { Dag, RescueKind } from "../core/dag.ts";
import type { DagId, SiteName, WorkflowId } from "../core/names.ts";
import type { Store } from "../store/port.ts";
import type { Apply } from "./apply.ts";
import { avoidClosedSites } from "./avoid-closed-sites.ts";
import { decideReady, decideSteps, type RescueNote, type UnitSteps } from "./decide-rescue.ts";
import type { Facts, Rescue } from "./decision.ts";
import { loadRequestFiles } from "./fetch-files.ts";
import { failedNodes } from "./gather-failed.ts";
import { effectiveSpec, roundUnits } from "./gather-round.ts";
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
  const { rescuesUsed } = request;
  const isByHand = rescueKind === "operator";
  const isCounted = rescueKind === "failure";
  const within = async (store: Store) => {
    await applyBans(ports, store, facts);
    await tellMetrics(store, facts);
    const units = (round?.unfinished ?? []).filter((unit) => !leaveOut.includes(unit));
    const asked = (isByHand ? (request.wish?.detail ?? {}) : decision) as Partial<RescueNote>;
    const { changes = {}, nodeChanges = {}, sameEpoch = [], said = {}, alone = false } = asked;
    const by = request.wish?.actor ?? "wms2";
    const note = { units, reelectUnits, epochOf, sameEpoch, said, changes, nodeChanges, alone, by, reason };
    await createChild(ports, store, facts, dag, rescueKind, note);
    if (rescueKind !== "recovery") return;
    const entry = { at, actor: "wms2", action: "recover", subject: request.spec.name, outcome: "done" as const };
    await store.audit.add({ ...entry, reason, detail: { epochOf, nodeChanges } });
  };
  if (request.status === "held") {
    const change = { wish: null, rescuesUsed: 0 };
    return move(ports, facts, "queued", reason, change, within);
  }
  const done = await ports.store.transaction(async (store) => {
    const change = isByHand ? { wish: null, rescuesUsed: 0 } : isCounted ? { rescuesUsed: rescuesUsed + 1 } : {};
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
  const left = {
    units: { ...units, waiting: units.total - units.done, running: 0, failed: 0 },
    nodes: { ...nodes, waiting: nodes.total - nodes.done, queued: 0, idle: 0, held: 0, failed: 0 },
  };
  await createRescue(ports, store, { ...parent, ...left, id, parentDagId: parent.id, rescueKind }, note);
  await changeWorkflow(store, facts, () => ({ currentDagId: id, hasAllUnits: false }));
}

/** A DAG that is not in the engine yet, with what is to be done before it may be. */
export async function createRescue({ clock }: Ports, store: Store, dag: Dag, note: RescueNote): Promise<void> {
  const at = clock.now();
  const fresh = { status: "planning", version: 1, engineId: null, submittedAt: null, endedAt: null } as const;
  const stop = { stopRequestedAt: null, stopReason: null, endReason: null };
  await store.dags.create({ ...dag, ...fresh, ...stop, createdAt: at });
  await store.dags.addEvent({ dagId: dag.id, type: "rescue", detail: { ...note }, at });
}

/** What it is about, and the epoch it opens: they are numbered by what opened them in this chain of runs. */
export async function rescueNote({ store }: Ports, { id, workflowId, round }: Dag) {
  const event = (await store.dags.history(id)).findLast(({ type }) => type === "rescue");
  invariant(event, "a rescue that says nothing", { dag: id });
  const note = event.detail as unknown as RescueNote;
  const opened = (kind: RescueKind) => store.dags.countRescues(workflowId, round, kind);
  const epoch = (await opened("operator")) + (await opened("recovery")) + (await opened("side"));
  const { by, reason, said = {} } = note;
  return { note, at: event.at, opening: { epoch, by, reason, said, at: event.at.toISOString() } };
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
  const { note, at: asked, opening } = await rescueNote(ports, dag);
  const finished: ReadonlySet<string> = await store.units.finishedNames(workflow.id);
  const { unitNames, unfinished } = await roundUnits(ports, workflow, dag, finished);
  const damaged = await spool.damaged(submitDir, unfinished);
  const failed = note.alone && damaged.length === 0 ? await failedNodes(ports, submitDir, unfinished) : [];
  const change = decideSteps(note, damaged, failed);
  // The run is over before it began: so the round can be left behind.
  if (change.kind === "hold")
    return holdRequest(ports, facts, change.hold, (tx, at) => endDag(tx, dag, "failed", change.hold.message, at));
  const done = unitNames.filter((unit) => finished.has(unit));
  assertLeads(ports);
  if (dag.rescueKind !== "side") await spool.nameDone(submitDir, done);
  await spool.reopenEnded(submitDir, asked);
  for (const steps of change.steps) await changeUnit(ports, submitDir, steps, opening);
  // Last: units that share a folder let all run there that an earlier run had left.
  for (const { unit, leave } of change.steps) if (leave) await spool.leave(submitDir, unit, leave);
  await resizeUnits(ports, facts, workflow, dag, unfinished);
  const { request } = facts;
  const rules = await store.rules.list();
  if (request.modifications?.revision) {
    const files = await loadRequestFiles(ports, request.spec);
    if (!files.ok) return holdRequest(ports, facts, files.error);
    await spool.revise(submitDir, effectiveSpec(request), files.value, note.units, rules);
  } else await spool.remember(submitDir, rules);
  const kept = await avoidClosedSites(ports, workflow, dag, unfinished);
  const decision = decideReady(kept, await spool.damagedRescues(submitDir), submitDir, facts.unitWord, reason);
  if (decision.kind === "hold") return holdRequest(ports, facts, decision.hold);
  for (const { unit, file } of decision.setAside) await spool.setRescueAside(submitDir, unit, file);
  const at = ports.clock.now();
  await markReservationsDone(ports, workflow.id, note.epochOf ?? {}, at);
  await store.dags.change(dag.id, dag.version, { status: "ready" }, { reason: decision.reason, at });
  return again;
};

/** A late pass must not change the files of a run that another server has begun since: each unit asks again. */
export async function changeUnit(
  ports: PassWork,
  submitDir: string,
  { unit, letRun, avoidSites, openEpoch, adjust, landAt }: UnitSteps,
  { said, ...opening }: Omit<NewEpoch, "nodes"> & { readonly said: NonNullable<RescueNote["said"]> },
): Promise<void> {
  const { spool } = ports;
  assertLeads(ports);
  if (letRun !== undefined) await spool.letRun(submitDir, unit, letRun);
  if (avoidSites) await spool.reelect(submitDir, unit, avoidSites);
  if (openEpoch !== undefined)
    for (const epoch of epochsOf(unit, openEpoch, said))
      await spool.openEpoch(submitDir, unit, { ...opening, ...epoch });
  if (adjust) await spool.adjust(submitDir, unit, adjust.nodes, adjust.changesOf);
  if (landAt) await spool.reelect(submitDir, unit, [], landAt);
}

/** Nodes that were asked for by different people, or for different reasons, each with theirs. */
function epochsOf(unit: string, nodes: readonly string[] | null, said: NonNullable<RescueNote["said"]>) {
  if (nodes === null || Object.keys(said).length === 0) return [{ nodes }];
  // A job of a graph is its own unit, and shares a folder with others.
  const wordOf = (node: string) => said[`${unit}/${node}`] ?? said[`${node}/${node}`];
  return [...groupBy(nodes, (node) => JSON.stringify(wordOf(node) ?? null)).values()].map((of) => ({
    nodes: of,
    ...wordOf(of[0] ?? ""),
  }));
}

/** Retries that people reserved are carried out by the epoch that was opened for their nodes. */
export async function markReservationsDone(
  { store }: Ports,
  workflowId: WorkflowId,
  epochs: NonNullable<Rescue["epochOf"]>,
  at: Date,
): Promise<void> {
  const isOpened = (unit: string, node: string) => unit in epochs && (epochs[unit]?.includes(node) ?? true);
  const said = await store.nodeActions.ofWorkflow(workflowId);
  const pending = said.filter(({ appliedAt, kind }) => appliedAt === null && kind !== "fail");
  const done = pending.filter(({ unit, node }) => isOpened(unit, node)).map(({ id }) => id);
  if (done.length) await store.nodeActions.markApplied(done, at);
}
