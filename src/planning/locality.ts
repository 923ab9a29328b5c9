import { groupBy } from "../core/base/group-by.ts";
import { isSiteName, type SiteName } from "../core/names.ts";
import type { PlanRefusal } from "../core/plan.ts";
import { allowsSite, type SitesSpec } from "../core/request.ts";
import type { PlanFacts, PlanFile } from "./facts.ts";

/** Files that may be read at the same sites; a job, and so a unit, never mixes groups. */
export interface LocationGroup {
  /** Ascending; empty: anywhere. */
  readonly sites: readonly SiteName[];
  /** Its files were in a unit that failed: they come last and keep to themselves. */
  readonly attempted: boolean;
  readonly files: readonly PlanFile[];
}

interface SiteRules extends SitesSpec {
  /** null: any. */
  readonly usable: readonly SiteName[] | null;
}

export const siteRules = ({ spec: { sites }, usableSites }: PlanFacts): SiteRules => ({
  ...sites,
  usable: usableSites,
});

/** Where work that needs no particular data may run; empty: anywhere; null: nowhere. */
export function sitesForAnything(rules: SiteRules): readonly SiteName[] | null {
  if (rules.usable === null && rules.allow.length === 0) return [];
  return permitted(rules.usable ?? rules.allow, rules);
}

/** Those of the sites where the request may run, ascending; null: none. */
function permitted(sites: readonly SiteName[], rules: SiteRules): readonly SiteName[] | null {
  const { usable } = rules;
  const left = sites.filter((site) => (usable === null || usable.includes(site)) && allowsSite(rules, site));
  return left.length ? [...new Set(left)].sort() : null;
}

const placesFor = (sites: readonly SiteName[], rules: SiteRules): readonly SiteName[] | null =>
  sites.length === 0 || rules.trust ? sitesForAnything(rules) : permitted(sites.filter(isSiteName), rules);

/** The groups, and the files that no site may read. */
export function groupByLocation(
  files: readonly PlanFile[],
  rules: SiteRules,
): { readonly groups: readonly LocationGroup[]; readonly nowhere: readonly PlanFile[] } {
  const nowhere: PlanFile[] = [];
  const groups: LocationGroup[] = [];
  for (const alike of groupBy(files, ({ state, sites }) => localityOf(state === "attempted", sites)).values()) {
    const sites = placesFor(alike[0]!.sites, rules);
    if (sites) groups.push({ sites, attempted: alike[0]!.state === "attempted", files: alike });
    else for (const file of alike) nowhere.push(file);
  }
  const byPlace = [...groupBy(groups, ({ attempted, sites }) => localityOf(attempted, sites))];
  byPlace.sort(([a], [b]) => (a < b ? -1 : 1));
  const joined = ([first, ...others]: readonly LocationGroup[]): LocationGroup =>
    others.length === 0 ? first! : { ...first!, files: [first!, ...others].flatMap(({ files }) => files) };
  return { groups: byPlace.map(([, same]) => joined(same)), nowhere };
}

/** Sorts attempted files behind all fresh ones. */
const localityOf = (attempted: boolean, sites: readonly SiteName[]): string =>
  `${attempted ? 1 : 0} ${sites.join(",")}`;

const EVIDENCE_FILES = 20;
export const NO_SITE = "no usable site holds it, and input.on_missing is skip";

export function noSite(files: readonly PlanFile[], rules: SiteRules): PlanRefusal {
  const first = files[0]!;
  if (first.sites.length === 0) return noSiteAtAll(rules);
  const which = files.length === 1 ? first.lfn : `${files.length} files, the first is ${first.lfn}`;
  return {
    code: "no-site",
    message: `no usable site holds ${which} (at ${first.sites.join(", ")}); ${whatIsUsable(rules)}, or leave such files out with input.on_missing: skip`,
    evidence: {
      count: files.length,
      files: files.slice(0, EVIDENCE_FILES).map(({ lfn, sites }) => ({ lfn, sites })),
      ...rules,
    },
  };
}

export const noSiteAtAll = (rules: SiteRules): PlanRefusal => ({
  code: "no-site",
  message: `no usable site is left for this request; ${whatIsUsable(rules)}`,
  evidence: { ...rules },
});

/** What there is, what the request says about it, and where either is changed. */
function whatIsUsable({ allow, deny, usable }: SiteRules): string {
  const usual = usable === null ? "any site" : usable.length ? usable.join(", ") : "none";
  const own = [
    ...(allow.length ? [`sites.allow has ${allow.join(", ")}`] : []),
    ...(deny.length ? [`sites.deny has ${deny.join(", ")}`] : []),
  ];
  return `usable now: ${usual}${own.length ? `; the request's ${own.join(" and ")}` : ""}; change the request's sites, or enable a site (wms2 sites; the settings have engine.local.sites)`;
}
