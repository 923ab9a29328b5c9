import { inSlices } from "../core/base/slices.ts";
import { type Dag, isDagOver, isInEngine } from "../core/dag.ts";
import type { DagId } from "../core/names.ts";
import type { Liveness, Look, PendingFill } from "../core/products.ts";
import type { RequestRecord, RequestSpec } from "../core/request.ts";
import type { FillChoice, FillPlan, NodeId, NodeRow } from "../core/segments.ts";
import type { Work as RequestWork } from "../core/work.ts";
import type { Workflow } from "../core/workflow.ts";
import type { Products } from "../kinds/kind.ts";
import { effectiveSpec } from "./gather-round.ts";
import { lookAtFrepp } from "./look-at-frepp.ts";
import type { FoundLock } from "./look-at-transfers.ts";
import type { Ports } from "./ports.ts";

/** What was seen of a request whose products are looked after one by one, and what would be done about them. */
export interface Filling {
  readonly look: Look;
  readonly rows: ReadonlyMap<NodeId, NodeRow>;
  /** As somebody asked; else of everything. */
  readonly plan: FillPlan;
  readonly asked: PendingFill | null;
  /** null: it looks when somebody asks. */
  readonly sweepMinutes: number | null;
  /** Rows that are something else now, as a look at frepp said. */
  readonly learned: readonly NodeRow[];
  /** Why nobody knows of some of them. */
  readonly notices: readonly string[];
  /** Of what is submitted, or with frepp. */
  readonly live: ReadonlyMap<NodeId, Liveness>;
  /** Of frepp's stager, on history. */
  readonly locks: ReadonlyMap<NodeId, FoundLock>;
  /** Runs that are over, and rows say that they go on. */
  readonly over: readonly DagId[];
  /** Nothing is left, and nothing will fall due. */
  readonly isComplete: boolean;
}

/** What the sweep fills: all that is due and not done. */
export const EVERYTHING: FillChoice = { component: null, from: null, to: null, mode: "failed", recurse: true };

export async function gatherFill(
  ports: Ports,
  products: Products,
  request: RequestRecord,
  workflow: Workflow | null,
  choice?: FillChoice,
): Promise<Filling> {
  const { work } = effectiveSpec(request);
  const stored = workflow ? await readRows(ports, workflow) : new Map<NodeId, NodeRow>();
  const asked = workflow && !choice ? await ports.store.segmentNodes.pendingFill(workflow.id) : null;
  const { live: ours, over } = await runsOf(ports, workflow, stored);
  const look = await lookAround(ports, products, work);
  const seen = await lookAtFrepp(ports, products, request, { look, rows: stored });
  const { live: theirs, learned, notices } = seen;
  const rows = new Map([...stored, ...learned.map((row) => [row.id, row] as const)]);
  const live = new Map([...ours, ...theirs]);
  const locks = new Map(seen.locks.map((lock) => [lock.id, lock]));
  const facts = { request: request.spec.name, work, rows, live, look, locks, now: ports.clock.now() };
  const plan = await inSlices(products.fill({ ...facts, choice: choice ?? asked?.choice ?? EVERYTHING }));
  const isComplete = asked === null && choice === undefined && products.isComplete(work, plan);
  const sweepMinutes = products.sweepMinutes(work);
  return { look, rows, plan, asked, sweepMinutes, over, learned, notices, live, locks, isComplete };
}

/** What the first round of a request would fill, before anything of it is known: of a plan that is only looked at. */
export async function firstFill(
  spool: Pick<Ports["spool"], "stamps">,
  products: Products,
  { name, work }: Pick<RequestSpec, "name" | "work">,
  now: Date,
): Promise<{ readonly plan: FillPlan; readonly rows: ReadonlyMap<NodeId, NodeRow> }> {
  const [rows, live, locks] = [new Map<NodeId, NodeRow>(), new Map(), new Map()];
  const look = await lookAround({ spool }, products, work);
  const facts = { request: name, work, rows, live, look, locks, now, choice: EVERYTHING };
  return { plan: await inSlices(products.fill(facts)), rows };
}

export async function readRows({ store }: Ports, { id }: Workflow): Promise<ReadonlyMap<NodeId, NodeRow>> {
  const rows = new Map<NodeId, NodeRow>();
  for await (const page of store.segmentNodes.rows(id)) for (const row of page) rows.set(row.id, row);
  return rows;
}

/** One look, however many files. */
export async function lookAround(
  { spool }: { readonly spool: Pick<Ports["spool"], "stamps"> },
  products: Products,
  work: RequestWork,
): Promise<Look> {
  const asking = products.look(work);
  let step = asking.next();
  while (!step.done) step = asking.next(await spool.stamps(products.directory(work), step.value));
  return step.value;
}

/** A run that was stopped goes on in another DAG of the same directory. */
async function runsOf({ store }: Ports, workflow: Workflow | null, rows: ReadonlyMap<NodeId, NodeRow>) {
  const submitted = [...rows.values()].filter(({ state }) => state === "submitted");
  const ids = [...new Set(submitted.map(({ dagId }) => dagId as DagId))];
  const current = workflow?.currentDagId ?? null;
  const dags = ids.length > 0 ? await store.dags.getMany(current ? [...ids, current] : ids) : new Map<DagId, Dag>();
  const now = (current && dags.get(current)) || null;
  const goesOn = (id: DagId): Dag | null => {
    const dag = dags.get(id);
    const run = dag && now?.submitDir === dag.submitDir ? now : dag;
    return run && !isDagOver(run.status) ? run : null;
  };
  const runs = new Map(ids.map((id) => [id, goesOn(id)]));
  const live = new Map<NodeId, Liveness>();
  for (const { id, dagId } of submitted) {
    const run = runs.get(dagId as DagId);
    live.set(id, run && !isInEngine(run.status) ? "queued" : "running");
  }
  return { live, over: ids.filter((id) => runs.get(id) === null) };
}
