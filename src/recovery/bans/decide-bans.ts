import { percent, plural } from "../../core/base/text.ts";
import type { SiteBan } from "../../core/dag.ts";
import { isSiteName, type SiteName, type WorkflowId } from "../../core/names.ts";
import { compare, type SiteCount, sorted } from "../round/counts.ts";
import { comparePlaces } from "../stands-out.ts";
import { type BanConfig, concerns, daysAfter, isActive } from "./ban.ts";

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
}

/** A ban to be stored; the store gives it its id. */
type NewBan = Omit<SiteBan, "id" | "removedAt" | "removedBy">;

/** One event in the life of a ban. `key` is unique to it, so that noting it twice equals once. */
interface BanAudit {
  readonly key: string;
  readonly event: "banned" | "promoted" | "expired" | "not-banned";
  readonly site: SiteName;
  /** null: for every workflow. */
  readonly workflowId: WorkflowId | null;
  readonly reason: string;
}

export type BanDecision = Readonly<ReturnType<typeof decideBans>>;

export function decideBans(facts: BanFacts, config: BanConfig, now: Date) {
  const { workflowId, bans } = facts;
  const expiresAt = daysAfter(now, config.durationDays);
  const create: NewBan[] = [];
  /** Also which bans have ended: that is only to be noted, they have no effect any more. */
  const audit: BanAudit[] = [];
  const note = (event: BanAudit["event"], ban: Pick<BanAudit, "site" | "workflowId" | "reason">, key?: string) => {
    const { site, workflowId, reason } = ban;
    const usual = `${event} ${site} ${workflowId ?? "*"} ${now.toISOString()}`;
    audit.push({ key: key ?? usual, event, site, workflowId, reason });
  };
  const places = facts.sites.map((place) => ({ place, failed: place.blamed, ran: place.nodes }));
  for (const { place: count, is } of comparePlaces(places)) {
    // What fails alike elsewhere is not the fault of a site; where nothing else ran, its own failures have to do.
    if (!isSiteName(count.site) || !isProblem(count, config) || is === "alike") continue;
    const site = count.site;
    const known = bans.filter((ban) => ban.site === site && concerns(ban, workflowId));
    if (known.some((ban) => isActive(ban, now))) continue;
    const reason = `${count.blamed} of ${plural(count.nodes, "node")} that ran there failed through the site (${percent(count.blamed / count.nodes)})`;
    if (!hasNews(count, known)) {
      note("not-banned", { site, workflowId, reason: `${reason}, but nothing new since its last ban ended` });
      continue;
    }
    create.push({ site, workflowId, reason, evidence: { ...count }, createdAt: now, expiresAt });
    note("banned", { site, workflowId, reason });
  }
  /** For every workflow. */
  const promote = promotions(bans, create, config, now, expiresAt);
  for (const ban of promote) note("promoted", ban);
  for (const ban of bans)
    if (ban.removedAt === null && !isActive(ban, now))
      note("expired", { ...ban, reason: `its time is over: ${ban.reason}` }, `expired ${ban.id}`);
  const active = bans.filter((ban) => isActive(ban, now) && concerns(ban, workflowId));
  /** Where the workflow may not go, all this applied. */
  const banned = sorted([...active, ...create, ...promote].map(({ site }) => site));
  return { create, promote, banned, audit };
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

/** The failures of its workflow made it, not a person: what one decided for many is no word of many. */
const isOwnEvidence = ({ evidence }: Pick<SiteBan, "evidence">): boolean => typeof evidence.blamed === "number";

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
  for (const { site, workflowId, evidence } of [...active, ...create]) {
    if (workflowId === null || everywhere.has(site) || !isOwnEvidence({ evidence })) continue;
    workflows.set(site, (workflows.get(site) ?? new Set()).add(workflowId));
  }
  return [...workflows]
    .filter(([site, who]) => who.size >= Math.max(1, promotionThreshold) && !keptOpen(bans, site, who))
    .sort(([a], [b]) => compare(a, b))
    .map(([site, who]) => ({
      site,
      workflowId: null,
      reason: `${plural(who.size, "workflow")} failed there through the site, each by itself`,
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
