import { isDagOver } from "../domain/dag.ts";
import type { WorkflowId } from "../domain/names.ts";
import type { Decision, Facts } from "./decision.ts";
import { fail, restart, settlePredecessor } from "./give-up.ts";
import { leaveRound, settleFiles } from "./leave-round.ts";
import { type Applied, again, applyHold, move, rest } from "./moves.ts";
import { planNextRound } from "./plan.ts";
import type { LoopPolicy, Ports } from "./ports.ts";
import { beginRescue, prepareRescue } from "./rescue.ts";
import { recordUnits, registerOwed } from "./settle.ts";
import { beginStop, finishStop, stopRun } from "./stop.ts";
import { submitDag } from "./submit.ts";

/** Carries out exactly what was decided. Every change is compare-and-set on what the facts saw. */
export async function apply(ports: Ports, policy: LoopPolicy, facts: Facts, decision: Decision): Promise<Applied> {
  switch (decision.kind) {
    case "wait":
      return rest(decision.because);
    case "open-workflow":
      return openWorkflow(ports, facts, decision.because);
    case "start":
      return move(ports, facts, "planning", decision.because);
    case "plan":
      return planNextRound(ports, policy, facts, decision.because);
    case "discard-plan":
      return discardPlan(ports, facts, decision.because);
    case "submit":
      return submitDag(ports, facts, decision);
    case "follow":
      return recordUnits(ports, facts);
    case "register":
      return registerOwed(ports, facts);
    case "finish-round":
      return finishRound(ports, facts, decision.next, decision.because);
    case "end-partial":
      return endPartial(ports, facts, decision);
    case "rescue":
      return beginRescue(ports, facts, decision);
    case "prepare-rescue":
      return prepareRescue(ports, facts, decision.because);
    case "settle-files":
      return settleFiles(ports, facts, decision);
    case "leave-round":
      return leaveRound(ports, facts, decision.because);
    case "begin-stop":
      return beginStop(ports, facts, decision.because);
    case "stopped":
      return finishStop(ports, facts, decision);
    case "requeue":
      return move(ports, facts, "queued", decision.because, { wish: null });
    case "complete":
      return complete(ports, facts, decision.because);
    case "fail":
      return fail(ports, facts, decision.because);
    case "restart":
      return restart(ports, facts, decision.because);
    case "hold":
      return applyHold(ports, facts, decision);
    case "stop-run":
      return stopRun(ports, facts, decision.because);
    case "abort":
      return abort(ports, facts, decision.because);
  }
}

async function complete(ports: Ports, facts: Facts, because: string): Promise<Applied> {
  const applied = await move(ports, facts, "completed", because);
  if (applied.rest) await settlePredecessor(ports, facts);
  return applied;
}

async function openWorkflow(ports: Ports, facts: Facts, because: string): Promise<Applied> {
  const { spec } = facts.request;
  const now = ports.clock.now();
  return move(ports, facts, "queued", because, {}, async (store) => {
    if (await store.workflows.forRequest(spec.name)) return;
    await store.workflows.create({
      id: ports.ids.next() as WorkflowId,
      requestName: spec.name,
      status: "new",
      version: 1,
      round: 0,
      currentDagId: null,
      nextUnit: 0,
      nextNode: 0,
      nextBlock: 0,
      nextFirstEvent: spec.generation?.firstEvent ?? 1n,
      nextFirstLumi: BigInt(spec.generation?.firstLumi ?? 1),
      unitsPlanned: 0,
      unitsDone: 0,
      nodesPlanned: 0,
      nodesDone: 0,
      eventsDone: 0n,
      stepMetrics: null,
      createdAt: now,
      updatedAt: now,
    });
  });
}

/** A directory that was never handed to the engine is removed; its DAG row stays, as failed, for the record. */
async function discardPlan(ports: Ports, facts: Facts, because: string): Promise<Applied> {
  const { dag, workflow } = facts;
  if (!dag || !workflow) return again;
  await ports.spool.discard(dag.submitDir, dag.id);
  await ports.store.transaction(async (store) => {
    const at = ports.clock.now();
    await store.dags.change(
      dag.id,
      dag.version,
      { status: "failed", endReason: because, endedAt: at },
      { reason: because, at },
    );
    await store.workflows.change(workflow.id, workflow.version, { currentDagId: null });
  });
  return again;
}

async function finishRound(
  ports: Ports,
  facts: Facts,
  next: "queued" | "completed",
  because: string,
): Promise<Applied> {
  const { dag, workflow } = facts;
  const applied = await move(ports, facts, next, because, { rescuesUsed: 0 }, async (store) => {
    const at = ports.clock.now();
    if (dag && !isDagOver(dag.status))
      await store.dags.change(
        dag.id,
        dag.version,
        { status: "completed", endReason: because, endedAt: at },
        { reason: because, at },
      );
    const fresh = workflow && (await store.workflows.get(workflow.id));
    if (!fresh) return;
    const nodesDone = fresh.nodesDone + (dag?.nodes.done ?? 0);
    const onward = next === "queued" ? { round: fresh.round + 1, currentDagId: null } : {};
    await store.workflows.change(fresh.id, fresh.version, { nodesDone, ...onward });
  });
  if (next === "completed" && applied.rest) await settlePredecessor(ports, facts);
  return applied;
}

async function endPartial(
  ports: Ports,
  facts: Facts,
  decision: Extract<Decision, { kind: "end-partial" }>,
): Promise<Applied> {
  const { dag, observation } = facts;
  return move(ports, facts, "partial", decision.because, {}, async (store) => {
    if (!dag || observation?.kind !== "ended") return;
    const at = ports.clock.now();
    const { verdict, unitsFailed, words, rescue } = observation;
    await store.dags.addEvent({ dagId: dag.id, type: "ended", detail: { verdict, unitsFailed, words, rescue }, at });
    await store.dags.change(
      dag.id,
      dag.version,
      { status: decision.dagStatus, endReason: decision.because, endedAt: at },
      { reason: decision.because, at },
    );
  });
}

async function abort(ports: Ports, facts: Facts, because: string): Promise<Applied> {
  const { dag } = facts;
  return move(ports, facts, "aborted", because, { wish: null }, async (store) => {
    if (!dag || isDagOver(dag.status)) return;
    const at = ports.clock.now();
    await store.dags.change(
      dag.id,
      dag.version,
      { status: "removed", endReason: because, endedAt: at },
      { reason: because, at },
    );
    await store.intents.settle(dag.id, "stop", "settled", at);
  });
}
