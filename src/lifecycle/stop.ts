import type { Dag } from "../domain/dag.ts";
import type { Store } from "../store/port.ts";
import type { Apply } from "./apply.ts";
import { runOf } from "./gather.ts";
import { again, closeRound, endDag, move, rest, theRun } from "./moves.ts";
import { createChild } from "./rescue.ts";

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
  const run = runOf(dag, facts.request.priority);
  const found = await ports.engine.find(run);
  if (found.kind === "unknown") return rest(`cannot tell whether jobs are left: ${found.why}`);
  const at = ports.clock.now();
  if (found.kind === "absent") {
    // A run that was submitted leaves a last word behind; one whose submission is uncertain may never have begun.
    if (dag.status !== "ready") return rest("the engine has let go of it; waits for its last word");
    if (facts.leaderForSec < ports.policy.resubmitGraceSec)
      return rest("an interrupted submission may still be on its way");
    await endDag(ports.store, dag, "stopped", because, at);
    return again;
  }
  await noteStop(ports.store, dag, because, at);
  await ports.engine.stop(run);
  await ports.store.intents.tried(dag.id, "stop", null);
  return rest("its jobs are being removed");
};

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
    else await createChild(ports, store, facts, dag, "stop", "ready");
  });
};
