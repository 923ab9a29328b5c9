import { z } from "zod";
import { AUDIT_OUTCOMES } from "../../domain/operator.ts";
import { pageOf, time } from "./common.ts";
import { nameText, reasonText } from "./query.ts";
import { siteSchema } from "./system.ts";

export const auditSchema = z
  .strictObject({
    id: z.string(),
    at: time,
    actor: z.string(),
    action: z.string(),
    subject: z.string(),
    reason: z.string(),
    detail: z.record(z.string(), z.unknown()),
    outcome: z.enum(AUDIT_OUTCOMES),
  })
  .meta({ id: "AuditEntry" });
export type AuditView = z.infer<typeof auditSchema>;
export const auditPageSchema = pageOf("AuditPage", auditSchema);
export type AuditPageView = z.infer<typeof auditPageSchema>;

export const alertDetailSchema = z
  .strictObject({
    id: z.string(),
    key: z.string(),
    severity: z.enum(["info", "warning", "critical"]),
    subject: z.string(),
    message: z.string(),
    count: z.int(),
    first_at: time,
    last_at: time,
    acknowledged_by: z.string().nullable(),
    acknowledged_at: time.nullable(),
    closed_at: time.nullable(),
  })
  .meta({ id: "Alert" });
export type AlertView = z.infer<typeof alertDetailSchema>;
export const alertPageSchema = pageOf("AlertPage", alertDetailSchema);
export type AlertPageView = z.infer<typeof alertPageSchema>;
export const acknowledgedSchema = alertDetailSchema.extend({ already: z.boolean() }).meta({ id: "AcknowledgedAlert" });
export type AcknowledgedView = z.infer<typeof acknowledgedSchema>;
export const reasonOnlySchema = z.strictObject({ reason: reasonText.optional() }).meta({ id: "Reason" });

/** What it means for the open requests. */
const effectSchema = z
  .strictObject({
    used_by: z.int().describe("Open requests that may use the site"),
    left_without: z.array(z.string()).describe("Of them, those with no other site; at most 100 names"),
    left_without_total: z.int(),
  })
  .meta({ id: "SiteEffect" });
export type SiteEffectView = z.infer<typeof effectSchema>;

export const changedSiteSchema = siteSchema
  .extend({ dry_run: z.boolean(), effect: effectSchema })
  .meta({ id: "ChangedSite" });
export type ChangedSiteView = z.infer<typeof changedSiteSchema>;

export const banSchema = z
  .strictObject({
    id: z.string(),
    site: z.string(),
    workflow_id: z.string().nullable().describe("null: for every workflow"),
    reason: z.string(),
    evidence: z.record(z.string(), z.unknown()),
    created_by: z.string().nullable(),
    created_at: time,
    expires_at: time,
    removed_at: time.nullable(),
    removed_by: z.string().nullable(),
  })
  .meta({ id: "SiteBan" });
export type BanView = z.infer<typeof banSchema>;
export const bansSchema = z.strictObject({ items: z.array(banSchema) }).meta({ id: "SiteBans" });
export type BansView = z.infer<typeof bansSchema>;

export const banBodySchema = z
  .strictObject({
    request: nameText.optional().describe("only for this request; every one when left out"),
    workflow: nameText.optional().describe("the same, by the id of its workflow"),
    days: z.number().optional().describe("more than 0, at most 365; bans.duration_days when left out"),
    reason: reasonText,
    dry_run: z.boolean().optional(),
  })
  .meta({ id: "BanSite" });
export const bannedSchema = z
  .strictObject({
    site: z.string(),
    outcome: z.enum(["banned", "extended", "already", "would"]),
    already: z.boolean(),
    dry_run: z.boolean(),
    until: time,
    ban: banSchema.nullable(),
    effect: effectSchema,
  })
  .meta({ id: "Banned" });
export type BannedView = z.infer<typeof bannedSchema>;
export const unbannedSchema = z
  .strictObject({ site: z.string(), dry_run: z.boolean(), lifted: z.int(), bans: z.array(banSchema) })
  .meta({ id: "Unbanned" });
export type UnbannedView = z.infer<typeof unbannedSchema>;
