import { compare, sorted } from "./counts.ts";
import type { FailedUnit } from "./failed-unit.ts";

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
    const wanted = sorted([...unit.avoidSites, ...unit.sites.filter((site) => banned.has(site))]);
    if (wanted.length === 0) continue;
    const stuck = sitesLeft(sites.possibleSites, wanted, sites.bannedSites)?.length === 0;
    const avoid = stuck ? wanted.filter((site) => banned.has(site)) : wanted;
    if (avoid.length > 0) found.push({ unit: unit.unit, avoidSites: sorted([...avoid, ...banned]) });
  }
  return found.sort((a, b) => compare(a.unit, b.unit));
}

/** Which possible sites are left; null: there is no list, so there are always others. */
export function sitesLeft<Site extends string>(
  possible: readonly Site[] | null,
  ...excluded: readonly (readonly string[])[]
): readonly Site[] | null {
  if (possible === null || possible.length === 0) return null;
  return possible.filter((site) => !excluded.some((sites) => sites.includes(site)));
}

export const hasNoSite = ({ possibleSites, bannedSites }: SiteFacts): boolean =>
  sitesLeft(possibleSites, bannedSites)?.length === 0;
