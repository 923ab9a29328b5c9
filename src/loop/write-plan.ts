import { invariant } from "../core/base/errors.ts";
import { groupBy } from "../core/base/group-by.ts";
import { inSlices } from "../core/base/slices.ts";
import { type Dag, EMPTY_TALLY } from "../core/dag.ts";
import type { UnitName } from "../core/names.ts";
import type { DagPlan } from "../core/plan.ts";
import type { RequestFile } from "../core/request.ts";
import type { Workflow } from "../core/workflow.ts";
import { kindOf } from "../kinds/kind.ts";
import { tellRequested } from "../planning/sizing/figures.ts";
import type { Apply } from "./apply.ts";
import { creditAll, doneJobs, recordCredits } from "./credit-jobs.ts";
import { decidePlan } from "./decide-plan.ts";
import type { Facts } from "./decision.ts";
import { loadRequestFiles } from "./fetch-files.ts";
import { creditedJobs, type EarlierWork, gatherEarlierWork } from "./gather-credits.ts";
import { gatherPlan } from "./gather-plan.ts";
import { effectiveSpec } from "./gather-round.ts";
import { again, holdRequest } from "./moves.ts";
import type { Ports } from "./ports.ts";
import { ProductsMoved, submitProducts, takeWhatIsThere } from "./submit-products.ts";

/** Gathers what the next round is made of, has it decided, and writes exactly that. */
export const planNextRound: Apply<"plan"> = async (ports, facts, { reason }) => {
  const { request, workflow } = facts;
  invariant(workflow, "planning without a workflow");
  const files = await loadRequestFiles(ports, request.spec);
  if (!files.ok) return holdRequest(ports, facts, files.error);
  const before = workflow.round === 0 ? request.spec.previousVersion : null;
  const earlier = before && (await gatherEarlierWork(ports, request.spec, files.value, before));
  if (await takeWhatIsThere(ports, facts, workflow)) return again;
  const credited = workflow.round === 0 ? creditedJobs(earlier) : await doneJobs(ports, request.spec, workflow);
  const gathered = await gatherPlan(ports, request, workflow, files.value, credited, facts.filling);
  const decision = await inSlices(decidePlan(gathered, ports.kinds), ports.signal);
  if (decision.kind === "hold") return holdRequest(ports, facts, decision.hold);
  for (const [reason, files] of groupBy(decision.aside, ({ reason }) => reason)) {
    const lfns = files.map(({ lfn }) => lfn);
    await ports.store.files.setState(workflow.id, lfns, "excluded", reason);
  }
  if (decision.kind === "done-before") await creditAll(ports, workflow, earlier, credited.size);
  if (decision.kind === "write") await writePlan(ports, facts, workflow, { ...decision, earlier }, files.value, reason);
  return again;
};

/**
 * The DAG row comes first (status `planning`), so that an interrupted writing is found and discarded; the counters of the
 * workflow move in the same transaction that calls the directory `ready`, so no number is used twice and none is lost.
 */
async function writePlan(
  ports: Ports,
  { request, filling }: Facts,
  workflow: Workflow,
  { plan, earlier }: { readonly plan: DagPlan; readonly earlier: EarlierWork | null },
  files: readonly RequestFile[],
  reason: string,
): Promise<void> {
  const { store, spool, clock } = ports;
  const { next, units, nodes, warnings, blocks } = plan.summary;
  await createDag(ports, workflow, plan);
  await spool.write(plan, effectiveSpec(request), files, await store.rules.list());
  const ready = store.transaction(async (tx) => {
    if (filling) await submitProducts(ports, tx, request, workflow, plan, filling);
    const fresh = await tx.workflows.get(workflow.id);
    invariant(fresh && fresh.currentDagId === plan.dagId, "another plan took the place of this one", {
      dag: plan.dagId,
    });
    if (request.spec.work.input) await tx.files.assign(workflow.id, assignments(plan));
    const counters = {
      nextUnit: next.unit,
      nextNode: next.node,
      nextBlock: next.block,
      nextFirstEvent: next.firstEvent,
      nextFirstLumi: next.firstLumi,
      unitsPlanned: fresh.unitsPlanned + units + creditedJobs(earlier).size,
      nodesPlanned: fresh.nodesPlanned + nodes,
      stepMetrics: tellRequested(fresh.stepMetrics, plan.round, plan.requested),
    };
    const sharePlanned = await shareOf({ ...ports, store: tx }, request, { ...fresh, ...counters }, filling);
    await tx.workflows.change(fresh.id, fresh.version, { ...counters, sharePlanned });
    const at = clock.now();
    await tx.units.createBlocks(workflow.id, blocks, at);
    await recordCredits(tx, workflow, earlier, plan.dagId, at);
    await tx.dags.addEvent({ dagId: plan.dagId, type: "planned", detail: { warnings, before: countersOf(fresh) }, at });
    const isReady = await tx.dags.change(plan.dagId, 1, { status: "ready" }, { reason, at });
    invariant(isReady, "the DAG moved while it was written");
  });
  try {
    await ready;
  } catch (error) {
    // The next look finds a directory that was not called ready, discards it, and plans with what is so now.
    if (!(error instanceof ProductsMoved)) throw error;
    ports.log.info("round.discarded", { request: request.spec.name, round: plan.round, reason: error.message });
    return;
  }
  ports.log.info("round.planned", { request: request.spec.name, round: plan.round, units, nodes });
}

/** From here the round is planned again, should its directory be lost before anything ran. */
const countersOf = ({ nextUnit, nextNode, nextBlock, nextFirstEvent, nextFirstLumi }: Workflow) => ({
  ...{ nextUnit, nextNode, nextBlock },
  nextFirstEvent: String(nextFirstEvent),
  nextFirstLumi: String(nextFirstLumi),
});

/** As `countersOf` wrote them; {}: a version before this one did not, and they stay as they are. */
export async function countersBefore({ store }: Ports, { id }: Dag): Promise<Partial<Workflow>> {
  const event = (await store.dags.history(id)).findLast(({ type }) => type === "planned");
  const before = event?.detail.before as ReturnType<typeof countersOf> | undefined;
  if (!before) return {};
  const { nextFirstEvent, nextFirstLumi, ...numbers } = before;
  return { ...numbers, nextFirstEvent: BigInt(nextFirstEvent), nextFirstLumi: BigInt(nextFirstLumi) };
}

/** Which share of all work is planned, with this round. A fill that somebody asked for says nothing of the whole. */
async function shareOf(
  { store, kinds }: Pick<Ports, "store" | "kinds">,
  { spec: { work } }: Facts["request"],
  workflow: Workflow,
  filling: Facts["filling"],
): Promise<number> {
  const { files } = store;
  const counted = work.input
    ? { ...(await files.countByState(workflow.id)), waiting: await files.countWaiting(workflow.id) }
    : null;
  const fill = filling && filling.asked === null ? filling.plan : null;
  return kindOf(kinds, work).sharePlanned({ work, workflow, files: counted, fill }) ?? workflow.sharePlanned;
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
    const change = { currentDagId: plan.dagId, engine: engine.id, hasAllUnits: false };
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
