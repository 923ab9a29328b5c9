import { invariant } from "../base/errors.ts";
import type { Decision, Facts } from "./decision.ts";
import { runOf } from "./gather.ts";
import { type Applied, again, move, rest } from "./moves.ts";
import type { Ports } from "./ports.ts";
import { createChild } from "./rescue.ts";

/** A clean stop begins: from here on the request waits until nothing of its run is left in the engine. */
export async function beginStop(ports: Ports, facts: Facts, because: string): Promise<Applied> {
  const { dag } = facts;
  invariant(dag, "a stop without a run");
  const at = ports.clock.now();
  return move(ports, facts, "stopping", because, {}, async (store) => {
    await store.dags.change(dag.id, dag.version, { stopRequestedAt: at, stopReason: because }, { reason: because, at });
    await store.intents.begin({ dagId: dag.id, kind: "stop", batchName: runOf(dag, 0).batchName, at });
  });
}

/** Asks for the removal of the whole tree; whatever comes after waits until the engine has none of it left. */
export async function stopRun(ports: Ports, facts: Facts, because: string): Promise<Applied> {
  const { dag, request } = facts;
  invariant(dag, "a removal without a run");
  const run = runOf(dag, request.priority);
  const found = await ports.engine.find(run);
  if (found.kind === "unknown") return rest(`cannot tell whether jobs are left: ${found.why}`);
  if (found.kind === "absent") return absent(ports, facts, because);
  const at = ports.clock.now();
  await ports.store.intents.begin({ dagId: dag.id, kind: "stop", batchName: run.batchName, at });
  if (!dag.stopRequestedAt) {
    await ports.store.dags.change(
      dag.id,
      dag.version,
      { stopRequestedAt: at, stopReason: because },
      { reason: because, at },
    );
  }
  await ports.engine.stop(run);
  await ports.store.intents.tried(dag.id, "stop", null);
  return rest("its jobs are being removed");
}

const GRACE_SEC = 10;

/** A run that was submitted leaves a last word behind; one whose submission is uncertain may never have begun. */
async function absent(ports: Ports, facts: Facts, because: string): Promise<Applied> {
  const { dag } = facts;
  invariant(dag, "a removal without a run");
  if (dag.status !== "ready") return rest("the engine has let go of it; waits for its last word");
  if (facts.leaderForSec < GRACE_SEC) return rest("an interrupted submission may still be on its way");
  const at = ports.clock.now();
  await ports.store.dags.change(
    dag.id,
    dag.version,
    { status: "stopped", endReason: because, endedAt: at },
    { reason: because, at },
  );
  return again;
}

/** Nothing is left of the run: it goes on from its rescue, at once or when a person says so. */
export async function finishStop(
  ports: Ports,
  facts: Facts,
  { afterwards, because }: Extract<Decision, { kind: "stopped" }>,
): Promise<Applied> {
  const { dag, workflow, request, observation } = facts;
  const [step, ...steps] = request.productionSteps;
  const isDemotion = step !== undefined && request.wish === null;
  const demoted = isDemotion ? { priority: step.priority, productionSteps: steps } : {};
  const isHold = afterwards !== "resubmitting";
  const change = { ...demoted, wish: null, ...(isHold ? { hold: afterwards } : {}) };
  return move(ports, facts, isHold ? "held" : "resubmitting", because, change, async (store) => {
    if (!dag || !workflow) return;
    const at = ports.clock.now();
    const isDone = observation?.kind === "ended" && observation.verdict === "success";
    const status = isDone ? "completed" : "stopped";
    await store.dags.change(dag.id, dag.version, { status, endReason: because, endedAt: at }, { reason: because, at });
    await store.intents.settle(dag.id, "stop", "settled", at);
    if (!isDone) {
      await createChild(ports, store, facts, dag, "stop", "ready");
      return;
    }
    const fresh = await store.workflows.get(workflow.id);
    if (fresh) await store.workflows.change(fresh.id, fresh.version, { round: fresh.round + 1, currentDagId: null });
  });
}
