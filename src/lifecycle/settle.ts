import { invariant } from "../base/errors.ts";
import type { FinishedUnit } from "../domain/workflow.ts";
import { parseMergeOutput } from "../outputs/merge-output.ts";
import { type Facts, hold } from "./decision.ts";
import { type Applied, again, applyHold, rest } from "./moves.ts";
import type { Ports } from "./ports.ts";

/**
 * Stores what the engine tells. Finished units become owed rows first and the counters move after (D10): a crash in
 * between leaves a counter behind, which the next look mends, and never a unit that nobody owes.
 */
export async function recordUnits(ports: Ports, facts: Facts): Promise<Applied> {
  const { dag, workflow, observation, newlyDone } = facts;
  invariant(dag && workflow && observation && observation.kind !== "unknown", "following a run that was not seen");
  const finished: FinishedUnit[] = [];
  for (const name of newlyDone) {
    const text = await ports.spool.mergeOutput(dag.submitDir, name);
    const read = parseMergeOutput(text, name);
    if (!read.ok) {
      const evidence = { unit: name, submitDir: dag.submitDir };
      return applyHold(
        ports,
        facts,
        hold("unit-output-unreadable", `${name} is done, but ${read.error}`, evidence, ["abort"]),
      );
    }
    finished.push({
      workflowId: workflow.id,
      name,
      dagId: dag.id,
      round: dag.round,
      block: read.value.block,
      status: "owed",
      site: read.value.site,
      events: read.value.events,
      outputs: read.value.outputs,
      attempts: 0,
      lastError: null,
      finishedAt: ports.clock.now(),
      registeredAt: null,
    });
  }
  if (finished.length) await ports.store.units.recordFinished(finished);
  if (dag.status === "submitted") {
    const at = ports.clock.now();
    await ports.store.dags.change(dag.id, dag.version, { status: "running" }, { reason: "the engine runs it", at });
  }
  await ports.store.dags.progress(dag.id, observation.nodes, observation.units);
  const detail = { request: facts.request.spec.name, dag: dag.id, units: observation.units, nodes: observation.nodes };
  ports.events.emit("dag.progress", detail);
  return again;
}

/** owed → registered, unit by unit; a unit the catalog refuses is counted and shown, and does not stop the others. */
export async function registerOwed(ports: Ports, facts: Facts): Promise<Applied> {
  const { workflow, request } = facts;
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
}
