import type { FailedUnit } from "./failed-unit.ts";
import { type FilesOfUnits, hasKnownBadFile, settleFiles } from "./settle.ts";
import type { RoundTally } from "./tally.ts";

/** The failed units of a round, each in exactly one bucket. Finished units are in none, whatever else is said. */
export interface SortedUnits {
  readonly failed: number;
  /** A rescue may help; also those nobody knows anything about. */
  readonly open: readonly FailedUnit[];
  readonly unclassified: readonly FailedUnit[];
  readonly permanent: readonly FailedUnit[];
  readonly spent: readonly FailedUnit[];
  /** Settled by the file ledger. */
  readonly data: readonly FailedUnit[];
  /** Bad files too, but the unit also holds parts of files that are done elsewhere. */
  readonly torn: readonly FailedUnit[];
  /** All a rescue cannot help. */
  readonly settled: readonly FailedUnit[];
}

interface Facts {
  readonly failedUnits: readonly string[];
  readonly finishedUnits: ReadonlySet<string>;
  readonly tally: RoundTally;
  readonly filesOf: FilesOfUnits;
}

export function sortUnits({ failedUnits, finishedUnits, tally, filesOf }: Facts): SortedUnits {
  const told = new Map(tally.failedUnits.map((unit) => [unit.unit, unit]));
  const names = [...new Set(failedUnits)].filter((unit) => !finishedUnits.has(unit)).sort();
  const units = names.map((name) => told.get(name) ?? untold(name));
  const sorted: Record<Bucket, FailedUnit[]> = {
    open: [],
    unclassified: [],
    permanent: [],
    spent: [],
    data: [],
    torn: [],
  };
  for (const unit of units) sorted[bucketOf(unit, filesOf, finishedUnits)].push(unit);
  const { permanent, spent, data, torn } = sorted;
  return { failed: units.length, ...sorted, settled: [...permanent, ...spent, ...data, ...torn] };
}

type Bucket = FailedUnit["outlook"] | "torn";

function bucketOf(unit: FailedUnit, filesOf: FilesOfUnits, finished: ReadonlySet<string>): Bucket {
  if (unit.outlook !== "data") return unit.outlook;
  if (!hasKnownBadFile(unit, filesOf)) return "open";
  return settleFiles([unit], filesOf, finished, []).torn.length > 0 ? "torn" : "data";
}

/** The engine calls it failed, and its ledger says nothing: a rescue is worth a try. */
const untold = (unit: string): FailedUnit => ({
  unit,
  outlook: "open",
  categories: {},
  nodesFailed: 0,
  nodesDone: 0,
  sites: [],
  avoidSites: [],
  badFiles: [],
});
