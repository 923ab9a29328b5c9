import { invariant } from "../base/errors.ts";
import type { UnitName } from "../domain/names.ts";
import type { HoldReason, RequestSpec } from "../domain/request.ts";
import type { FinishedUnit } from "../domain/workflow.ts";
import { checkOutputs, expectedOutputs, type MergedSize } from "../outputs/check-outputs.ts";
import { type MergeOutput, parseMergeOutput } from "../outputs/merge-output.ts";
import { readPlannedUnit } from "../outputs/planned-unit.ts";
import type { Apply } from "./apply.ts";
import { UNREADABLE_OUTPUT } from "./decision.ts";
import { placedByBlocks } from "./leave-round.ts";
import { again, holdRequest, rest, theRun } from "./moves.ts";
import type { Ports } from "./ports.ts";
import { REFUSED } from "./refused-outputs.ts";

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
  let refused = 0;
  const blocks = newlyDone.length > 0 ? await placedByBlocks(ports, workflow, new Set(newlyDone)) : [];
  for (const name of newlyDone) {
    const block = blocks.find((one) => one.name === name)?.block ?? null;
    const read = parseMergeOutput(await ports.spool.mergeOutput(dag.submitDir, name), name);
    if (!read.ok) {
      const message = `${name} is done, but ${read.error}`;
      const evidence = { unit: name, submitDir: dag.submitDir };
      unreadable.push({ code: UNREADABLE_OUTPUT, message, evidence, actions: ["release", "abort"] });
      continue;
    }
    const wrong = await notAsPlanned(ports, request.spec, dag.submitDir, name, block, read.value);
    if (wrong !== null) {
      const words = `${name} is done, but its merge_output.json cannot be believed: ${wrong}`;
      const at = ports.clock.now();
      await ports.store.dags.addEvent({ dagId: dag.id, type: REFUSED, detail: { unit: name, words }, at });
      ports.log.warn("unit.refused", { request: request.spec.name, unit: name, words });
      refused += 1;
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
  // The next look counts them as failed.
  if (refused > 0) return again;
  if (dag.status === "submitted") {
    const at = ports.clock.now();
    await ports.store.dags.change(dag.id, dag.version, { status: "running" }, { reason: "the engine runs it", at });
  }
  const { nodes, units } = observation;
  await ports.store.dags.progress(dag.id, nodes, units);
  ports.events.emit("dag.progress", { request: request.spec.name, dag: dag.id, units, nodes });
  return again;
};

/** The last look at what a unit says it made before it is owed to the catalog; null: it was planned, and is there. */
async function notAsPlanned(
  { spool }: Ports,
  spec: RequestSpec,
  submitDir: string,
  unit: UnitName,
  block: number | null,
  made: MergeOutput,
): Promise<string | null> {
  const sizes = new Map<string, MergedSize>();
  for (const { path } of made.outputs) sizes.set(path, await spool.mergedSize(spec.name, path));
  const expected = expectedOutputs(spec, unit, spool.mergedDir(spec.name));
  const inputs = readPlannedUnit(await spool.manifest(submitDir, unit))?.inputs ?? null;
  // POST has compared the site with what the engine told it.
  return checkOutputs(made, { expected, block, inputs, site: null, sizes });
}

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
