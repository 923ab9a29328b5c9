import { invariant } from "../base/errors.ts";
import type { UnitName } from "../domain/names.ts";
import { creditRound } from "../recovery/round/credit.ts";
import type { Store } from "../store/port.ts";
import type { Decision, Facts } from "./decision.ts";
import { effectiveSpec } from "./effective-spec.ts";
import { roundFile } from "./gather-round.ts";
import { type Applied, move } from "./moves.ts";
import type { Ports } from "./ports.ts";
import { applyBans } from "./rescue.ts";

/** Bad files are excluded with their evidence, the others of the same units will be tried again in the next round. */
export async function settleFiles(
  ports: Ports,
  facts: Facts,
  { exclude, attempted, because }: Extract<Decision, { kind: "settle-files" }>,
): Promise<Applied> {
  const { workflow } = facts;
  invariant(workflow, "files without a workflow");
  return move(ports, facts, "queued", because, {}, async (store) => {
    await applyBans(ports, store, facts);
    for (const { lfn, evidence } of exclude) {
      const reason = `${evidence.reason} (${evidence.units.join(", ")} at ${evidence.sites.join(", ") || "no named site"})`;
      await store.files.setState(workflow.id, [lfn], "excluded", reason);
    }
    if (attempted.length) await store.files.setState(workflow.id, attempted, "attempted", because);
    await abandonUnits(ports, store, facts);
    await nextRound(store, facts);
  });
}

/** Released by a person: what finished is credited, nothing of it is repeated, the rest goes into the next round. */
export async function leaveRound(ports: Ports, facts: Facts, because: string): Promise<Applied> {
  const { workflow, dag, round, request } = facts;
  invariant(workflow, "a release without a workflow");
  const change = { wish: null, rescuesUsed: 0 };
  if (!dag || !round) return move(ports, facts, "queued", because, change);
  const files = request.spec.kind === "process" ? await ports.store.files.remaining(workflow.id) : [];
  const unfinished = round.unitNames.filter((unit) => !round.facts.finishedUnits.has(unit));
  const ranges = (await Promise.all(unfinished.map((unit) => ports.spool.planned(dag.submitDir, unit)))).flatMap(
    (unit) => unit.ranges,
  );
  const credit = creditRound({
    finishedUnits: round.facts.finishedUnits,
    failedUnits: round.facts.tally.failedUnits,
    fileCounts: round.facts.tally.files,
    files: files.filter(({ units }) => units.length > 0).map(roundFile),
    ranges,
    nextFirstEvent: workflow.nextFirstEvent,
    topUp: effectiveSpec(request).generation?.topUp ?? false,
  });
  return move(ports, facts, "queued", because, change, async (store) => {
    for (const { lfn, evidence } of credit.excluded)
      await store.files.setState(workflow.id, [lfn], "excluded", evidence.reason);
    for (const { lfn } of credit.torn) {
      await store.files.setState(
        workflow.id,
        [lfn],
        "excluded",
        "parts of it are done; the rest was given up at a release",
      );
    }
    if (credit.attempted.length) await store.files.setState(workflow.id, credit.attempted, "attempted", because);
    await abandonUnits(ports, store, facts);
    await nextRound(store, facts, { abandonedEvents: workflow.abandonedEvents + credit.abandonedEvents });
  });
}

/** Units of the round that will never come: their blocks close without them. */
async function abandonUnits(ports: Ports, store: Store, { workflow, dag, round }: Facts): Promise<void> {
  if (!workflow || !dag || !round) return;
  const units: { name: UnitName; block: number }[] = [];
  for (const unit of round.unitNames) {
    if (round.facts.finishedUnits.has(unit)) continue;
    units.push({ name: unit as UnitName, block: (await ports.spool.planned(dag.submitDir, unit)).block });
  }
  if (units.length) await store.units.abandonUnits(workflow.id, units, ports.clock.now());
}

async function nextRound(
  store: Store,
  { workflow, dag }: Facts,
  more: { abandonedEvents?: bigint } = {},
): Promise<void> {
  const fresh = workflow && (await store.workflows.get(workflow.id));
  if (!fresh) return;
  const nodesDone = fresh.nodesDone + (dag?.nodes.done ?? 0);
  await store.workflows.change(fresh.id, fresh.version, {
    round: fresh.round + 1,
    currentDagId: null,
    nodesDone,
    ...more,
  });
}
