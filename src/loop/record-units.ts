import { checkOutputs, expectedOutputs, type MergedSize } from "../catalogs/outputs/check-outputs.ts";
import { type MergeOutput, parseMergeOutput } from "../catalogs/outputs/merge-output.ts";
import { readPlannedUnit } from "../catalogs/outputs/planned-unit.ts";
import { invariant } from "../core/base/errors.ts";
import { groupBy } from "../core/base/group-by.ts";
import type { Dag } from "../core/dag.ts";
import type { UnitName } from "../core/names.ts";
import type { RequestSpec } from "../core/request.ts";
import type { FinishedUnit, MeasuredUnit, Workflow } from "../core/workflow.ts";
import type { Apply } from "./apply.ts";
import { decideUnits, type UnitLeft } from "./decide-units.ts";
import { gatherJobs, leavesNothing } from "./finished-jobs.ts";
import { placedByBlocks } from "./leave-round.ts";
import { measureUnit } from "./measure.ts";
import { again, holdRequest, theRun } from "./moves.ts";
import type { Ports } from "./ports.ts";
import { REFUSED } from "./refused-outputs.ts";
import { tellProducts } from "./settle-products.ts";
import type { SideRun } from "./with-sides.ts";

/**
 * Stores what the engine tells. Finished units become owed rows first and the counters move after: a crash in between
 * leaves a counter behind, which the next look corrects, and never a unit that nobody owes.
 */
export const recordUnits: Apply<"follow"> = async (ports, facts) => {
  const { dag, workflow } = theRun(facts);
  const { observation, newlyDone, request } = facts;
  const { store, clock } = ports;
  invariant(observation && observation.kind !== "unknown", "following a run that was not seen");
  const isJob = groupBy(newlyDone, leavesNothing);
  const left = await gatherLeft(ports, request.spec, workflow, dag, isJob.get(false) ?? []);
  const jobs = await gatherJobs(ports, workflow, dag, isJob.get(true) ?? []);
  const { finished, refused, hold } = decideUnits(left, dag.submitDir);
  const row = { workflowId: workflow.id, dagId: dag.id, round: dag.round, status: "owed" as const };
  const fresh = { finishedAt: clock.now(), registeredAt: null };
  const units = finished.map(({ name, made }) => ({ ...row, name, ...made, ...fresh }));
  const all = [...(await measured(ports, dag, units)), ...jobs.map((job) => ({ ...row, ...job, ...fresh }))];
  if (all.length) await store.units.recordFinished(all);
  await tellProducts(
    ports,
    request,
    workflow,
    dag,
    jobs.map(({ name }) => name),
  );
  for (const detail of refused) {
    await store.dags.addEvent({ dagId: dag.id, type: REFUSED, detail, at: clock.now() });
    ports.log.warn("unit.refused", { request: request.spec.name, ...detail });
  }
  if (hold) return holdRequest(ports, facts, hold);
  // The next look counts them as failed.
  if (refused.length > 0) return again;
  if (dag.status === "submitted") {
    const why = { reason: "the engine runs it", at: clock.now() };
    await store.dags.change(dag.id, dag.version, { status: "running" }, why);
  }
  for (const side of facts.sides) await followSide(ports, side);
  const { nodes, units: counts } = observation;
  await store.dags.progress(dag.id, nodes, counts);
  ports.events.emit("dag.progress", { request: request.spec.name, dag: dag.id, units: counts, nodes });
  return again;
};

async function followSide({ store, clock }: Ports, { dag, observation }: SideRun): Promise<void> {
  if (!observation || observation.kind === "unknown") return;
  await store.dags.progress(dag.id, observation.nodes, observation.units);
  const why = { reason: "the engine runs it", at: clock.now() };
  if (dag.status === "submitted") await store.dags.change(dag.id, dag.version, { status: "running" }, why);
}

/** Before the rows are written: what is measured must outlive the directory. */
async function measured(ports: Ports, { submitDir }: Dag, units: readonly FinishedUnit[]) {
  const all: MeasuredUnit[] = [];
  for (const unit of units) {
    const manifest = await ports.spool.manifest(submitDir, unit.name);
    const mergedBytes = unit.outputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    all.push({ ...unit, metrics: await measureUnit(ports, submitDir, unit.name, manifest, mergedBytes) });
  }
  return all;
}

async function gatherLeft(
  ports: Ports,
  spec: RequestSpec,
  workflow: Workflow,
  { submitDir }: Dag,
  units: readonly UnitName[],
): Promise<readonly UnitLeft[]> {
  const blocks = units.length > 0 ? await placedByBlocks(ports, workflow, new Set(units)) : [];
  const left: UnitLeft[] = [];
  for (const name of units) {
    const block = blocks.find((one) => one.name === name)?.block ?? null;
    const made = parseMergeOutput(await ports.spool.mergeOutput(submitDir, name), name);
    left.push({
      name,
      made,
      wrong: made.ok ? await notAsPlanned(ports, spec, submitDir, name, block, made.value) : null,
    });
  }
  return left;
}

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
