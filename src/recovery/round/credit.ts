import { sorted } from "./counts.ts";
import type { FailedUnit } from "./failed-unit.ts";
import type { FileCount } from "./file-counts.ts";
import { type Exclusion, type RoundFile, settleFiles, type TornFile, tornFile } from "./settle.ts";

/**
 * What stays of a round that is left behind (released, or its files settled), so that the next one repeats nothing.
 * Finished units keep everything. Of input: files of finished units are processed, bad ones excluded, others of failed
 * units attempted, files no job has looked at stay fresh. Of generation: the offset is past all that was planned, and
 * ranges of unfinished units are abandoned for good.
 */
export interface CreditFacts {
  /** Units that have a row in the store. */
  readonly finishedUnits: ReadonlySet<string>;
  /** Unfinished units that failed, with what is known of them. */
  readonly failedUnits: readonly FailedUnit[];
  readonly fileCounts: readonly FileCount[];
  /** Files planned into the round; empty for generation. */
  readonly files: Iterable<RoundFile>;
  /** Ranges planned into the round; empty for input. */
  readonly ranges: Iterable<PlannedRange>;
  /** The workflow's offset: the first event no round has planned. */
  readonly nextFirstEvent: bigint;
  readonly topUp: boolean;
}

/** A node's events, as its manifest says; inclusive. */
export interface PlannedRange {
  readonly unit: string;
  readonly firstEvent: bigint;
  readonly lastEvent: bigint;
}

export interface EventRange {
  readonly firstEvent: bigint;
  readonly lastEvent: bigint;
}

export interface Credit {
  readonly processed: readonly string[];
  readonly attempted: readonly string[];
  readonly excluded: readonly Exclusion[];
  /** Partly done: the rest is given up with the round, for planning the file again would repeat events. */
  readonly torn: readonly TornFile[];
  /** Never planned into a unit that ran to an end: as before. */
  readonly fresh: readonly string[];
  readonly abandoned: readonly EventRange[];
  readonly abandonedEvents: bigint;
  /** Events to plan past the offset instead; 0 unless the request tops up. */
  readonly topUpEvents: bigint;
  /** Never before any planned event, and never back. */
  readonly nextFirstEvent: bigint;
}

export function creditRound(facts: CreditFacts): Credit {
  const failed = facts.failedUnits.filter(({ unit }) => !facts.finishedUnits.has(unit));
  const events = creditRanges(facts);
  return { ...creditFiles(facts, failed), ...events, topUpEvents: facts.topUp ? events.abandonedEvents : 0n };
}

function creditFiles({ files, finishedUnits, fileCounts }: CreditFacts, failed: readonly FailedUnit[]) {
  const failedNames = new Set(failed.map(({ unit }) => unit));
  const filesOf = new Map<string, RoundFile[]>();
  const processed: string[] = [];
  const untouched: RoundFile[] = [];
  for (const file of files) {
    if (file.units.length > 0 && file.units.every((unit) => finishedUnits.has(unit))) {
      processed.push(file.lfn);
      continue;
    }
    const here = file.units.filter((unit) => failedNames.has(unit));
    if (here.length === 0) untouched.push(file);
    for (const unit of here) {
      const known = filesOf.get(unit);
      if (known) known.push(file);
      else filesOf.set(unit, [file]);
    }
  }
  const { exclude, attempted, torn } = settleFiles(failed, filesOf, finishedUnits, fileCounts);
  const isTorn = ({ units }: RoundFile) => units.some((unit) => finishedUnits.has(unit));
  return {
    processed: sorted(processed),
    attempted,
    excluded: exclude,
    torn: [...torn, ...untouched.filter(isTorn).map((file) => tornFile(file, finishedUnits))],
    fresh: sorted(untouched.filter((file) => !isTorn(file)).map(({ lfn }) => lfn)),
  };
}

function creditRanges({ ranges, finishedUnits, nextFirstEvent }: CreditFacts) {
  const given: EventRange[] = [];
  let next = nextFirstEvent;
  for (const { unit, firstEvent, lastEvent } of ranges) {
    if (lastEvent >= next) next = lastEvent + 1n;
    if (!finishedUnits.has(unit)) given.push({ firstEvent, lastEvent });
  }
  const abandoned = joined(given);
  return {
    abandoned,
    abandonedEvents: abandoned.reduce((sum, range) => sum + range.lastEvent - range.firstEvent + 1n, 0n),
    nextFirstEvent: next,
  };
}

/** In order, touching ranges as one. */
function joined(ranges: readonly EventRange[]): readonly EventRange[] {
  const found: { firstEvent: bigint; lastEvent: bigint }[] = [];
  for (const { firstEvent, lastEvent } of ranges.toSorted((a, b) => (a.firstEvent < b.firstEvent ? -1 : 1))) {
    const last = found.at(-1);
    if (last && firstEvent <= last.lastEvent + 1n)
      last.lastEvent = lastEvent > last.lastEvent ? lastEvent : last.lastEvent;
    else found.push({ firstEvent, lastEvent });
  }
  return found;
}
