import { invariant } from "../core/base/errors.ts";
import { isDagOver } from "../core/dag.ts";
import { jobName, type UnitName, unitName } from "../core/names.ts";
import type { PlannedRange } from "../core/plan.ts";
import { shapeOf } from "../core/roles.ts";
import type { Workflow } from "../core/workflow.ts";
import { kindOf } from "../kinds/kind.ts";
import { creditRound } from "../recovery/round/credit.ts";
import { unitFolder } from "../submit-dir/names.ts";
import type { Apply } from "./apply.ts";
import type { Facts } from "./decision.ts";
import { gatherMade } from "./gather-credits.ts";
import { tellMetrics } from "./measure.ts";
import { type Applied, changeWorkflow, closeRound, endDag, move, theRun } from "./moves.ts";
import type { Ports } from "./ports.ts";
import { applyBans } from "./rescue.ts";

/** Bad files are excluded with their evidence, the others of the same units will be tried again in the next round. */
export const excludeFiles: Apply<"exclude-files"> = async (ports, facts, { exclude, attempted, reason }) => {
  const { workflow } = theRun(facts);
  const left = await leftBehind(ports, facts);
  return move(ports, facts, "queued", reason, {}, async (store, at) => {
    await applyBans(ports, store, facts);
    for (const { lfn, evidence } of exclude) {
      const reason = `${evidence.reason} (${evidence.units.join(", ")} at ${evidence.sites.join(", ") || "no named site"})`;
      await store.files.setState(workflow.id, [lfn], "excluded", reason);
    }
    if (attempted.length) await store.files.setState(workflow.id, attempted, "attempted", reason);
    await store.units.abandonUnits(workflow.id, left.units, at);
    await tellMetrics(store, facts);
    await closeRound({ ...ports, store }, facts, left.units.length);
  });
};

/** Released by a person: what finished is credited, nothing of it is repeated, the rest goes into the next round. */
export const leaveRound: Apply<"leave-round"> = async (ports, facts, { rest, reason }) =>
  rest === "given-up"
    ? leave(ports, facts, reason)
    : leave(ports, facts, reason, await beginAgain(ports, facts), "planned-again");

/** The same, for a run that is in no engine, whether it ended or never began; from here on another engine has the request. */
export const moveEngine: Apply<"move-engine"> = async (ports, facts, { engine, reason }) =>
  kindOf(ports.kinds, facts.request.spec.work).isOneRound
    ? leave(ports, facts, reason, { engine, ...(await beginAgain(ports, facts)) }, "planned-again")
    : leave(ports, facts, reason, { engine });

/** What was lost with the run and is done by its outputs is written down first; of the others the only round is planned again. */
async function beginAgain(ports: Ports, { request, workflow, round, dag }: Facts): Promise<Partial<Workflow>> {
  invariant(workflow, "a release without a workflow");
  if (!dag || !round) return {};
  const cannotTell = round.facts.directory === "gone" || round.facts.damaged.length > 0;
  const made = cannotTell ? await gatherMade(ports, request, workflow, round.facts.finishedUnits) : [];
  const row = {
    workflowId: workflow.id,
    dagId: dag.id,
    round: dag.round,
    block: 0,
    status: "owed" as const,
    site: null,
  };
  const fresh = { events: 0n, outputs: [], finishedAt: ports.clock.now(), registeredAt: null };
  const units = Array.from(made, ([index, proof]) => ({ ...row, ...fresh, name: jobName(index), proof }));
  if (units.length > 0) await ports.store.units.recordFinished(units);
  return { nextUnit: 0 };
}

async function leave(
  ports: Ports,
  facts: Facts,
  reason: string,
  more: Partial<Workflow> = {},
  rest: "given-up" | "planned-again" = "given-up",
): Promise<Applied> {
  const { workflow, round, dag } = facts;
  invariant(workflow, "a release without a workflow");
  const change = { wish: null, rescuesUsed: 0 };
  const left = await leftBehind(ports, facts);
  if (!dag || !round)
    return move(ports, facts, "queued", reason, change, async (store, at) => {
      if (rest === "given-up") await store.units.abandonUnits(workflow.id, left.units, at);
      await changeWorkflow(store, facts, () => more);
    });
  const credit = creditRound(round.facts);
  const { wish } = facts.request;
  const said = wish && { at: wish.at.toISOString(), by: wish.actor, reason: wish.reason };
  const unusable = new Set(round.facts.damaged.map(({ unit }) => unit));
  const usable = left.units.flatMap(({ name }) => (unusable.has(name) ? [] : [unitFolder(name)]));
  for (const folder of round.facts.directory === "gone" ? [] : new Set(usable))
    if (said) await ports.spool.noteLeft(dag.submitDir, folder, said);
  return move(ports, facts, "queued", reason, change, async (store, at) => {
    for (const { lfn, evidence } of credit.exclude)
      await store.files.setState(workflow.id, [lfn], "excluded", evidence.reason);
    const reason = "parts of it are done; the rest was given up at a release";
    if (credit.torn.length) await store.files.setState(workflow.id, credit.torn, "excluded", reason);
    if (credit.attempted.length) await store.files.setState(workflow.id, credit.attempted, "attempted", reason);
    if (rest === "given-up") await store.units.abandonUnits(workflow.id, left.units, at);
    if (!isDagOver(dag.status)) await endDag(store, dag, "stopped", reason, at);
    await tellMetrics(store, facts);
    const abandonedEvents = workflow.abandonedEvents + left.events;
    await closeRound({ ...ports, store }, facts, left.units.length, { abandonedEvents, ...more });
  });
}

/** The units that will never come, so that their blocks close without them, and what they were to do. */
async function leftBehind(ports: Ports, { request, workflow, dag, round }: Facts) {
  if (!workflow) return { units: [], events: 0n };
  const units = await placedByBlocks(ports, workflow, await openUnits(ports, request, workflow));
  if (!dag || !round) return { units, events: 0n };
  const { work } = request.spec;
  const kind = kindOf(ports.kinds, work);
  // Which events they were to make, nobody knows any more: the release has warned of that.
  if (!kind.abandoned || round.facts.directory === "gone") return { units, events: 0n };
  const lost = new Set(round.facts.damaged.map(({ unit }) => unit));
  const planned: { unit: string; ranges: readonly PlannedRange[] | null }[] = [];
  for (const unit of lost.size > 0 ? round.unitNames : round.unfinished)
    planned.push({ unit, ranges: lost.has(unit) ? null : (await ports.spool.planned(dag.submitDir, unit)).ranges });
  const { nextFirstEvent } = workflow;
  const finished = round.facts.finishedUnits;
  return { units, events: kind.abandoned({ work, round: dag.round, nextFirstEvent, units: planned, finished }) };
}

/** Whatever was planned and is neither done nor left out, in whichever round. */
async function openUnits(
  { store, kinds }: Ports,
  { spec }: Facts["request"],
  { id, nextUnit }: Workflow,
): Promise<Set<string>> {
  const [finished, left] = await Promise.all([store.units.finishedNames(id), store.units.abandonedNames(id)]);
  const nameOf = kindOf(kinds, spec.work).commands === "own" ? jobName : unitName;
  const names = Array.from({ length: nextUnit }, (_, index): string => nameOf(index));
  const isOver = (name: string) => finished.has(name as UnitName) || left.has(name as UnitName);
  return new Set(names.filter((name) => !isOver(name)));
}

/** Blocks take units in order, so their sizes tell which unit is in which. */
export async function placedByBlocks({ store }: Ports, { id }: Workflow, wanted: ReadonlySet<string>) {
  const blocks = await store.units.blocks(id);
  // All jobs of a graph are one block.
  const jobs = [...wanted].filter((name): name is UnitName => shapeOf(name).layout === "flat");
  if (jobs.length > 0) return jobs.map((name) => ({ name, block: blocks.at(-1)?.index ?? 0 }));
  return blocks
    .flatMap(({ index, unitsTotal }) => new Array<number>(unitsTotal).fill(index))
    .map((block, at) => ({ name: unitName(at), block }))
    .filter(({ name }) => wanted.has(name));
}
