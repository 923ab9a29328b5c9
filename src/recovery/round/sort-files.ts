import { compare, type FileCount, sorted } from "./counts.ts";
import type { FailedUnit } from "./failed-units.ts";

/**
 * Which files of failed units are bad, which were only there when it happened, and which are torn: parts of them are
 * done in other units. A torn file cannot be planned again whole without repeating events, so nobody does that by
 * default: its unit is rescued, or a person gives the rest of it up.
 */
export interface RoundFile {
  readonly lfn: string;
  /** Jobs know files by path, catalogs by LFN. */
  readonly path: string;
  /** All units of the round that read from it. */
  readonly units: readonly string[];
}

export interface Exclusion {
  readonly lfn: string;
  readonly evidence: { readonly units: readonly string[]; readonly sites: readonly string[]; readonly reason: string };
}

export type SortedFiles = Readonly<ReturnType<typeof sortFiles>>;
export type FilesOfUnits = ReadonlyMap<string, readonly RoundFile[]>;

export function sortFiles(
  units: readonly FailedUnit[],
  filesOf: FilesOfUnits,
  finished: ReadonlySet<string>,
  counts: readonly FileCount[],
) {
  const known = new Map(counts.map((count) => [count.file, count]));
  const bad = new Map<string, { units: string[]; sites: string[]; reason: string }>();
  const others = new Map<string, RoundFile>();
  for (const failed of units) {
    for (const file of filesOf.get(failed.unit) ?? []) {
      if (!isNamed(file, failed)) {
        others.set(file.lfn, file);
        continue;
      }
      const count = known.get(file.lfn) ?? known.get(file.path);
      const entry = bad.get(file.lfn) ?? { units: [], sites: [], reason: count?.reason ?? "named as bad" };
      entry.units.push(failed.unit);
      entry.sites.push(...(count?.sites ?? failed.sites));
      bad.set(file.lfn, entry);
    }
  }
  const rest = [...others.values()].filter(({ lfn }) => !bad.has(lfn));
  const lfns = (files: readonly RoundFile[]) => sorted(files.map(({ lfn }) => lfn));
  return {
    exclude: [...bad]
      .map(([lfn, { units, sites, reason }]) => ({
        lfn,
        evidence: { units: sorted(units), sites: sorted(sites), reason },
      }))
      .sort((a, b) => compare(a.lfn, b.lfn)),
    attempted: lfns(rest.filter((file) => !isTorn(file, finished))),
    torn: lfns(rest.filter((file) => isTorn(file, finished))),
  };
}

export const isTorn = ({ units }: RoundFile, finished: ReadonlySet<string>): boolean =>
  units.some((unit) => finished.has(unit));

const isNamed = ({ lfn, path }: RoundFile, { badFiles }: FailedUnit): boolean =>
  badFiles.includes(lfn) || badFiles.includes(path);

/** Does the ledger know at least one of the files its failures name? Otherwise excluding would change nothing. */
export const hasKnownBadFile = (unit: FailedUnit, filesOf: FilesOfUnits): boolean =>
  (filesOf.get(unit.unit) ?? []).some((file) => isNamed(file, unit));
