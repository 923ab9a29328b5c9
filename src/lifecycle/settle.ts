import { invariant } from "../base/errors.ts";
import type { HoldReason } from "../domain/request.ts";
import type { FinishedUnit } from "../domain/workflow.ts";
import { parseMergeOutput } from "../outputs/merge-output.ts";
import type { Apply } from "./apply.ts";
import { UNREADABLE_OUTPUT } from "./decision.ts";
import { again, holdRequest, rest, theRun } from "./moves.ts";

/**
 * Stores what the engine tells. Finished units become owed rows first and the counters move after (D10): a crash in
 * between leaves a counter behind, which the next look mends, and never a unit that nobody owes.
 */
export const recordUnits: Apply<"follow"> = async (ports, facts) => {
  const { dag, workflow } = theRun(facts);
  const { observation, newlyDone, request } = facts;
  invariant(observation && observation.kind !== "unknown", "following a run that was not seen");
  const finished: FinishedUnit[] = [];
  const unreadable: HoldReason[] = [];
  for (const name of newlyDone) {
    const read = parseMergeOutput(await ports.spool.mergeOutput(dag.submitDir, name), name);
    if (!read.ok) {
      const message = `${name} is done, but ${read.error}`;
      const evidence = { unit: name, submitDir: dag.submitDir };
      unreadable.push({ code: UNREADABLE_OUTPUT, message, evidence, actions: ["release", "abort"] });
      continue;
    }
    finished.push({
      workflowId: workflow.id,
      name,
      dagId: dag.id,
      round: dag.round,
      status: "owed",
      ...read.value,
      attempts: 0,
      lastError: null,
      finishedAt: ports.clock.now(),
      registeredAt: null,
    });
  }
  if (finished.length) await ports.store.units.recordFinished(finished);
  if (unreadable[0]) return holdRequest(ports, facts, unreadable[0]);
  if (dag.status === "submitted") {
    const at = ports.clock.now();
    await ports.store.dags.change(dag.id, dag.version, { status: "running" }, { reason: "the engine runs it", at });
  }
  const { nodes, units } = observation;
  await ports.store.dags.progress(dag.id, nodes, units);
  ports.events.emit("dag.progress", { request: request.spec.name, dag: dag.id, units, nodes });
  return again;
};

/** owed → registered, unit by unit; a unit the catalog refuses is counted and shown, and does not stop the others. */
export const registerOwed: Apply<"register"> = async (ports, { workflow, request }) => {
  invariant(workflow, "outputs owed without a workflow");
  let trouble: string | null = null;
  for (const unit of await ports.store.units.owed(workflow.id, 1000)) {
    const outcome = await ports.catalog.register(request.spec.name, unit.name, unit.outputs);
    if (outcome.kind === "registered") {
      await ports.store.units.markRegistered(workflow.id, unit.name, ports.clock.now());
      continue;
    }
    trouble = outcome.kind === "conflict" ? outcome.message : `${outcome.path} is not there`;
    await ports.store.units.registrationFailed(workflow.id, unit.name, trouble);
  }
  return trouble ? rest(`outputs are still owed: ${trouble}`) : again;
};
