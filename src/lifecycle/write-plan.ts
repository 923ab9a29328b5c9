import { invariant } from "../base/errors.ts";
import { groupBy } from "../base/group-by.ts";
import { inSlices } from "../base/slices.ts";
import { EMPTY_TALLY } from "../domain/dag.ts";
import type { UnitName } from "../domain/names.ts";
import type { DagPlan } from "../domain/plan.ts";
import type { RequestFile } from "../domain/request.ts";
import type { Workflow } from "../domain/workflow.ts";
import { tellRequested } from "../sizing/figures.ts";
import type { Apply } from "./apply.ts";
import { decidePlan } from "./decide-plan.ts";
import type { Facts } from "./decision.ts";
import { loadRequestFiles } from "./fetch-files.ts";
import { gatherPlan } from "./gather-plan.ts";
import { effectiveSpec } from "./gather-round.ts";
import { again, holdRequest } from "./moves.ts";
import type { Ports } from "./ports.ts";

/** Gathers what the next round is made of, has it decided, and writes exactly that. */
export const planNextRound: Apply<"plan"> = async (ports, facts, { reason }) => {
  const { request, workflow } = facts;
  invariant(workflow, "planning without a workflow");
  const files = await loadRequestFiles(ports, request.spec);
  if (!files.ok) return holdRequest(ports, facts, files.error);
  const decision = await inSlices(decidePlan(await gatherPlan(ports, request, workflow), ports.kinds), ports.signal);
  if (decision.kind === "hold") return holdRequest(ports, facts, decision.hold);
  for (const [reason, files] of groupBy(decision.aside, ({ reason }) => reason)) {
    const lfns = files.map(({ lfn }) => lfn);
    await ports.store.files.setState(workflow.id, lfns, "excluded", reason);
  }
  if (decision.kind === "write") await writePlan(ports, facts, workflow, decision.plan, files.value, reason);
  return again;
};

/**
 * The DAG row comes first (status `planning`), so that an interrupted writing is found and discarded; the counters of the
 * workflow move in the same transaction that calls the directory `ready`, so no number is used twice and none is lost.
 */
async function writePlan(
  ports: Ports,
  { request }: Facts,
  workflow: Workflow,
  plan: DagPlan,
  files: readonly RequestFile[],
  reason: string,
): Promise<void> {
  const { store, spool, clock } = ports;
  const { next, units, nodes, warnings, blocks } = plan.summary;
  await createDag(ports, workflow, plan);
  await spool.write(plan, effectiveSpec(request), files);
  await store.transaction(async (tx) => {
    const fresh = await tx.workflows.get(workflow.id);
    invariant(fresh && fresh.currentDagId === plan.dagId, "another plan took the place of this one", {
      dag: plan.dagId,
    });
    await tx.workflows.change(fresh.id, fresh.version, {
      nextUnit: next.unit,
      nextNode: next.node,
      nextBlock: next.block,
      nextFirstEvent: next.firstEvent,
      nextFirstLumi: next.firstLumi,
      unitsPlanned: fresh.unitsPlanned + units,
      nodesPlanned: fresh.nodesPlanned + nodes,
      stepMetrics: tellRequested(fresh.stepMetrics, plan.round, plan.requested),
    });
    const at = clock.now();
    await tx.units.createBlocks(workflow.id, blocks, at);
    if (request.spec.work.input) await tx.files.assign(workflow.id, assignments(plan));
    if (warnings.length > 0) await tx.dags.addEvent({ dagId: plan.dagId, type: "planned", detail: { warnings }, at });
    const isReady = await tx.dags.change(plan.dagId, 1, { status: "ready" }, { reason, at });
    invariant(isReady, "the DAG moved while it was written");
  });
  ports.log.info("round.planned", { request: request.spec.name, round: plan.round, units, nodes });
}

const createDag = ({ store, spool, engine, clock }: Ports, workflow: Workflow, { summary, ...plan }: DagPlan) =>
  store.transaction(async (tx) => {
    const { nodes, units, nodesByRole } = summary;
    await tx.dags.create({
      id: plan.dagId,
      workflowId: workflow.id,
      round: plan.round,
      status: "planning",
      version: 1,
      submitDir: spool.submitDir(plan),
      parentDagId: null,
      rescueKind: null,
      engineId: null,
      engine: engine.id,
      roleCounts: nodesByRole,
      nodes: { ...EMPTY_TALLY, total: nodes, waiting: nodes },
      units: { total: units, waiting: units, running: 0, done: 0, failed: 0 },
      stopRequestedAt: null,
      stopReason: null,
      endReason: null,
      createdAt: clock.now(),
      submittedAt: null,
      endedAt: null,
    });
    const change = { currentDagId: plan.dagId, engine: engine.id };
    const seen = await tx.workflows.change(workflow.id, workflow.version, change);
    invariant(seen, "somebody else changed the workflow while it was planned", { workflow: workflow.id });
  });

/** Each file once for a unit, however many of its jobs read it. */
function assignments(plan: DagPlan): { lfn: string; unit: UnitName }[] {
  const found: { lfn: string; unit: UnitName }[] = [];
  for (const unit of plan.units) {
    const lfns = new Set(unit.nodes.flatMap(({ inputs }) => inputs.map(({ lfn }) => lfn)));
    for (const lfn of lfns) found.push({ lfn, unit: unit.name });
  }
  return found;
}
