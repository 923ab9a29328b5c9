import type { SiteBan } from "../../domain/dag.ts";
import type { SiteName, WorkflowId } from "../../domain/names.ts";

/** Every number that decides about bans; defaults are the specification's (000 §8.1). */
export interface BanConfig {
  /** Fewer nodes than this that failed at a site, and through it, prove nothing. */
  readonly minFailures: number;
  /** A site is banned when more than this share of what ran there failed through it. */
  readonly failureRatio: number;
  readonly durationDays: number;
  /** So many workflows with a ban on a site make it a ban for all. */
  readonly promotionThreshold: number;
}

export const DEFAULT_BAN_CONFIG: BanConfig = {
  minFailures: 3,
  failureRatio: 0.5,
  durationDays: 7,
  promotionThreshold: 3,
};

/** A ban to be stored; the store gives it its id. */
export type NewBan = Omit<SiteBan, "id" | "removedAt" | "removedBy">;

/** One event in the life of a ban. `key` is unique to it, so that noting it twice equals once. */
export interface BanAudit {
  readonly key: string;
  readonly event: "banned" | "promoted" | "expired" | "removed" | "not-banned";
  readonly site: SiteName;
  /** null: for every workflow. */
  readonly workflowId: WorkflowId | null;
  readonly actor: string;
  readonly at: Date;
  readonly reason: string;
}

export const banAudit = (
  event: BanAudit["event"],
  { site, workflowId }: { readonly site: SiteName; readonly workflowId: WorkflowId | null },
  actor: string,
  at: Date,
  reason: string,
): BanAudit => ({
  key: `${event} ${site} ${workflowId ?? "*"} ${at.toISOString()}`,
  event,
  site,
  workflowId,
  actor,
  at,
  reason,
});

export const isActive = (ban: SiteBan, now: Date): boolean =>
  ban.removedAt === null && ban.expiresAt.getTime() > now.getTime();

export const concerns = (ban: SiteBan, workflowId: WorkflowId): boolean =>
  ban.workflowId === null || ban.workflowId === workflowId;

/** Where a workflow may not go just now, in order. */
export const bannedSites = (bans: readonly SiteBan[], workflowId: WorkflowId, now: Date): readonly SiteName[] =>
  [...new Set(bans.filter((ban) => isActive(ban, now) && concerns(ban, workflowId)).map(({ site }) => site))].sort();
