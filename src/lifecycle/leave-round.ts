import { invariant } from "../base/errors.ts";
import type { UnitName } from "../domain/names.ts";
import { creditRound, type PlannedRange } from "../recovery/round/credit.ts";
import type { Apply } from "./apply.ts";
import type { Facts } from "./decision.ts";
import { closeRound, move, theRun } from "./moves.ts";
import type { Ports } from "./ports.ts";
import { applyBans } from "./rescue.ts";

/** Bad files are excluded with their evidence, the others of the same units will be tried again in the next round. */
export const settleFiles: Apply<"settle-files"> = async (ports, facts, { exclude, attempted, because }) => {
  const { workflow } = theRun(facts);
  const left = await leftBehind(ports, facts);
  return move(ports, facts, "queued", because, {}, async (store, at) => {
    await applyBans(ports, store, facts);
    for (const { lfn, evidence } of exclude) {
      const reason = `${evidence.reason} (${evidence.units.join(", ")} at ${evidence.sites.join(", ") || "no named site"})`;
      await store.files.setState(workflow.id, [lfn], "excluded", reason);
    }
    if (attempted.length) await store.files.setState(workflow.id, attempted, "attempted", because);
    await store.units.abandonUnits(workflow.id, left.units, at);
    await closeRound(store, facts);
  });
};

/** Released by a person: what finished is credited, nothing of it is repeated, the rest goes into the next round. */
export const leaveRound: Apply<"leave-round"> = async (ports, facts, { because }) => {
  const { workflow, round, request } = facts;
  invariant(workflow, "a release without a workflow");
  const change = { wish: null, rescuesUsed: 0 };
  if (!facts.dag || !round) return move(ports, facts, "queued", because, change);
  const files = request.spec.kind === "process" ? await ports.store.files.remaining(workflow.id) : [];
  const left = await leftBehind(ports, facts);
  const credit = creditRound({
    finishedUnits: round.facts.finishedUnits,
    failedUnits: round.facts.tally.failedUnits,
    fileCounts: round.facts.tally.files,
    files: files.filter(({ units }) => units.length > 0),
    ranges: left.ranges,
  });
  return move(ports, facts, "queued", because, change, async (store, at) => {
    for (const { lfn, evidence } of credit.exclude)
      await store.files.setState(workflow.id, [lfn], "excluded", evidence.reason);
    const words = "parts of it are done; the rest was given up at a release";
    if (credit.torn.length) await store.files.setState(workflow.id, credit.torn, "excluded", words);
    if (credit.attempted.length) await store.files.setState(workflow.id, credit.attempted, "attempted", because);
    await store.units.abandonUnits(workflow.id, left.units, at);
    await closeRound(store, facts, { abandonedEvents: workflow.abandonedEvents + credit.abandonedEvents });
  });
};

/** The units of the round that will never come, so that their blocks close without them, and what they were to do. */
async function leftBehind({ spool }: Ports, { dag, round }: Facts) {
  const units: { name: UnitName; block: number }[] = [];
  const ranges: PlannedRange[] = [];
  for (const unit of round?.unfinished ?? []) {
    const planned = await spool.planned(dag?.submitDir ?? "", unit);
    units.push({ name: unit as UnitName, block: planned.block });
    ranges.push(...planned.ranges);
  }
  return { units, ranges };
}
