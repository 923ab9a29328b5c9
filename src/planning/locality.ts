import { err, ok, type Result } from "../base/result.ts";
import { isSiteName, type SiteName } from "../domain/names.ts";
import type { PlanRefusal } from "../domain/plan.ts";
import type { PlanFile } from "./facts.ts";

/** Files that may be read at the same sites; a job, and so a unit, never mixes groups. */
export interface LocationGroup {
  /** Ascending; empty: anywhere. */
  readonly sites: readonly SiteName[];
  /** Its files were in a unit that failed: they come last and keep to themselves. */
  readonly attempted: boolean;
  readonly files: readonly PlanFile[];
}

export interface SiteRules {
  readonly allow: readonly SiteName[];
  readonly deny: readonly SiteName[];
  /** null: any. */
  readonly usable: readonly SiteName[] | null;
}

/** Where work that needs no particular data may run; empty: anywhere; null: nowhere. */
export function sitesForAnything(rules: SiteRules): readonly SiteName[] | null {
  if (rules.usable === null && rules.allow.length === 0) return [];
  return permitted(rules.usable ?? rules.allow, rules);
}

/** Those of the sites where the request may run, ascending; null: none. */
function permitted(sites: readonly SiteName[], { allow, deny, usable }: SiteRules): readonly SiteName[] | null {
  const left = sites.filter(
    (site) =>
      (usable === null || usable.includes(site)) &&
      (allow.length === 0 || allow.includes(site)) &&
      !deny.includes(site),
  );
  return left.length ? [...new Set(left)].sort() : null;
}

const placesFor = (sites: readonly SiteName[], rules: SiteRules): readonly SiteName[] | null =>
  sites.length === 0 ? sitesForAnything(rules) : permitted(sites.filter(isSiteName), rules);

export function groupByLocation(
  files: readonly PlanFile[],
  rules: SiteRules,
): Result<readonly LocationGroup[], PlanRefusal> {
  const bySpelling = new Map<string, readonly SiteName[] | null>();
  const groups = new Map<
    string,
    { place: string; sites: readonly SiteName[]; attempted: boolean; files: PlanFile[] }
  >();
  const nowhere: PlanFile[] = [];
  for (const file of files) {
    const spelling = file.sites.join(",");
    let sites = bySpelling.get(spelling);
    if (sites === undefined) {
      sites = placesFor(file.sites, rules);
      bySpelling.set(spelling, sites);
    }
    if (sites === null) {
      nowhere.push(file);
      continue;
    }
    const attempted = file.state === "attempted";
    const place = `${attempted ? 1 : 0} ${sites.join(",")}`;
    const group = groups.get(place);
    if (group) group.files.push(file);
    else groups.set(place, { place, sites, attempted, files: [file] });
  }
  if (nowhere.length) return err(noSite(nowhere, rules));
  return ok([...groups.values()].sort((a, b) => (a.place < b.place ? -1 : 1)));
}

const EVIDENCE_FILES = 20;

function noSite(files: readonly PlanFile[], rules: SiteRules): PlanRefusal {
  const first = files[0]!;
  const where = first.sites.length ? first.sites.join(", ") : "anywhere";
  const which = files.length === 1 ? first.lfn : `${files.length} files, the first is ${first.lfn}`;
  const evidence = files.slice(0, EVIDENCE_FILES).map(({ lfn, sites }) => ({ lfn, sites }));
  return {
    code: "no-site",
    message: `no usable site holds ${which} (${where})`,
    evidence: { count: files.length, files: evidence, ...rules },
  };
}

export const noSiteAtAll = (rules: SiteRules): PlanRefusal => ({
  code: "no-site",
  message: "no usable site is left for this request",
  evidence: { ...rules },
});
