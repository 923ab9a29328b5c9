import { z } from "zod";
import type { Site, SiteBan } from "../domain/dag.ts";
import { nameText, reasonText } from "./inputs.ts";
import { anything, named, strings, time, viewOf } from "./wire.ts";

const banSchema = named("SiteBan", {
  id: z.string(),
  site: z.string(),
  workflow_id: z.string().nullable().describe("null: for every workflow"),
  reason: z.string(),
  evidence: anything,
  created_by: z.string().nullable(),
  created_at: time,
  expires_at: time,
  removed_at: time.nullable(),
  removed_by: z.string().nullable(),
});
export type BanView = z.infer<typeof banSchema>;
export const banView = viewOf(banSchema);
export const bansSchema = named("SiteBans", { items: z.array(banSchema) });
export type BansView = z.infer<typeof bansSchema>;

const siteStatus = z.enum(["enabled", "draining", "disabled"]);
export const siteSchema = named("Site", {
  name: z.string(),
  status: siteStatus,
  cores: z.number().nullable(),
  memory_mb: z.number().nullable(),
  drain_until: time.nullable(),
  note: z.string().nullable(),
  updated_at: time,
  bans: z.array(banSchema.pick({ id: true, workflow_id: true, reason: true, created_at: true, expires_at: true })),
});
export type SiteView = z.infer<typeof siteSchema>;
const siteWithBans = viewOf(siteSchema);
/** `bans` may be those of all sites. */
export const siteView = (site: Site, bans: readonly SiteBan[]): SiteView =>
  siteWithBans({ ...site, bans: bans.filter((ban) => ban.site === site.name) });
export const sitesSchema = named("Sites", { items: z.array(siteSchema) });
export type SitesView = z.infer<typeof sitesSchema>;

const note = z.string().trim().max(1000).optional().describe("why, in words; at most 1000 characters");
export const siteChangeSchema = named("SiteChange", { status: siteStatus, note });
export const siteNoteSchema = named("SiteNote", { note });

/** What it means for the open requests. */
const effectSchema = named("SiteEffect", {
  used_by: z.int().describe("Open requests that may use the site"),
  left_without: strings.describe("Of them, those with no other site; at most 100 names"),
  left_without_total: z.int(),
});
export type SiteEffectView = z.infer<typeof effectSchema>;
export const effectView = viewOf(effectSchema);

export const changedSiteSchema = siteSchema
  .extend({ dry_run: z.boolean(), effect: effectSchema })
  .meta({ id: "ChangedSite" });
export type ChangedSiteView = z.infer<typeof changedSiteSchema>;

export const banBodySchema = named("BanSite", {
  request: nameText.optional().describe("only for this request; every one when left out"),
  workflow: nameText.optional().describe("the same, by the id of its workflow"),
  days: z.number().optional().describe("more than 0, at most 365; bans.duration_days when left out"),
  reason: reasonText,
  dry_run: z.boolean().optional(),
});
export const bannedSchema = named("Banned", {
  site: z.string(),
  outcome: z.enum(["banned", "extended", "already", "would"]),
  already: z.boolean(),
  dry_run: z.boolean(),
  until: time,
  ban: banSchema.nullable(),
  effect: effectSchema,
});
export type BannedView = z.infer<typeof bannedSchema>;
export const unbannedSchema = named("Unbanned", {
  site: z.string(),
  dry_run: z.boolean(),
  lifted: z.int(),
  bans: z.array(banSchema),
});
export type UnbannedView = z.infer<typeof unbannedSchema>;
