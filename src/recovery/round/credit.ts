import type { RoundFacts } from "./decide.ts";
import { isTorn, type Settlement, settleFiles } from "./settle.ts";

/** A node's events, as its manifest says; inclusive. */
export interface PlannedRange {
  readonly unit: string;
  readonly firstEvent: bigint;
  readonly lastEvent: bigint;
}

/** torn: partly done, and the rest is given up with the round, for planning the file again would repeat events. */
export interface Credit extends Settlement {
  readonly abandonedEvents: bigint;
}

/**
 * What stays of a round that is left behind, so that the next one repeats nothing. Finished units keep everything. Of
 * input: bad files are excluded, others of failed units attempted, files no job has looked at stay as they are. Of
 * generation: ranges of unfinished units are abandoned for good.
 */
export function creditRound(
  { finishedUnits, filesOf, tally }: Pick<RoundFacts, "finishedUnits" | "filesOf" | "tally">,
  ranges: readonly PlannedRange[],
): Credit {
  const failed = tally.failedUnits.filter(({ unit }) => !finishedUnits.has(unit));
  const settled = settleFiles(failed, filesOf, finishedUnits, tally.files);
  const tried = new Set(failed.map(({ unit }) => unit));
  // Cut off before its other part was tried: no failed unit knows of it.
  const cut = [...new Set([...filesOf.values()].flat())].filter(
    (file) =>
      isTorn(file, finishedUnits) &&
      file.units.some((unit) => !finishedUnits.has(unit)) &&
      !file.units.some((unit) => tried.has(unit)),
  );
  const abandoned = ranges.filter(({ unit }) => !finishedUnits.has(unit));
  return {
    ...settled,
    torn: [...settled.torn, ...cut.map(({ lfn }) => lfn)],
    abandonedEvents: abandoned.reduce((sum, { firstEvent, lastEvent }) => sum + lastEvent - firstEvent + 1n, 0n),
  };
}

/**
 * What units whose manifests are lost were to make. Events are planned in one line, unit after unit, so it is what lies
 * between their neighbours. `start`, `end`: the first and last event of the round; start null: not known, and then
 * neither is what the first units of the round were to make.
 */
export function rangesBetween(
  units: readonly { readonly unit: string; readonly ranges: readonly PlannedRange[] | null }[],
  start: bigint | null,
  end: bigint,
): readonly PlannedRange[] {
  const found: PlannedRange[] = [];
  let next = start;
  let lost: string | null = null;
  const close = (lastEvent: bigint) => {
    if (lost !== null && next !== null && next <= lastEvent) found.push({ unit: lost, firstEvent: next, lastEvent });
    lost = null;
  };
  for (const { unit, ranges } of units) {
    const [first] = ranges ?? [];
    const last = ranges?.at(-1);
    if (first && last) {
      close(first.firstEvent - 1n);
      next = last.lastEvent + 1n;
    } else lost ??= unit;
  }
  close(end);
  return found;
}
