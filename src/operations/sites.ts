import { z } from "zod";
import { dryRunQuery, flag, limitUpTo, nameText, reasonText, siteParams } from "./inputs.ts";
import { actErrors, changeErrors, changes, reads } from "./operation.ts";
import { anything, each, named, strings, time } from "./wire.ts";

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
const bansSchema = named("SiteBans", { items: z.array(banSchema) });

const siteStatus = z.enum(["enabled", "draining", "disabled"]);
export const siteSchema = named("Site", {
  name: z.string(),
  status: siteStatus,
  cores: z.number().nullable(),
  memory_mb: z.number().nullable(),
  drain_until: time.nullable(),
  note: z.string().nullable(),
  status_from: z.enum(["operator", "source"]).nullable().describe("who said the status; null: nobody"),
  rses: strings.nullable().describe("storage that jobs there read; null: no catalog lists the site"),
  is_active: z.boolean().describe("false: the catalog does not list it any more"),
  updated_at: time,
  bans: z.array(banSchema.pick({ id: true, workflow_id: true, reason: true, created_at: true, expires_at: true })),
});
export type SiteView = z.infer<typeof siteSchema>;
const sitesSchema = named("Sites", { items: z.array(siteSchema) });

const note = z.string().trim().max(1000).optional().describe("why, in words; at most 1000 characters");
const siteChangeSchema = named("SiteChange", { status: siteStatus, note });
const siteNoteSchema = named("SiteNote", { note });

/** What it means for the open requests. */
const effectSchema = named("SiteEffect", {
  used_by: z.int().describe("Open requests that may use the site"),
  left_without: strings.describe("Of them, those with no other site; at most 100 names"),
  left_without_total: z.int(),
});

const DOES = "What is (or would be) done";
const changedSiteSchema = siteSchema
  .extend({ dry_run: z.boolean(), effect: effectSchema, message: z.string().describe(DOES) })
  .meta({ id: "ChangedSite" });

const banBodySchema = named("BanSite", {
  request: nameText.optional().describe("only for this request; every one when left out"),
  workflow: nameText.optional().describe("the same, by the id of its workflow"),
  days: z.number().optional().describe("more than 0, at most 365; bans.duration_days when left out"),
  reason: reasonText,
  dry_run: z.boolean().optional(),
});
const bannedSchema = named("Banned", {
  site: z.string(),
  outcome: z.enum(["banned", "extended", "already", "would"]),
  already: z.boolean(),
  dry_run: z.boolean(),
  until: time,
  ban: banSchema.nullable(),
  effect: effectSchema,
  message: z.string().describe(DOES),
});
const unbannedSchema = named("Unbanned", {
  site: z.string(),
  dry_run: z.boolean(),
  lifted: z.int(),
  bans: z.array(banSchema),
  message: z.string().describe(DOES),
});

const unbanQuery = dryRunQuery.extend({
  request: nameText.optional().describe("only the ban of this request"),
  scope: z.enum(["all", "system"]).default("all").describe("all, or system: only the one for all"),
  reason: reasonText.optional(),
});
const syncedSchema = named("SitesSynced", {
  outcome: z.enum(["synced", "refused"]),
  dry_run: z.boolean(),
  reason: z.string().nullable().describe("why the catalog's answer changes nothing; null: it does"),
  changes: z.array(named("SiteSynced", { site: z.string(), what: z.string() })),
  warnings: strings,
});
const params = siteParams;
const answers = { 200: changedSiteSchema, ...changeErrors };
const becomes = (verb: string, status: string) =>
  changes("POST", `/sites/:name/${verb}`, `The site becomes ${status}`, {
    params,
    query: dryRunQuery,
    body: siteNoteSchema.prefault({}),
    answers,
  });

const siteHour = z.strictObject({
  hour: time.describe("Its beginning"),
  ...each(z.int(), "done", "failed"),
  blamed: z.int().describe("Of those that failed, for a reason that may be the site's"),
  running: z.number().describe("How many ran at a time, on average; those that have not ended are not counted"),
});
const siteHoursSchema = named("SiteHours", {
  since: time,
  items: z.array(z.strictObject({ site: z.string(), hours: z.array(siteHour) })),
});

export const sites = {
  hours: reads(
    "/site-hours",
    "Attempts by site and hour: how many ended well, failed, and may have failed for the site",
    {
      query: z.strictObject({ hours: limitUpTo(168, 24).describe("how many hours back, 1…168; 24 when left out") }),
      answer: siteHoursSchema,
    },
  ),
  list: reads("/sites", "All sites and their bans", { answer: sitesSchema }),
  sync: changes("POST", "/sites/sync", "Take over sites, their storage and their status from the catalog", {
    query: dryRunQuery,
    answers: { 200: syncedSchema, ...changeErrors },
  }),
  show: reads("/sites/:name", "One site", { params, answer: siteSchema }),
  change: changes("PATCH", "/sites/:name", "Enable, drain or disable a site", {
    params,
    query: dryRunQuery,
    body: siteChangeSchema,
    answers,
  }),
  enable: becomes("enable", "enabled"),
  drain: becomes("drain", "draining"),
  disable: becomes("disable", "disabled"),
  bans: reads("/sites/:name/bans", "Bans of a site, newest first", {
    params,
    query: z.strictObject({ past: flag.describe("true: expired and lifted ones too") }),
    answer: bansSchema,
  }),
  ban: changes(
    "POST",
    "/sites/:name/ban",
    "Leave a site out for some days, for one request or for all; says whom it leaves without a site",
    { params, query: dryRunQuery, body: banBodySchema, answers: { 200: bannedSchema, ...actErrors } },
  ),
  unban: changes(
    "DELETE",
    "/sites/:name/ban",
    "Lift the bans of a site: all of them, those of one request, or only the one for every request",
    { params, query: unbanQuery, answers: { 200: unbannedSchema, ...actErrors } },
  ),
};
