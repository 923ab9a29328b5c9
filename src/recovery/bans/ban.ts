import type { SiteBan } from "../../core/dag.ts";
import { isSiteName, SITE_PATTERN, type SiteName, type WorkflowId } from "../../core/names.ts";
import type { Problem } from "../../core/problem.ts";

/** Every number that decides about bans. */
export interface BanConfig {
  /** Fewer nodes than this that failed at a site, and through it, prove nothing. */
  readonly minFailures: number;
  /** A site is banned when more than this share of what ran there failed through it. */
  readonly failureRatio: number;
  readonly durationDays: number;
  /** So many workflows with a ban on a site make it a ban for all. */
  readonly promotionThreshold: number;
}

export const isActive = (ban: SiteBan, now: Date): boolean =>
  ban.removedAt === null && ban.expiresAt.getTime() > now.getTime();

/** null: a workflow that is not there yet, which only bans for all concern. */
export const concerns = (ban: SiteBan, workflowId: WorkflowId | null): boolean =>
  ban.workflowId === null || ban.workflowId === workflowId;

const DAY_MS = 86_400_000;
export const daysAfter = (now: Date, days: number): Date => new Date(now.getTime() + days * DAY_MS);

const LONGEST_DAYS = 365;

/** What is wrong with a ban that a person wants. Nothing is refused for being unwise. `knownSites` null: not known. */
export function checkBanByHand(
  { site, reason, days }: { readonly site: string; readonly reason: string; readonly days: number },
  knownSites: readonly SiteName[] | null,
): readonly Problem[] {
  const problems: Problem[] = [];
  if (!isSiteName(site)) problems.push({ path: "site", message: "is no site name", allowed: SITE_PATTERN.source });
  else if (knownSites !== null && !knownSites.includes(site))
    problems.push({ path: "site", message: `${site} is not known`, allowed: knownSites.join(", ") });
  if (reason.trim() === "")
    problems.push({ path: "reason", message: "says nothing", allowed: "why the site is left out" });
  if (!(days > 0 && days <= LONGEST_DAYS))
    problems.push({ path: "days", message: "is out of range", allowed: `more than 0, at most ${LONGEST_DAYS}` });
  return problems;
}
