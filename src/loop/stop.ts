import type { Dag } from "../core/dag.ts";
import type { Store } from "../store/port.ts";
import type { Apply } from "./apply.ts";
import { decideFenced, decideRemoval } from "./decide-stop.ts";
import type { Facts } from "./decision.ts";
import { runOf } from "./gather.ts";
import { assertLeads } from "./in-progress.ts";
import { tellMetrics } from "./measure.ts";
import { type Applied, again, closeRound, endDag, endSides, move, rest, theRun } from "./moves.ts";
import type { PassWork } from "./ports.ts";
import { createChild } from "./rescue.ts";
import { noteSubmitted } from "./submit-dag.ts";

/** The intent comes first and names the batch; the row says since when, and why. */
async function noteStop(store: Store, dag: Dag, reason: string, at: Date): Promise<void> {
  await store.intents.begin(dag.id, "stop", runOf(dag, 0).batchName, at);
  if (!dag.stopRequestedAt)
    await store.dags.change(dag.id, dag.version, { stopRequestedAt: at, stopReason: reason }, { reason, at });
}

/** A clean stop begins: from here on the request waits until nothing of its run is left in the engine. */
export const beginStop: Apply<"begin-stop"> = (ports, facts, { reason }) =>
  move(ports, facts, "stopping", reason, {}, (store, at) => noteStop(store, theRun(facts).dag, reason, at));

/** Asks for the removal of the whole tree; whatever comes after waits until the engine has none of it left. */
export const stopRun: Apply<"stop-run"> = async (ports, facts, { reason }) => {
  let applied: Applied = again;
  for (const dag of [theRun(facts).dag, ...facts.sides.map((side) => side.dag)]) {
    const one = await stopOne(ports, facts, dag, reason);
    if (one.rest) applied = one;
  }
  return applied;
};

async function stopOne(ports: PassWork, facts: Facts, dag: Dag, reason: string): Promise<Applied> {
  // What was never handed over needs no stop.
  if (dag.status === "planning") return again;
  if (dag.status === "ready") return stopSubmission(ports, facts, dag, reason);
  const run = runOf(dag, facts.request.priority);
  const decision = decideRemoval(await ports.engine.find(run));
  if (decision.kind === "wait") return rest(decision.reason);
  assertLeads(ports);
  await noteStop(ports.store, dag, reason, ports.clock.now());
  await ports.engine.stop(run);
  await ports.store.intents.tried(dag.id, "stop", null);
  return rest("its jobs are being removed");
}

const NOTHING_CHANGES = { units: [], reelectUnits: [], epochOf: null, by: "wms2" };

/** A submission is uncertain: it is fenced off, so that it cannot come later. */
async function stopSubmission(ports: PassWork, facts: Facts, dag: Dag, reason: string): Promise<Applied> {
  const { store, engine, clock, policy } = ports;
  const ticket = await store.dags.takeTicket(dag);
  if (ticket === null) return again;
  const found = await engine.find(runOf(dag, 0), ticket);
  const decision = decideFenced(found, facts.leaderForSec, policy.resubmitGraceSec);
  if (decision.kind === "wait") return rest(decision.reason);
  const held = { ...dag, version: dag.version + 1 };
  if (decision.kind === "adopt") await noteSubmitted(store, held, decision.engineId, reason, clock.now());
  else await endDag(store, held, "stopped", reason, clock.now());
  return again;
}

/** Nothing is left of the run: it goes on from its rescue, at once or when a person says so. */
export const finishStop: Apply<"stopped"> = (ports, facts, { afterwards, demote, isRoundDone, reason }) => {
  const { dag, workflow } = facts;
  const isHold = afterwards !== "resubmitting";
  const change = { ...demote, wish: null, ...(isHold ? { hold: afterwards } : {}) };
  return move(ports, facts, isHold ? "held" : "resubmitting", reason, change, async (store, at) => {
    if (!dag || !workflow) return;
    await endSides(store, facts.sides, "stopped", reason, at);
    await endDag(store, dag, isRoundDone ? "completed" : "stopped", reason, at);
    await store.intents.close(dag.id, "stop", "settled", at);
    await tellMetrics(store, facts);
    if (isRoundDone) await closeRound({ ...ports, store }, facts);
    else await createChild(ports, store, facts, dag, "stop", { ...NOTHING_CHANGES, reason });
  });
};
