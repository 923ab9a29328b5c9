import { type Dag, isOpenSite } from "../core/dag.ts";
import type { Workflow } from "../core/workflow.ts";
import { concerns } from "../recovery/bans/ban.ts";
import { unitFolder } from "../submit-dir/names.ts";
import type { Ports } from "./ports.ts";

/** What sites that are closed now mean for the next run of a round. */
export interface KeptAway {
  /** How many units land again, and how many may go to fewer sites than before. */
  readonly moved: number;
  readonly narrowed: number;
  /** Units that could run nowhere. */
  readonly nowhere: readonly string[];
  /** "north (banned)" */
  readonly closed: readonly string[];
}

/**
 * Bans and drains may have been set since the directory was written: what has yet to run keeps away from those sites,
 * and what was elected to one of them lands again. Done before each rescue, also of a run that was only stopped.
 */
export async function avoidClosedSites(
  ports: Ports,
  { id }: Workflow,
  { submitDir }: Dag,
  units: readonly string[],
): Promise<KeptAway> {
  const { store, spool, engine, clock } = ports;
  if (!engine.capabilities.sites) return { moved: 0, narrowed: 0, nowhere: [], closed: [] };
  const bans = (await store.sites.activeBans(clock.now())).filter((ban) => concerns(ban, id));
  const why = new Map(bans.map(({ site }) => [site, "banned"]));
  for (const site of await store.sites.list())
    if (!isOpenSite(site) && !why.has(site.name)) why.set(site.name, site.isActive ? site.status : "inactive");
  const sites = [...why.keys()].sort();
  const closed = sites.map((site) => `${site} (${why.get(site)})`);
  const counts = { stays: 0, narrowed: 0, moved: 0 };
  const nowhere: string[] = [];
  for (const unit of sites.length === 0 ? [] : new Set(units.map(unitFolder))) {
    const kept = await spool.keepAway(submitDir, unit, sites);
    if (kept === "nowhere") nowhere.push(unit);
    else counts[kept] += 1;
  }
  return { ...counts, nowhere, closed };
}
