import { isDagOver } from "../core/dag.ts";
import type { WorkflowId } from "../core/names.ts";
import { kindOf } from "../kinds/kind.ts";
import type { RequestChange, Store } from "../store/port.ts";
import type { Decision, Facts } from "./decision.ts";
import { excludeFiles, leaveRound, moveEngine } from "./leave-round.ts";
import { tellMetrics } from "./measure.ts";
import {
  type Applied,
  again,
  changeWorkflow,
  closeRound,
  endDag,
  endRun,
  holdRequest,
  move,
  moveToCompleted,
  rest,
  theRun,
} from "./moves.ts";
import type { PassWork } from "./ports.ts";
import { recordUnits } from "./record-units.ts";
import { applyBans, beginRescue, prepareRescue } from "./rescue.ts";
import { fail, leaveManifest, outputsAfter, restart, supersedePredecessor, withdrawIfAsked } from "./restart.ts";
import { settleProducts } from "./settle-products.ts";
import { beginSide, endSide, prepareSide } from "./side-run.ts";
import { beginStop, finishStop, stopRun } from "./stop.ts";
import { submitDag, submitSide } from "./submit-dag.ts";
import { countersBefore, planNextRound } from "./write-plan.ts";

/** Carries out one kind of decision. Every change is compare-and-set on what the facts saw. */
export type Apply<Kind extends Decision["kind"]> = (
  ports: PassWork,
  facts: Facts,
  decision: Extract<Decision, { kind: Kind }>,
) => Promise<Applied>;

/** It may have been held before it had a workflow: without one there would be nothing to do for it. */
const toQueue = (ports: PassWork, facts: Facts, reason: string, more: RequestChange): Promise<Applied> => {
  const { spec } = facts.request;
  return move(ports, facts, "queued", reason, more, async (store, at) => {
    if (facts.workflow || (await store.workflows.forRequest(spec.name))) return;
    const first = kindOf(ports.kinds, spec.work).begin(spec.work);
    await store.workflows.create({
      id: ports.ids.next() as WorkflowId,
      requestName: spec.name,
      status: "new",
      version: 1,
      round: 0,
      currentDagId: null,
      nextUnit: first.unit,
      nextNode: first.node,
      nextBlock: first.block,
      nextFirstEvent: first.firstEvent,
      nextFirstLumi: first.firstLumi,
      unitsPlanned: 0,
      unitsDone: 0,
      sharePlanned: 1,
      lastDoneAt: null,
      nodesPlanned: 0,
      nodesDone: 0,
      eventsDone: 0n,
      abandonedEvents: 0n,
      hasAllUnits: false,
      stepMetrics: null,
      engine: null,
      createdAt: at,
      updatedAt: at,
    });
  });
};

const endFill: Apply<"end-fill"> = async ({ store }, { workflow, filling }) => {
  if (workflow && filling?.asked) await store.segmentNodes.endFill(workflow.id, filling.asked);
  return again;
};

/** A directory that was never handed to the engine is removed; its DAG row stays, as failed, for the record. */
const discardPlan: Apply<"discard-plan"> = async (ports, facts, { reason }) => {
  const { dag, workflow } = theRun(facts);
  await ports.spool.discard(dag.submitDir, dag.id);
  const before = dag.status === "ready" ? await countersBefore(ports, dag) : {};
  await ports.store.transaction(async (store) => {
    await endDag(store, dag, "failed", reason, ports.clock.now());
    // Its work was counted when the directory was whole; it is planned again from where it began, and counted then.
    const { unitsPlanned, nodesPlanned } = workflow;
    const undone = {
      ...before,
      unitsPlanned: unitsPlanned - dag.units.total,
      nodesPlanned: nodesPlanned - dag.nodes.total,
    };
    if (before.nextBlock !== undefined) await store.units.dropBlocks(workflow.id, before.nextBlock);
    await store.workflows.change(workflow.id, workflow.version, {
      ...(dag.status === "ready" ? undone : {}),
      currentDagId: null,
    });
  });
  return again;
};

const finishRound: Apply<"finish-round"> = (ports, facts, { next, reason }) => {
  const { dag } = theRun(facts);
  const end = async (store: Store, at: Date) => {
    if (!isDagOver(dag.status)) await endDag(store, dag, "completed", reason, at);
    await tellMetrics(store, facts);
  };
  if (next === "queued")
    return move(ports, facts, next, reason, { rescuesUsed: 0 }, async (store, at) => {
      await end(store, at);
      await closeRound({ ...ports, store }, facts);
    });
  return moveToCompleted(ports, facts, reason, async (store, at) => {
    await end(store, at);
    await changeWorkflow(store, facts, ({ nodesDone }) => ({ nodesDone: nodesDone + dag.nodes.done }));
    await supersedePredecessor({ ...ports, store }, facts);
  });
};

/** The outputs of the version before it are superseded with the same move: nothing is half replaced. */
const complete: Apply<"complete"> = (ports, facts, { reason }) =>
  moveToCompleted(ports, facts, reason, (store) => supersedePredecessor({ ...ports, store }, facts));

/** The engine may forget the run from here on. A request that ended as partial is active again, without a run. */
const oweOutputs: Apply<"owe-outputs"> = async (ports, facts, { reason }) => {
  const { dag } = theRun(facts);
  const { spec, status, version } = facts.request;
  const end = async (store: Store, at: Date) => {
    if (!isDagOver(dag.status)) await endDag(store, dag, "completed", reason, at);
    await tellMetrics(store, facts);
    await changeWorkflow(store, facts, ({ nodesDone }) => ({ nodesDone: nodesDone + dag.nodes.done }));
  };
  if (status !== "active") return move(ports, facts, "active", reason, { rescuesUsed: 0 }, end);
  await ports.store.transaction(async (store) => {
    const why = { reason, actor: "wms2", at: ports.clock.now() };
    if (await store.requests.change(spec.name, version, { rescuesUsed: 0 }, why)) await end(store, why.at);
  });
  return again;
};

/** The last blocks of its outputs are put together, and closed. */
const closeOutputs: Apply<"close-outputs"> = async ({ store }, facts) => {
  await changeWorkflow(store, facts, () => ({ hasAllUnits: true }));
  return again;
};

const endPartial: Apply<"end-partial"> = (ports, facts, { dagStatus, reason }) => {
  const { dag } = theRun(facts);
  return move(ports, facts, "partial", reason, {}, async (store, at) => {
    if (facts.observation?.kind !== "ended") return;
    const { verdict, unitsFailed, text, rescue } = facts.observation;
    await store.dags.addEvent({ dagId: dag.id, type: "ended", detail: { verdict, unitsFailed, text, rescue }, at });
    await endDag(store, dag, dagStatus, reason, at);
    await tellMetrics(store, facts);
  });
};

/** The files first: asked again after a crash, they come to the same. */
const endWaits: Apply<"end-waits"> = async (ports, { request, dag }, { nodes, reason }) => {
  const { wish, spec, version } = request;
  const [by, at] = [wish?.actor ?? "wms2", ports.clock.now()];
  for (const [unit, names] of dag ? Object.entries(nodes) : [])
    await ports.spool.endWaits(dag?.submitDir ?? "", unit, {
      nodes: names,
      by,
      reason: wish?.reason ?? reason,
      at: (wish?.at ?? at).toISOString(),
    });
  await ports.store.requests.change(spec.name, version, { wish: null }, { reason, actor: by, at });
  return again;
};

const dropWish: Apply<"drop-wish"> = async ({ store, clock }, { request }, { reason }) => {
  const why = { reason, actor: "wms2", at: clock.now() };
  await store.requests.change(request.spec.name, request.version, { wish: null }, why);
  return again;
};

const abort: Apply<"abort"> = async (ports, facts, { reason }) => {
  if (outputsAfter(facts).outputState) await leaveManifest(ports, facts, reason);
  return move(ports, facts, "aborted", reason, { wish: null, ...outputsAfter(facts) }, async (store, at) => {
    await endRun(store, facts, reason, at);
    await withdrawIfAsked(store, facts, reason, at);
  });
};

/** Of what is made as it falls due: how much of it is planned is known when nothing can be, and only then. */
async function noteShare({ store, kinds }: PassWork, facts: Facts): Promise<void> {
  const { request, workflow, filling } = facts;
  if (!workflow || !filling || filling.asked) return;
  const { work } = request.spec;
  const fill = { ...filling.plan, actions: [] };
  const sharePlanned = kindOf(kinds, work).sharePlanned({ work, workflow, files: null, fill });
  if (sharePlanned !== null && sharePlanned !== workflow.sharePlanned)
    await changeWorkflow(store, facts, () => ({ sharePlanned }));
}

const APPLY: { readonly [Kind in Decision["kind"]]: Apply<Kind> } = {
  wait: async (ports, facts, { reason, on }) => {
    await noteShare(ports, facts);
    return rest(reason, on);
  },
  "open-workflow": (ports, facts, { reason }) => toQueue(ports, facts, reason, {}),
  start: (ports, facts, { reason }) => move(ports, facts, "planning", reason),
  plan: planNextRound,
  "discard-plan": discardPlan,
  "settle-products": settleProducts,
  "end-fill": endFill,
  submit: submitDag,
  follow: recordUnits,
  "finish-round": finishRound,
  "close-outputs": closeOutputs,
  "owe-outputs": oweOutputs,
  "end-partial": endPartial,
  rescue: beginRescue,
  "prepare-rescue": prepareRescue,
  "begin-side": beginSide,
  "prepare-side": prepareSide,
  "submit-side": submitSide,
  "end-side": endSide,
  "exclude-files": excludeFiles,
  "leave-round": leaveRound,
  "move-engine": moveEngine,
  "begin-stop": beginStop,
  "stop-run": stopRun,
  stopped: finishStop,
  requeue: (ports, facts, { reason }) => toQueue(ports, facts, reason, { wish: null }),
  "drop-wish": dropWish,
  "end-waits": endWaits,
  "go-on": (ports, facts, { reason }) => move(ports, facts, "active", reason, { wish: null }),
  complete,
  fail,
  restart,
  abort,
  hold: (ports, facts, { hold }) =>
    holdRequest(ports, facts, hold, async (store) => {
      // With what its jobs were killed decides what people are advised.
      if (facts.round) await tellMetrics(store, facts);
      await applyBans(ports, store, facts);
    }),
};

/** Carries out exactly what was decided. */
export const apply = (ports: PassWork, facts: Facts, decision: Decision): Promise<Applied> =>
  (APPLY[decision.kind] as Apply<Decision["kind"]>)(ports, facts, decision);
