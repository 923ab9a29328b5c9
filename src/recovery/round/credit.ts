import type { FileCount } from "./counts.ts";
import type { FailedUnit } from "./failed-units.ts";
import { isTorn, type RoundFile, type Settlement, settleFiles } from "./settle.ts";

/**
 * What stays of a round that is left behind, so that the next one repeats nothing. Finished units keep everything. Of
 * input: bad files are excluded, others of failed units attempted, files no job has looked at stay as they are. Of
 * generation: ranges of unfinished units are abandoned for good.
 */
export interface CreditFacts {
  /** Units that have a row in the store. */
  readonly finishedUnits: ReadonlySet<string>;
  /** Unfinished units that failed, with what is known of them. */
  readonly failedUnits: readonly FailedUnit[];
  readonly fileCounts: readonly FileCount[];
  /** Files planned into the round; empty for generation. */
  readonly files: readonly RoundFile[];
  /** Ranges planned into the round; empty for input. */
  readonly ranges: readonly PlannedRange[];
}

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

export function creditRound({ finishedUnits, failedUnits, fileCounts, files, ranges }: CreditFacts): Credit {
  const failed = failedUnits.filter(({ unit }) => !finishedUnits.has(unit));
  const filesOf = new Map<string, RoundFile[]>(failed.map(({ unit }) => [unit, []]));
  const unfinished = files.filter(({ units }) => units.some((unit) => !finishedUnits.has(unit)));
  for (const file of unfinished) for (const unit of file.units) filesOf.get(unit)?.push(file);
  const settled = settleFiles(failed, filesOf, finishedUnits, fileCounts);
  // Cut off before its other part was tried: no failed unit knows of it.
  const cut = unfinished.filter((file) => isTorn(file, finishedUnits) && !file.units.some((unit) => filesOf.has(unit)));
  const abandoned = ranges.filter(({ unit }) => !finishedUnits.has(unit));
  return {
    ...settled,
    torn: [...settled.torn, ...cut.map(({ lfn }) => lfn)],
    abandonedEvents: abandoned.reduce((sum, { firstEvent, lastEvent }) => sum + lastEvent - firstEvent + 1n, 0n),
  };
}
