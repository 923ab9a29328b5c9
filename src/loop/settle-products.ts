import { parseJson } from "../core/base/json.ts";
import type { Dag } from "../core/dag.ts";
import type { ProductTold, UnitAttempt, UnitEnding } from "../core/products.ts";
import type { RequestRecord } from "../core/request.ts";
import type { NodeId, NodeRow } from "../core/segments.ts";
import type { Workflow } from "../core/workflow.ts";
import { kindOf, type Products } from "../kinds/kind.ts";
import { type AttemptRecord, readTallyLines } from "../recovery/ledger-record.ts";
import type { Apply } from "./apply.ts";
import { forEachBounded } from "./bounded.ts";
import { areStamps } from "./finished-jobs.ts";
import { readRows } from "./gather-fill.ts";
import { effectiveSpec } from "./gather-round.ts";
import { removeLocks } from "./look-at-transfers.ts";
import { again } from "./moves.ts";
import type { Ports } from "./ports.ts";

const REPORTS_AT_ONCE = 16;

/** Rows of runs that are over become what their units left: however often this is repeated, it comes to the same. */
export const settleProducts: Apply<"settle-products"> = async (
  ports,
  { request, workflow },
  { over, learned, locks },
) => {
  const { work } = effectiveSpec(request);
  const run = kindOf(ports.kinds, work).products?.modelRun?.(work);
  if (run) await removeLocks(ports, request, run, locks, "the sweep");
  if (workflow) await ports.store.segmentNodes.write(workflow.id, learned);
  for (const { id, state, reason } of learned) ports.log.info("frepp.told", { product: id, state, reason });
  const dags = await ports.store.dags.getMany(over);
  for (const id of over) if (workflow) await settleRun(ports, request, workflow, dags.get(id) ?? null, id, null);
  return again;
};

/** Units that finished while the run goes on. */
export async function tellProducts(
  ports: Ports,
  request: RequestRecord,
  workflow: Workflow,
  dag: Dag,
  units: readonly string[],
): Promise<void> {
  if (units.length === 0 || !kindOf(ports.kinds, request.spec.work).products) return;
  await settleRun(ports, request, workflow, dag, dag.id, new Set(units));
}

/** `units` null: all of the run. A run whose directory is gone has left nothing to read. */
async function settleRun(
  ports: Ports,
  request: RequestRecord,
  workflow: Workflow,
  dag: Dag | null,
  dagId: string,
  units: ReadonlySet<string> | null,
): Promise<void> {
  const { work } = effectiveSpec(request);
  const products = kindOf(ports.kinds, work).products as Products;
  const rows = await readRows(ports, workflow);
  const names = unitsOf(rows, dag, dagId, units);
  const endings = dag ? await endingsOf(ports, dag, names) : new Map(names.map((name) => [name, NEVER_BEGAN]));
  const ended = products.ended({ work, rows, units: endings, now: ports.clock.now() });
  const moved = await ports.store.segmentNodes.write(workflow.id, ended);
  const told = ended.filter(({ id }) => !moved.has(id));
  const held = told.filter(({ state }) => state === "held").length;
  ports.log.info("products.ended", { request: request.spec.name, dag: dagId, products: told.length, held });
}

const NEVER_BEGAN: UnitEnding = { attempts: [] };

function unitsOf(
  rows: ReadonlyMap<NodeId, NodeRow>,
  dag: Dag | null,
  dagId: string,
  units: ReadonlySet<string> | null,
): readonly string[] {
  const names = new Set<string>();
  // The DAG of a run that was stopped and goes on is another one than the rows name.
  for (const row of rows.values())
    if (row.state === "submitted" && row.unit !== null && (units?.has(row.unit) ?? row.dagId === (dag?.id ?? dagId)))
      names.add(row.unit);
  return [...names];
}

async function endingsOf(ports: Ports, dag: Dag, units: readonly string[]): Promise<ReadonlyMap<string, UnitEnding>> {
  const endings = new Map<string, UnitEnding>(units.map((unit) => [unit, NEVER_BEGAN]));
  const lines: { unit: string; records: readonly AttemptRecord[] }[] = [];
  for await (const { unit, text } of ports.spool.ledgers(dag.submitDir, units))
    lines.push({ unit, records: readTallyLines(text ?? "").lines.filter(({ node }) => node === unit) });
  await forEachBounded(lines, REPORTS_AT_ONCE, async ({ unit, records }) => {
    const attempts: UnitAttempt[] = [];
    for (const record of records) attempts.push(await attemptOf(ports, dag, unit, record));
    endings.set(unit, { attempts });
  });
  return endings;
}

async function attemptOf(ports: Ports, { submitDir }: Dag, unit: string, record: AttemptRecord): Promise<UnitAttempt> {
  const { cluster, decision, cause, exitCode, reason } = record;
  const text = cluster < 0 ? null : await ports.spool.report(submitDir, unit, unit, cluster);
  const json = parseJson(text ?? "");
  const products = productsTold(json.ok ? json.value : null);
  return { cause: decision === "done" ? null : (cause ?? "node_lost"), exitCode, reason, products };
}

/** Text from a worker: what is not as agreed is left out. */
function productsTold(report: unknown): ReadonlyMap<NodeId, ProductTold> {
  const told = new Map<NodeId, ProductTold>();
  const { products } = (report ?? {}) as { products?: unknown };
  for (const entry of Array.isArray(products) ? products : []) {
    const { id, history, reads, makes } = (entry ?? {}) as Record<string, unknown>;
    if (typeof id === "string" && areStamps(history))
      told.set(id, { history, reads: areStamps(reads) ? reads : [], makes: areStamps(makes) ? makes : null });
  }
  return told;
}
