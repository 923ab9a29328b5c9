import { isAfterFinish, shapeOf } from "../../core/roles.ts";
import { mayBeRescued } from "../decision.ts";
import type { AttemptRecord } from "../ledger-record.ts";
import { badFilesOf, compare, sorted } from "./counts.ts";
import { type FilesOfUnits, hasKnownBadFile, sortFiles } from "./sort-files.ts";

/**
 * What a rescue could do for a failed unit, from the last word on each of its failed nodes.
 * unclassified: a node waits for a person to say what its failure means.
 * permanent: nothing would change. data: bad files are named; the file ledger excludes them.
 * spent: the executions or a rule's retries of this epoch are used up, and only a person opens a new one.
 * open: a rescue may help, or nobody knows.
 */
type UnitOutlook = "unclassified" | "permanent" | "data" | "spent" | "open";

export type FailedUnit = Readonly<ReturnType<typeof failedUnit>>;

/** Without failures: the engine calls it failed, and its ledger says nothing. A rescue is worth a try. */
export function failedUnit(unit: string, failures: readonly AttemptRecord[]) {
  // What comes after the outputs are made is no reason to make them again elsewhere.
  const placed = failures.filter(({ node, site }) => !isAfterFinish(node) && site !== null);
  return {
    unit,
    outlook: outlookOf(failures),
    /** The engine ended it, as after a disk that was full. */
    isCutOff: failures.length === 0,
    /** Where its failures happened; those of the cleanup do not count. */
    sites: sorted(placed.map(({ site }) => site!)),
    /** Sites its failures speak against: the rescue elects another. */
    avoidSites: sorted(
      placed.flatMap(({ changeSite, site, avoidSites }) => (changeSite ? [...avoidSites, site!] : [])),
    ),
    /** Where those of its failures happened that another site is no remedy for; "": nobody knows where. */
    staysAt: sorted(
      failures.filter((failure) => !failure.changeSite || !placed.includes(failure)).map(({ site }) => site ?? ""),
    ),
    /** Whose retries its nodes have used up, as a person finds them: "handler flaky, rule 1". */
    spentRules: sorted(failures.flatMap((line) => (line.why === "rule-retries" ? ruleOf(line) : []))),
    /** Named as bad by its data failures, as the job knew them (LFN or path). */
    badFiles: sorted(failures.flatMap(badFilesOf)),
  };
}

const ruleOf = ({ rule, ruleSource }: AttemptRecord): string =>
  ruleSource === null || ruleSource === "built-in" ? `the built-in rule ${rule}` : ruleSource;

/** Budgets of an epoch. */
const SPENT: readonly (string | null)[] = ["executions", "losses", "rule-retries"];

/** A rescue of a unit helps if it may help every failed node: its merge needs them all. */
function outlookOf(failures: readonly AttemptRecord[]): UnitOutlook {
  if (failures.length === 0) return "open";
  if (failures.some(({ decision }) => decision === "unclassified")) return "unclassified";
  const named = (line: AttemptRecord) => badFilesOf(line).length > 0;
  if (failures.every(named)) return "data";
  // Somebody's own rule that says "try again" knows better than the category of the code.
  const isHopeless = ({ category, why, ruleSource }: AttemptRecord) =>
    category === "permanent" && (why === "row-stops" || ruleSource === null || ruleSource === "built-in");
  const spent = (line: AttemptRecord) => SPENT.includes(line.why) && !isHopeless(line);
  const isBeyondRescue = (line: AttemptRecord) => isHopeless(line) || named(line) || !mayBeRescued(line);
  if (!failures.every(isBeyondRescue)) return "open";
  return failures.some(spent) ? "spent" : "permanent";
}

/** torn: bad files too, but the unit also holds parts of files that are done elsewhere. */
type Bucket = UnitOutlook | "torn";

/** The failed units of a round, each in exactly one bucket. Finished units are in none, whatever else is said. */
export interface SortedUnits extends Readonly<Record<Bucket, readonly FailedUnit[]>> {
  readonly failed: number;
  /** All a rescue cannot help. */
  readonly beyondRescue: readonly FailedUnit[];
}

interface Facts {
  readonly failedUnits: readonly string[];
  readonly finishedUnits: ReadonlySet<string>;
  readonly tally: { readonly failedUnits: readonly FailedUnit[] };
  readonly filesOf: FilesOfUnits;
}

export function sortUnits({ failedUnits, finishedUnits, tally, filesOf }: Facts): SortedUnits {
  const told = new Map(tally.failedUnits.map((unit) => [unit.unit, unit]));
  const units = sorted(failedUnits.filter((unit) => !finishedUnits.has(unit))).map(
    (name) => told.get(name) ?? failedUnit(name, []),
  );
  const bucketOf = (unit: FailedUnit): Bucket => {
    if (unit.outlook !== "data") return unit.outlook;
    if (!hasKnownBadFile(unit, filesOf)) return "open";
    return sortFiles([unit], filesOf, finishedUnits, []).torn.length > 0 ? "torn" : "data";
  };
  const buckets: Record<Bucket, FailedUnit[]> = {
    open: [],
    unclassified: [],
    permanent: [],
    spent: [],
    data: [],
    torn: [],
  };
  for (const unit of units) buckets[bucketOf(unit)].push(unit);
  const { permanent, spent, data, torn } = buckets;
  return { failed: units.length, ...buckets, beyondRescue: [...permanent, ...spent, ...data, ...torn] };
}

/** A unit that a rescue moves as a whole: its own rescue file and elected site are dropped, then it lands again. */
export interface Reelection {
  readonly unit: string;
  readonly avoidSites: readonly string[];
}

export interface SiteFacts {
  /** Where the request may run at all; null or empty: anywhere, or the engine has no named sites. */
  readonly possibleSites: readonly string[] | null;
  readonly bannedSites: readonly string[];
}

/**
 * Units whose failures speak against their site, and units at a banned site. A unit that failed everywhere stays where
 * it is: avoiding all sites would leave it waiting for ever. Bans are never given up for that.
 */
export function reelectUnits(units: readonly FailedUnit[], sites: SiteFacts): readonly Reelection[] {
  const banned = new Set(sites.bannedSites);
  const found: Reelection[] = [];
  for (const unit of units) {
    // A job of a graph changes its site at every try, and lands with nobody.
    if (shapeOf(unit.unit).layout === "flat") continue;
    const wanted = sorted([...unit.avoidSites, ...unit.sites.filter((site) => banned.has(site))]);
    if (wanted.length === 0) continue;
    const stuck = sitesLeft(sites.possibleSites, wanted, sites.bannedSites)?.length === 0;
    const avoid = stuck ? wanted.filter((site) => banned.has(site)) : wanted;
    if (avoid.length > 0) found.push({ unit: unit.unit, avoidSites: sorted([...avoid, ...banned]) });
  }
  return found.sort((a, b) => compare(a.unit, b.unit));
}

/** Is another site all the unit needs? What failed at a banned site failed for the site, as far as anybody can tell. */
export const onlyMoves = (unit: FailedUnit, moves: readonly Reelection[], { bannedSites }: SiteFacts): boolean =>
  moves.some((move) => move.unit === unit.unit) && unit.staysAt.every((site) => bannedSites.includes(site));

/** Which possible sites are left; null: there is no list, so there are always others. */
export function sitesLeft<Site extends string>(
  possible: readonly Site[] | null,
  ...excluded: readonly (readonly string[])[]
): readonly Site[] | null {
  if (possible === null || possible.length === 0) return null;
  return possible.filter((site) => !excluded.some((sites) => sites.includes(site)));
}
