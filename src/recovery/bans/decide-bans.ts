import type { SiteBan } from "../../domain/dag.ts";
import { isSiteName, type SiteName, type WorkflowId } from "../../domain/names.ts";
import type { SiteCount } from "../round/counts.ts";
import { sitesLeft } from "../round/failed-units.ts";
import { listed, percent, plural } from "../words.ts";
import { type BanAudit, type BanConfig, banAudit, bannedSites, concerns, isActive, type NewBan } from "./ban.ts";

/**
 * After a run has ended: which sites this workflow leaves out from now on, which of them so many workflows leave out
 * that everybody should, and which bans have run out. Runs that are under way are not touched. Deciding twice gives
 * nothing new the second time.
 */
export interface BanFacts {
  readonly workflowId: WorkflowId;
  readonly sites: readonly SiteCount[];
  /** All there are of these sites, also expired and removed ones. */
  readonly bans: readonly SiteBan[];
  /** Where the request may run at all; null or empty: anywhere. */
  readonly possibleSites: readonly SiteName[] | null;
}

export interface BanDecision {
  readonly create: readonly NewBan[];
  /** For every workflow. */
  readonly promote: readonly NewBan[];
  /** To be noted as expired; they have no effect any more. */
  readonly expired: readonly SiteBan[];
  /** Where the workflow may not go, all this applied. */
  readonly banned: readonly SiteName[];
  /** Set when nothing is left of the request's sites: it must be held with this reason. */
  readonly noSiteLeft: string | null;
  readonly audit: readonly BanAudit[];
}

const DAY_MS = 86_400_000;

export function decideBans(facts: BanFacts, config: BanConfig, now: Date): BanDecision {
  const { workflowId, bans } = facts;
  const expiresAt = new Date(now.getTime() + config.durationDays * DAY_MS);
  const create: NewBan[] = [];
  const audit: BanAudit[] = [];
  for (const count of facts.sites) {
    if (!isSiteName(count.site) || !isProblem(count, config)) continue;
    const site = count.site;
    const known = bans.filter((ban) => ban.site === site && concerns(ban, workflowId));
    if (known.some((ban) => isActive(ban, now))) continue;
    const reason = `${count.blamed} of ${plural(count.nodes, "node")} that ran there failed through the site (${percent(count.blamed / count.nodes)})`;
    if (!hasNews(count, known)) {
      audit.push(note("not-banned", site, workflowId, now, `${reason}, but nothing new since its last ban ended`));
      continue;
    }
    create.push({ site, workflowId, reason, evidence: { ...count }, createdAt: now, expiresAt });
    audit.push(note("banned", site, workflowId, now, reason));
  }
  const promote = promotions(bans, create, config, now, expiresAt);
  for (const ban of promote) audit.push(note("promoted", ban.site, null, now, ban.reason));
  const expired = bans.filter((ban) => ban.removedAt === null && ban.expiresAt.getTime() <= now.getTime());
  for (const ban of expired)
    audit.push({
      ...note("expired", ban.site, ban.workflowId, now, `its time is over: ${ban.reason}`),
      key: `expired ${ban.id}`,
    });
  const banned = [
    ...new Set([...bannedSites(bans, workflowId, now), ...[...create, ...promote].map(({ site }) => site)]),
  ].sort();
  return { create, promote, expired, banned, noSiteLeft: nothingLeft(facts.possibleSites, banned), audit };
}

const isProblem = ({ blamed, nodes }: SiteCount, { minFailures, failureRatio }: BanConfig): boolean =>
  blamed >= Math.max(1, minFailures) && blamed > nodes * failureRatio;

/** A person who removed a ban, or time that ended it, is not overruled by the failures that made it. */
function hasNews({ lastBlamedAt }: SiteCount, earlier: readonly SiteBan[]): boolean {
  if (earlier.length === 0) return true;
  const since = Math.max(...earlier.map((ban) => (ban.removedAt ?? ban.createdAt).getTime()));
  const last = Date.parse(lastBlamedAt ?? "");
  return Number.isFinite(last) && last > since;
}

/** Sites that this decision adds a ban to; bans of others were counted when they were made, or are now. */
function promotions(
  bans: readonly SiteBan[],
  create: readonly NewBan[],
  { promotionThreshold }: BanConfig,
  now: Date,
  expiresAt: Date,
): readonly NewBan[] {
  const active = bans.filter((ban) => isActive(ban, now));
  const everywhere = new Set(active.filter((ban) => ban.workflowId === null).map(({ site }) => site));
  const workflows = new Map<SiteName, Set<WorkflowId>>();
  for (const { site, workflowId } of [...active, ...create]) {
    if (workflowId === null || everywhere.has(site)) continue;
    workflows.set(site, (workflows.get(site) ?? new Set()).add(workflowId));
  }
  return [...workflows]
    .filter(([site, who]) => who.size >= Math.max(1, promotionThreshold) && !keptOpen(bans, site, who))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([site, who]) => ({
      site,
      workflowId: null,
      reason: `${plural(who.size, "workflow")} ban it independently`,
      evidence: { workflows: [...who].sort().slice(0, 20) },
      createdAt: now,
      expiresAt,
    }));
}

/** A person removed a ban for all, and no workflow has banned the site since: that stands. */
function keptOpen(bans: readonly SiteBan[], site: SiteName, who: ReadonlySet<WorkflowId>): boolean {
  const removed = bans.filter((ban) => ban.site === site && ban.workflowId === null && ban.removedAt !== null);
  if (removed.length === 0) return false;
  const since = Math.max(...removed.map((ban) => ban.removedAt!.getTime()));
  const own = bans.filter((ban) => ban.site === site && ban.workflowId !== null && ban.removedAt === null);
  const listedOnly = [...who].every((workflow) => own.some((ban) => ban.workflowId === workflow));
  return listedOnly && own.every((ban) => ban.createdAt.getTime() <= since);
}

const nothingLeft = (possible: readonly SiteName[] | null, banned: readonly SiteName[]): string | null =>
  sitesLeft(possible, banned)?.length === 0
    ? `every site the request may use is banned: ${listed(possible ?? [], 5)}`
    : null;

const note = (
  event: BanAudit["event"],
  site: SiteName,
  workflowId: WorkflowId | null,
  at: Date,
  reason: string,
): BanAudit => banAudit(event, { site, workflowId }, "wms2", at, reason);
