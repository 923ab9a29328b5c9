import type { Site, SiteSync } from "../../core/dag.ts";
import type { SiteName } from "../../core/names.ts";
import type { Statuses } from "./read-statuses.ts";

interface ListedSite {
  readonly name: SiteName;
  /** The storage its jobs read. */
  readonly rses: readonly string[];
}

type SyncDecision =
  | { readonly kind: "changes"; readonly changes: readonly SiteSync[] }
  /** The answer is not believed: nothing changes. */
  | { readonly kind: "refused"; readonly reason: string };

/** Of the sites that were listed, so many must be listed again. */
const LEAST_SHARE = 0.7;

/**
 * What the catalog's list of sites and the status source change. What an operator said stays. Sites that vanish become
 * inactive. Of `statuses`, null: there is no source. The same input twice changes nothing the second time.
 */
export function decideSiteSync(
  known: readonly Site[],
  listed: readonly ListedSite[],
  statuses: Statuses | null,
): SyncDecision {
  const reason = distrust(known, listed);
  if (reason) return { kind: "refused", reason };
  const before = new Map(known.map((site) => [site.name, site]));
  const now = new Map(listed.map((site) => [site.name, site]));
  const names = [...new Set([...before.keys(), ...now.keys()])].sort();
  return {
    kind: "changes",
    changes: names.flatMap((name) => {
      const old = before.get(name) ?? null;
      const next = syncedSite(name, old, now.get(name) ?? null, statuses);
      const what = differences(old, next);
      return what.length > 0 ? [{ ...next, what: what.join(", ") }] : [];
    }),
  };
}

function distrust(known: readonly Site[], listed: readonly ListedSite[]): string | null {
  if (listed.length === 0) return "the catalog lists no site at all";
  const names = new Set(listed.map(({ name }) => name));
  const before = known.filter(({ rses, isActive }) => rses !== null && isActive);
  const again = before.filter(({ name }) => names.has(name));
  if (again.length < before.length * LEAST_SHARE)
    return `of the ${before.length} sites that the catalog listed before, it lists only ${again.length} now`;
  const stored = before.filter(({ rses }) => rses!.length > 0).length;
  const left = listed.filter(({ rses }) => rses.length > 0).length;
  return left < stored * LEAST_SHARE ? `${stored} sites had storage before, only ${left} have it now` : null;
}

function syncedSite(
  name: SiteName,
  old: Site | null,
  listed: ListedSite | null,
  statuses: Statuses | null,
): Omit<SiteSync, "what"> {
  const isNew = old === null;
  const said = statuses?.get(name) ?? (isNew && statuses ? "draining" : null);
  const isOurs = said === null || old?.statusFrom === "operator";
  return {
    name,
    rses: listed ? [...new Set(listed.rses)].sort() : (old?.rses ?? null),
    isActive: listed !== null || old?.rses === null || old === null,
    status: isOurs ? (old?.status ?? "enabled") : said,
    statusFrom: isOurs ? (old?.statusFrom ?? null) : "source",
  };
}

function differences(old: Site | null, next: Omit<SiteSync, "what">): readonly string[] {
  const storage = next.rses?.length ? `reads ${next.rses.join(", ")}` : "has no storage";
  if (old === null) return [`new, ${next.status}, ${storage}`];
  return [
    ...(old.isActive === next.isActive ? [] : [next.isActive ? "is listed again" : "is not listed any more: inactive"]),
    ...(old.status === next.status ? [] : [`${old.status} → ${next.status}`]),
    ...(old.status === next.status && old.statusFrom !== next.statusFrom
      ? [`the status source says ${next.status}`]
      : []),
    ...(String(old.rses) === String(next.rses) && (old.rses === null) === (next.rses === null) ? [] : [storage]),
  ];
}
