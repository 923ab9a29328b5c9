import type { Dag } from "../domain/dag.ts";
import type { Store } from "../store/port.ts";
import type { Apply } from "./apply.ts";
import type { Facts } from "./decision.ts";
import { runOf } from "./gather.ts";
import { assertLeads } from "./in-progress.ts";
import { type Applied, again, closeRound, endDag, move, rest, theRun } from "./moves.ts";
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
export const beginStop: Apply<"begin-stop"> = (ports, facts, { because }) =>
  move(ports, facts, "stopping", because, {}, (store, at) => noteStop(store, theRun(facts).dag, because, at));

/** Asks for the removal of the whole tree; whatever comes after waits until the engine has none of it left. */
export const stopRun: Apply<"stop-run"> = async (ports, facts, { because }) => {
  const { dag } = theRun(facts);
  if (dag.status === "ready") return stopSubmission(ports, facts, dag, because);
  const run = runOf(dag, facts.request.priority);
  const found = await ports.engine.find(run);
  if (found.kind === "unknown") return rest(`cannot tell whether jobs are left: ${found.why}`);
  if (found.kind === "absent") return rest("the engine has let go of it; waits for its last word");
  const at = ports.clock.now();
  assertLeads(ports);
  await noteStop(ports.store, dag, because, at);
  await ports.engine.stop(run);
  await ports.store.intents.tried(dag.id, "stop", null);
  return rest("its jobs are being removed");
};

const NOTHING_CHANGES = { units: [], reelectUnits: [], epochOf: null, by: "wms2" };

/** A submission is uncertain: it is fenced off, so that it cannot come later; what it did before is stopped as a run is. */
async function stopSubmission(ports: PassWork, facts: Facts, dag: Dag, because: string): Promise<Applied> {
  const { store, engine, clock, policy } = ports;
  const ticket = await store.dags.takeTicket(dag);
  if (ticket === null) return again;
  const found = await engine.find(runOf(dag, 0), ticket);
  if (found.kind === "unknown") return rest(`cannot tell whether it was submitted: ${found.why}`);
  const held = { ...dag, version: dag.version + 1 };
  if (found.kind === "found") await noteSubmitted(store, held, found.engineId, because, clock.now());
  else if (facts.leaderForSec < policy.resubmitGraceSec)
    return rest("an interrupted submission may still be on its way");
  else await endDag(store, held, "stopped", because, clock.now());
  return again;
}

/** Nothing is left of the run: it goes on from its rescue, at once or when a person says so. */
export const finishStop: Apply<"stopped"> = (ports, facts, { afterwards, because }) => {
  const { dag, workflow, request, observation } = facts;
  const [step, ...steps] = request.productionSteps;
  const isDemotion = step !== undefined && request.wish === null;
  const demoted = isDemotion ? { priority: step.priority, productionSteps: steps } : {};
  const isHold = afterwards !== "resubmitting";
  const change = { ...demoted, wish: null, ...(isHold ? { hold: afterwards } : {}) };
  return move(ports, facts, isHold ? "held" : "resubmitting", because, change, async (store, at) => {
    if (!dag || !workflow) return;
    const isDone = observation?.kind === "ended" && observation.verdict === "success";
    await endDag(store, dag, isDone ? "completed" : "stopped", because, at);
    await store.intents.settle(dag.id, "stop", "settled", at);
    if (isDone) await closeRound(store, facts);
    else await createChild(ports, store, facts, dag, "stop", { ...NOTHING_CHANGES, because });
  });
};
