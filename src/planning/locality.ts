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
  /** Where files are does not matter. */
  readonly trustSiteLists: boolean;
}

/** Where work that needs no particular data may run; empty: anywhere; null: nowhere. */
export function sitesForAnything({ allow, deny, usable }: SiteRules): readonly SiteName[] | null {
  if (usable === null && allow.length === 0) return [];
  const base = usable ?? allow;
  const sites = base.filter((site) => (allow.length === 0 || allow.includes(site)) && !deny.includes(site));
  return sites.length ? ascending(sites) : null;
}

export function groupByLocation(
  files: readonly PlanFile[],
  rules: SiteRules,
): Result<readonly LocationGroup[], PlanRefusal> {
  const bySpelling = new Map<string, { key: string; sites: readonly SiteName[] } | null>();
  const groups = new Map<string, { key: string; sites: readonly SiteName[]; attempted: boolean; files: PlanFile[] }>();
  const nowhere: PlanFile[] = [];
  for (const file of files) {
    const spelling = rules.trustSiteLists ? "" : file.sites.join(",");
    let place = bySpelling.get(spelling);
    if (place === undefined) {
      const sites = placesFor(file, rules);
      place = sites && { key: sites.join(","), sites };
      bySpelling.set(spelling, place);
    }
    if (place === null) {
      nowhere.push(file);
      continue;
    }
    const attempted = file.state === "attempted";
    const key = `${attempted ? 1 : 0} ${place.key}`;
    const group = groups.get(key);
    if (group) group.files.push(file);
    else groups.set(key, { key, sites: place.sites, attempted, files: [file] });
  }
  if (nowhere.length) return err(noSite(nowhere, rules));
  return ok([...groups.values()].sort((a, b) => (a.key < b.key ? -1 : 1)));
}

function placesFor(file: PlanFile, rules: SiteRules): readonly SiteName[] | null {
  if (rules.trustSiteLists || file.sites.length === 0) return sitesForAnything(rules);
  const { allow, deny, usable } = rules;
  const sites = file.sites.filter(
    (site) =>
      isSiteName(site) &&
      (usable === null || usable.includes(site)) &&
      (allow.length === 0 || allow.includes(site)) &&
      !deny.includes(site),
  );
  return sites.length ? ascending(sites) : null;
}

const ascending = (sites: readonly SiteName[]): readonly SiteName[] => [...new Set(sites)].sort();

const EVIDENCE_FILES = 20;

function noSite(files: readonly PlanFile[], rules: SiteRules): PlanRefusal {
  const first = files[0]!;
  const where = first.sites.length ? first.sites.join(", ") : "anywhere";
  return {
    code: "no-site",
    message: `no usable site holds ${files.length === 1 ? first.lfn : `${files.length} files, the first is ${first.lfn}`} (${where})`,
    evidence: {
      count: files.length,
      files: files.slice(0, EVIDENCE_FILES).map(({ lfn, sites }) => ({ lfn, sites })),
      allow: rules.allow,
      deny: rules.deny,
      usable: rules.usable,
    },
  };
}

export function noSiteAtAll(rules: SiteRules): PlanRefusal {
  return {
    code: "no-site",
    message: "no usable site is left for this request",
    evidence: { allow: rules.allow, deny: rules.deny, usable: rules.usable },
  };
}
