import { compare, sorted } from "./counts.ts";
import type { FailedUnit } from "./failed-unit.ts";
import type { FileCount } from "./file-counts.ts";

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

export interface TornFile {
  readonly lfn: string;
  readonly doneIn: readonly string[];
  readonly missingIn: readonly string[];
}

export interface Settlement {
  readonly exclude: readonly Exclusion[];
  readonly attempted: readonly string[];
  readonly torn: readonly TornFile[];
}

export type FilesOfUnits = ReadonlyMap<string, readonly RoundFile[]>;

export function settleFiles(
  units: readonly FailedUnit[],
  filesOf: FilesOfUnits,
  finished: ReadonlySet<string>,
  counts: readonly FileCount[],
): Settlement {
  const known = new Map(counts.map((count) => [count.file, count]));
  const bad = new Map<string, { units: string[]; sites: string[]; reason: string }>();
  const others = new Map<string, RoundFile>();
  for (const { unit, badFiles, sites } of units) {
    const names = new Set(badFiles);
    for (const file of filesOf.get(unit) ?? []) {
      if (!isNamed(file, names)) {
        others.set(file.lfn, file);
        continue;
      }
      const count = known.get(file.lfn) ?? known.get(file.path);
      const entry = bad.get(file.lfn) ?? { units: [], sites: [], reason: count?.reason ?? "named as bad" };
      entry.units.push(unit);
      entry.sites.push(...(count?.sites ?? sites));
      bad.set(file.lfn, entry);
    }
  }
  const rest = [...others.values()].filter(({ lfn }) => !bad.has(lfn));
  const isTorn = (file: RoundFile) => file.units.some((unit) => finished.has(unit));
  return {
    exclude: [...bad]
      .map(([lfn, { units, sites, reason }]) => ({
        lfn,
        evidence: { units: sorted(units), sites: sorted(sites), reason },
      }))
      .sort((a, b) => compare(a.lfn, b.lfn)),
    attempted: sorted(rest.filter((file) => !isTorn(file)).map(({ lfn }) => lfn)),
    torn: rest
      .filter(isTorn)
      .map((file) => tornFile(file, finished))
      .sort((a, b) => compare(a.lfn, b.lfn)),
  };
}

export const tornFile = ({ lfn, units }: RoundFile, finished: ReadonlySet<string>): TornFile => ({
  lfn,
  doneIn: sorted(units.filter((unit) => finished.has(unit))),
  missingIn: sorted(units.filter((unit) => !finished.has(unit))),
});

const isNamed = ({ lfn, path }: RoundFile, names: ReadonlySet<string>): boolean => names.has(lfn) || names.has(path);

/** Does the ledger know at least one of the files its failures name? Otherwise excluding would change nothing. */
export const hasKnownBadFile = ({ unit, badFiles }: FailedUnit, filesOf: FilesOfUnits): boolean => {
  const names = new Set(badFiles);
  return (filesOf.get(unit) ?? []).some((file) => isNamed(file, names));
};
