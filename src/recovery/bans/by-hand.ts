import type { SiteBan } from "../../domain/dag.ts";
import { isSiteName, SITE_PATTERN, type SiteName, type WorkflowId } from "../../domain/names.ts";
import type { Problem } from "../../domain/problem.ts";
import { type BanAudit, banAudit, isActive, type NewBan } from "./ban.ts";

/** Bans people set and lift. Nothing is refused for being unwise; what it leaves is said. */
export interface HandBan {
  readonly site: string;
  /** null: for every workflow. */
  readonly workflowId: WorkflowId | null;
  readonly reason: string;
  readonly actor: string;
  readonly days: number;
}

const LONGEST_DAYS = 365;
const DAY_MS = 86_400_000;

export type HandBanAnswer =
  | { readonly kind: "problems"; readonly problems: readonly Problem[] }
  | { readonly kind: "already"; readonly ban: SiteBan }
  | { readonly kind: "ban"; readonly ban: NewBan; readonly audit: BanAudit };

export function decideBanByHand(
  wanted: HandBan,
  bans: readonly SiteBan[],
  knownSites: readonly SiteName[] | null,
  now: Date,
): HandBanAnswer {
  const { site, workflowId, reason, actor, days } = wanted;
  const problems: Problem[] = [];
  if (!isSiteName(site)) problems.push({ path: "site", message: "is no site name", allowed: SITE_PATTERN.source });
  else if (knownSites !== null && !knownSites.includes(site))
    problems.push({ path: "site", message: `${site} is not known`, allowed: knownSites.join(", ") });
  if (reason.trim() === "")
    problems.push({ path: "reason", message: "says nothing", allowed: "why the site is left out" });
  if (!(days > 0 && days <= LONGEST_DAYS))
    problems.push({ path: "days", message: "is out of range", allowed: `more than 0, at most ${LONGEST_DAYS}` });
  if (problems.length > 0 || !isSiteName(site)) return { kind: "problems", problems };
  const there = bans.find((ban) => ban.site === site && ban.workflowId === workflowId && isActive(ban, now));
  if (there) return { kind: "already", ban: there };
  const expiresAt = new Date(now.getTime() + days * DAY_MS);
  return {
    kind: "ban",
    ban: { site, workflowId, reason, evidence: { by: actor }, createdAt: now, expiresAt },
    audit: banAudit("banned", { site, workflowId }, actor, now, reason),
  };
}

export interface Unban {
  readonly remove: readonly SiteBan[];
  readonly audit: readonly BanAudit[];
}

/** Lifts the bans of one site: a workflow's own, the one for every workflow (null), or all. None there is no error. */
export function decideUnban(
  site: SiteName,
  scope: WorkflowId | "all" | null,
  bans: readonly SiteBan[],
  actor: string,
  reason: string,
  now: Date,
): Unban {
  const remove = bans.filter(
    (ban) => ban.site === site && isActive(ban, now) && (scope === "all" || ban.workflowId === scope),
  );
  return {
    remove,
    audit: remove.map((ban) => ({ ...banAudit("removed", ban, actor, now, reason), key: `removed ${ban.id}` })),
  };
}
