import { invariant } from "../core/base/errors.ts";
import { type DagId, jobIndex, jobName } from "../core/names.ts";
import type { RequestSpec } from "../core/request.ts";
import type { MeasuredUnit, Workflow } from "../core/workflow.ts";
import { kindOf } from "../kinds/kind.ts";
import type { Store } from "../store/port.ts";
import { creditedJobs, type EarlierWork } from "./gather-credits.ts";
import type { Ports } from "./ports.ts";

/** What an earlier version did and still holds counts as done here too, by the same proof. Repeatable. */
export async function recordCredits(
  store: Pick<Store, "units">,
  { id, round, nextBlock }: Workflow,
  earlier: EarlierWork | null,
  dagId: DagId,
  at: Date,
): Promise<void> {
  const common = { workflowId: id, dagId, round, block: nextBlock, status: "owed" as const, site: null, events: 0n };
  const rows: MeasuredUnit[] = [];
  for (const index of creditedJobs(earlier)) {
    const proof = earlier!.proofs.get(earlier!.jobs[index]!.name) ?? null;
    rows.push({ ...common, name: jobName(index), outputs: [], finishedAt: at, registeredAt: null, proof });
  }
  if (rows.length > 0) await store.units.recordFinished(rows);
}

/** In a later round of a graph: what its own earlier ones did, or were told to leave out. By job index. */
export async function doneJobs(
  { kinds, store: { units } }: Ports,
  { work }: RequestSpec,
  { id }: Workflow,
): Promise<ReadonlySet<number>> {
  if (!kindOf(kinds, work).isOneRound) return new Set();
  const names = [...(await units.finishedNames(id)), ...(await units.abandonedNames(id))];
  return new Set(names.flatMap((name) => jobIndex(name) ?? []));
}

/** Nothing is left to plan: the request is done as soon as that is written down. `earlier` null: its own rounds did it all. */
export const creditAll = (
  { store, clock }: Ports,
  workflow: Workflow,
  earlier: EarlierWork | null,
  jobs: number,
): Promise<void> =>
  store.transaction(async (tx) => {
    if (!earlier) {
      await tx.workflows.change(workflow.id, workflow.version, { nextUnit: jobs });
      return;
    }
    const at = clock.now();
    invariant(earlier.dagId, "an earlier version finished jobs without a DAG", { workflow: workflow.id });
    const counters = { nextUnit: jobs, nextNode: jobs, nextBlock: workflow.nextBlock + 1, unitsPlanned: jobs };
    const isChanged = await tx.workflows.change(workflow.id, workflow.version, counters);
    invariant(isChanged, "somebody else changed the workflow while it was planned", { workflow: workflow.id });
    const block = { index: workflow.nextBlock, dataset: `/${workflow.requestName}`, units: jobs, expectedBytes: 0 };
    await tx.units.createBlocks(workflow.id, [block], at);
    await recordCredits(tx, workflow, earlier, earlier.dagId, at);
  });
