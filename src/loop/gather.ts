import { dirname } from "node:path";
import type { QueueEntry } from "../core/admission.ts";
import { secondsBetween } from "../core/base/clock.ts";
import type { WorldError } from "../core/base/errors.ts";
import { groupBy } from "../core/base/group-by.ts";
import { type Dag, type EngineIntent, isDagOver, isInEngine } from "../core/dag.ts";
import { batchName, type DagId, type RequestName, type UnitName, type WorkflowId } from "../core/names.ts";
import { NO_OUTPUTS, type OutputSummary } from "../core/output-block.ts";
import type { RequestRecord } from "../core/request.ts";
import type { Run, RunObservation } from "../core/run.ts";
import { unitsExpected, type Workflow } from "../core/workflow.ts";
import { kindOf } from "../kinds/kind.ts";
import { unitFolder } from "../submit-dir/names.ts";
import type { Facts } from "./decision.ts";
import { gatherFill } from "./gather-fill.ts";
import { gatherLeftOut } from "./gather-left-out.ts";
import { effectiveSpec, gatherRound } from "./gather-round.ts";
import type { Ports, Work } from "./ports.ts";
import { refusedUnits, withRefused } from "./refused-outputs.ts";
import { asLedgerSays, type SideRun, withSides } from "./with-sides.ts";

/** What the whole pass knows already, so that a request costs as few questions as it can. */
export interface PassView {
  readonly observations: ReadonlyMap<string, RunObservation>;
  readonly leaderSince: Date;
  /** Why nothing can be written where requests live; null: it can. */
  readonly disk: WorldError | null;
}

/** What one look at all requests together found: a few queries, whatever their number. Good for the first look only. */
export interface Known {
  readonly workflows: ReadonlyMap<RequestName, Workflow>;
  readonly dags: ReadonlyMap<DagId, Dag>;
  readonly outputs: ReadonlyMap<WorkflowId, OutputSummary>;
  readonly intents: ReadonlyMap<DagId, EngineIntent>;
  /** Of those DAGs, the runs beside them, over or not. */
  readonly sides: ReadonlyMap<DagId | null, readonly Dag[]>;
}

export async function gatherKnown({ store }: Ports, requests: readonly RequestRecord[]): Promise<Known> {
  const workflows = await store.workflows.forRequests(requests.map(({ spec }) => spec.name));
  const dagIds = [...workflows.values()].flatMap(({ currentDagId }) => (currentDagId ? [currentDagId] : []));
  const sides = dagIds.length > 0 ? await store.dags.sidesOf(dagIds) : [];
  const [dags, outputs, intents] = await Promise.all([
    store.dags.getMany(dagIds),
    store.outputs.summaries([...workflows.values()].map(({ id }) => id)),
    store.intents.getMany([...dagIds, ...sides.map(({ id }) => id)], "submit"),
  ]);
  return { workflows, dags, outputs, intents, sides: groupBy(sides, ({ parentDagId }) => parentDagId) };
}

export const runOf = (dag: Dag, priority: number): Run => ({
  dagId: dag.id,
  submitDir: dag.submitDir,
  batchName: batchName(dag.id),
  engineId: dag.engineId,
  priority,
});

/** The facts about one request, as they are now. Asks only what its status makes relevant. */
export async function gather(
  ports: Work,
  request: RequestRecord,
  view: PassView,
  admission: QueueEntry | null,
  first: Known | null = null,
): Promise<Facts> {
  const known = first ?? (await gatherKnown(ports, [request]));
  const workflow = known.workflows.get(request.spec.name) ?? null;
  const dag = (workflow?.currentDagId && known.dags.get(workflow.currentDagId)) || null;
  const mayRun = dag !== null && !isDagOver(dag.status);
  const foreignEngine = workflow?.engine && workflow.engine !== ports.engine.id ? workflow.engine : null;
  const { sides, observation, newlyDone } =
    workflow && dag && mayRun && !foreignEngine
      ? await lookAtRun(ports, request, { workflow, dag, known, view })
      : NOT_LOOKED_AT;
  const asksForRound =
    request.status === "partial" || (request.status === "held" && ROUND_WISHES.has(request.wish?.kind ?? ""));
  const mayComplete =
    ["planning", "partial"].includes(request.status) ||
    (request.status === "active" && observation?.kind !== "running");
  const needsRemaining =
    asksForRound ||
    request.status === "planning" ||
    (observation?.kind === "ended" && observation.verdict === "success");
  const remains = workflow && needsRemaining ? await workRemains(ports, request, workflow) : false;
  const round =
    asksForRound && workflow && dag && (isDagOver(dag.status) || (request.status === "held" && !isInEngine(dag.status)))
      ? await gatherRound(ports, request, workflow, dag, remains)
      : null;
  const kind = ports.kinds.get(request.spec.work.kind); // one of a kind that nobody knows is held elsewhere
  const products = kind?.products ?? null;
  const mayBegin = request.status === "planning" || (request.status === "queued" && admission?.verdict === "start");
  return {
    request,
    workflow,
    unitWord: kind?.unitWord ?? "unit",
    dag,
    hasProducts: products !== null,
    filling: products && workflow && mayBegin && !mayRun ? await gatherFill(ports, products, request, workflow) : null,
    submitIntent: dag && mayRun ? standingIntent(known, dag) : null,
    sides,
    observation,
    admission,
    directoryComplete: dag?.status === "ready" ? await ports.spool.isComplete(dag.submitDir) : true,
    newlyDone,
    outputs: {
      ...((workflow && known.outputs.get(workflow.id)) ?? NO_OUTPUTS),
      finally: ports.catalog.outputs.finally,
    },
    workRemains: remains,
    leftOut: workflow && mayComplete && kind && !products ? await gatherLeftOut(ports, request, workflow) : null,
    unaccounted: workflow && mayComplete ? await ports.store.units.unaccounted(workflow.id) : 0,
    shareDone: workflow && request.productionSteps.length ? workflow.unitsDone / (unitsExpected(workflow) || 1) : null,
    round,
    diskTrouble: view.disk?.message ?? null,
    foreignEngine,
    leaderForSec: secondsBetween(view.leaderSince, ports.clock.now()),
  };
}

type SeenRun = Pick<Facts, "sides" | "observation" | "newlyDone">;
const NOT_LOOKED_AT: SeenRun = { sides: [], observation: null, newlyDone: [] };

/** What the engine says of a run and of those beside it, and which units are done since the last look. */
async function lookAtRun(
  ports: Work,
  request: RequestRecord,
  { workflow, dag, known, view }: { workflow: Workflow; dag: Dag; known: Known; view: PassView },
): Promise<SeenRun> {
  const alone = await observe(ports, request, dag, view);
  const besides = known.sides.get(dag.id) ?? [];
  const sides = await gatherSides(ports, request, besides, known, view);
  const seen =
    alone && besides.length > 0 ? withSides(alone, sides, await ports.store.units.finishedNames(workflow.id)) : alone;
  const done = seen ? await newlyDone(ports, workflow, dag, seen) : [];
  const refused = done.length > 0 ? refusedUnits(await ports.store.dags.history(dag.id)) : new Map<string, string>();
  return {
    sides,
    observation: seen && withRefused(seen, refused),
    newlyDone: done.filter((unit) => !refused.has(unit)),
  };
}

/** The pass asked for all known runs at once; one that began since then is asked for alone. */
async function observe(ports: Ports, request: RequestRecord, dag: Dag, view: PassView): Promise<RunObservation | null> {
  if (!isInEngine(dag.status)) return null;
  const run = runOf(dag, request.priority);
  const seen = view.observations.get(dag.id) ?? (await ports.engine.observe([run])).get(dag.id) ?? null;
  return seen && asPlanned(seen, dag);
}

/** How much there is to do is in the plan: a run whose files are lost shows less, and what was seen of it before stays so. */
function asPlanned(seen: RunObservation, dag: Dag): RunObservation {
  if (seen.kind === "unknown" || seen.units.total >= dag.units.total) return seen;
  const { total, done } = dag.units;
  const units = { ...seen.units, total, done: Math.max(done, seen.units.done) };
  const nodes = { ...seen.nodes, total: dag.nodes.total, done: Math.max(dag.nodes.done, seen.nodes.done) };
  return {
    ...seen,
    units: { ...units, waiting: total - units.done - units.running - units.failed },
    nodes: { ...nodes, waiting: nodes.total - nodes.done - nodes.queued - nodes.failed },
  };
}

const standingIntent = ({ intents }: Known, { id }: Dag): EngineIntent | null => {
  const intent = intents.get(id);
  return intent && intent.status !== "refused" ? intent : null;
};

/** Those that are not over, with what the engine and the ledgers tell of them. */
async function gatherSides(
  ports: Ports,
  request: RequestRecord,
  dags: readonly Dag[],
  known: Known,
  view: PassView,
): Promise<readonly SideRun[]> {
  const sides: SideRun[] = [];
  for (const dag of dags.filter(({ status }) => !isDagOver(status))) {
    const seen = await observe(ports, request, dag, view);
    const named = seen && seen.kind !== "unknown" ? seen.unitsDone : [];
    const done = new Set<string>();
    for (const [folder, jobs] of groupBy(named, unitFolder))
      for (const job of await ports.spool.doneNodes(dirname(dag.submitDir), folder, jobs)) done.add(job);
    const observation = seen && asLedgerSays(seen, (job) => done.has(job));
    sides.push({ dag, submitIntent: standingIntent(known, dag), observation });
  }
  return sides;
}

async function newlyDone(
  ports: Ports,
  workflow: Workflow,
  dag: Dag,
  seen: RunObservation,
): Promise<readonly UnitName[]> {
  if (seen.kind === "unknown" || seen.unitsDone.length === 0) return [];
  // Units are recorded before the counter moves, so an equal counter means that all have their row.
  if (seen.kind === "running" && seen.unitsDone.length === dag.units.done) return [];
  const known = await ports.store.units.finishedNames(workflow.id);
  return seen.unitsDone.filter((unit) => !known.has(unit));
}

/** Wishes that need to know how the run of the present round ended. */
const ROUND_WISHES: ReadonlySet<string> = new Set(["release", "rescue", "resubmit", "move"]);

async function workRemains(ports: Ports, request: RequestRecord, workflow: Workflow): Promise<boolean> {
  const { work } = effectiveSpec(request);
  const counted = work.input ? await ports.store.files.countByState(workflow.id) : null;
  return kindOf(ports.kinds, work).remains({ work, workflow, files: counted && { ...counted, waiting: 0 } });
}
