import { InvariantError, invariant } from "../base/errors.ts";
import { groupBy } from "../base/group-by.ts";
import { EMPTY_TALLY } from "../domain/dag.ts";
import type { UnitName } from "../domain/names.ts";
import type { DagPlan, UnplannedFile } from "../domain/plan.ts";
import type { Workflow } from "../domain/workflow.ts";
import { checkInSlices } from "../planning/check.ts";
import { planInSlices } from "../planning/plan-round.ts";
import type { Apply } from "./apply.ts";
import type { Facts } from "./decision.ts";
import { effectiveSpec } from "./gather-round.ts";
import { again, holdRequest } from "./moves.ts";
import { gatherPlanFacts, inSlices, loadInput } from "./plan-facts.ts";
import type { Ports } from "./ports.ts";

/**
 * Plans the next round and writes its submit directory. The DAG row comes first (status `planning`), so that an
 * interrupted writing is found and discarded; the counters of the workflow move in the same transaction
 * that calls the directory `ready`, so no number is used twice and none is lost.
 */
export const planNextRound: Apply<"plan"> = async (ports, facts, { because }) => {
  const { request, workflow } = facts;
  invariant(workflow, "planning without a workflow");
  const actions = ["release", "abort"];
  const input = await loadInput(ports, request.spec, workflow);
  if (!input.ok) return holdRequest(ports, facts, { ...input.error, actions });
  const planFacts = await gatherPlanFacts(ports, request, workflow, input.value);
  const outcome = await inSlices(planInSlices(planFacts), ports.signal);
  if (outcome.kind === "refused") return holdRequest(ports, facts, { ...outcome.refusal, actions });
  await setAside(ports, workflow, outcome.unplanned);
  if (outcome.kind === "nothing-left" && outcome.unplanned.length > 0) return again;
  if (outcome.kind === "nothing-left") {
    const message = "work remains, but a round could not be made of it";
    return holdRequest(ports, facts, {
      code: "nothing-planned",
      message,
      evidence: { round: workflow.round },
      actions: ["abort"],
    });
  }
  const violations = await inSlices(checkInSlices(outcome.plan, planFacts), ports.signal);
  if (violations.length)
    throw new InvariantError(`the plan is not sound: ${violations[0]?.message}`, violations.slice(0, 20));
  await writePlan(ports, facts, workflow, outcome.plan, because);
  return again;
};

/** Files without any work in them (masked out, too big) are settled, so that the request can complete. */
async function setAside(ports: Ports, workflow: Workflow, unplanned: readonly UnplannedFile[]): Promise<void> {
  for (const [reason, files] of groupBy(unplanned, ({ reason }) => reason)) {
    const lfns = files.map(({ lfn }) => lfn);
    await ports.store.files.setState(workflow.id, lfns, "excluded", reason);
  }
}

async function writePlan(
  ports: Ports,
  facts: Facts,
  workflow: Workflow,
  plan: DagPlan,
  because: string,
): Promise<void> {
  const { store, spool, clock } = ports;
  const { request } = facts;
  const { summary } = plan;
  const { nodes } = summary;
  const created = clock.now();
  await store.transaction(async (tx) => {
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
      engine: ports.engine.id,
      roleCounts: summary.nodesByRole,
      nodes: { ...EMPTY_TALLY, total: nodes, waiting: nodes },
      units: { total: summary.units, waiting: summary.units, running: 0, done: 0, failed: 0 },
      stopRequestedAt: null,
      stopReason: null,
      endReason: null,
      createdAt: created,
      submittedAt: null,
      endedAt: null,
    });
    const change = { currentDagId: plan.dagId, engine: ports.engine.id };
    const seen = await tx.workflows.change(workflow.id, workflow.version, change);
    invariant(seen, "somebody else changed the workflow while it was planned", { workflow: workflow.id });
  });
  await spool.write(plan, effectiveSpec(request), await store.requests.files(request.spec.name));
  await store.transaction(async (tx) => {
    const fresh = await tx.workflows.get(workflow.id);
    invariant(fresh && fresh.currentDagId === plan.dagId, "another plan took the place of this one", {
      dag: plan.dagId,
    });
    await tx.workflows.change(fresh.id, fresh.version, {
      nextUnit: summary.next.unit,
      nextNode: summary.next.node,
      nextBlock: summary.next.block,
      nextFirstEvent: summary.next.firstEvent,
      nextFirstLumi: summary.next.firstLumi,
      unitsPlanned: fresh.unitsPlanned + summary.units,
      nodesPlanned: fresh.nodesPlanned + nodes,
    });
    await tx.units.createBlocks(workflow.id, summary.blocks, clock.now());
    if (request.spec.kind === "process") await tx.files.assign(workflow.id, assignments(plan));
    const why = { reason: because, at: clock.now() };
    const { warnings } = summary;
    if (warnings.length > 0)
      await tx.dags.addEvent({ dagId: plan.dagId, type: "planned", detail: { warnings }, at: why.at });
    invariant(await tx.dags.change(plan.dagId, 1, { status: "ready" }, why), "the DAG moved while it was written");
  });
  ports.log.info("round.planned", { request: request.spec.name, round: plan.round, units: summary.units, nodes });
}

/** Each file once for a unit, however many of its jobs read it. */
function assignments(plan: DagPlan): { lfn: string; unit: UnitName }[] {
  const found: { lfn: string; unit: UnitName }[] = [];
  for (const unit of plan.units) {
    const lfns = new Set(unit.nodes.flatMap(({ inputs }) => inputs.map(({ lfn }) => lfn)));
    for (const lfn of lfns) found.push({ lfn, unit: unit.name });
  }
  return found;
}
