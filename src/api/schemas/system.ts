import { z } from "zod";
import { byWord, time, whole } from "./common.ts";

const queueEntry = z.strictObject({
  request_name: z.string(),
  place: z.int().describe("1 is next"),
  urgent: z.boolean(),
  priority: z.int(),
  queued_since: time,
  verdict: z.enum(["start", "wait"]),
  reason: z.string(),
});
export const queueSchema = z
  .strictObject({
    active_dags: z.int(),
    max_active_dags: z.int(),
    queued_workflows: z.int(),
    next_in_queue: queueEntry.nullable(),
    entries: z.array(queueEntry),
  })
  .meta({ id: "AdmissionQueue" });
export type QueueView = z.infer<typeof queueSchema>;

export const admissionConfigSchema = z
  .strictObject({ max_active_dags: whole.max(100_000).describe("a whole number, 0…100000; 0 starts nothing new") })
  .meta({ id: "AdmissionConfig" });
export type AdmissionConfigView = z.infer<typeof admissionConfigSchema>;

const siteStatus = z.enum(["enabled", "draining", "disabled"]);
export const siteSchema = z
  .strictObject({
    name: z.string(),
    status: siteStatus,
    cores: z.number().nullable(),
    memory_mb: z.number().nullable(),
    drain_until: time.nullable(),
    note: z.string().nullable(),
    updated_at: time,
    bans: z.array(
      z.strictObject({
        id: z.string(),
        workflow_id: z.string().nullable().describe("null: for every workflow"),
        reason: z.string(),
        created_at: time,
        expires_at: time,
      }),
    ),
  })
  .meta({ id: "Site" });
export type SiteView = z.infer<typeof siteSchema>;
export const sitesSchema = z.strictObject({ items: z.array(siteSchema) }).meta({ id: "Sites" });
export type SitesView = z.infer<typeof sitesSchema>;
const note = z.string().trim().max(1000).optional().describe("why, in words; at most 1000 characters");
export const siteChangeSchema = z.strictObject({ status: siteStatus, note }).meta({ id: "SiteChange" });
export const siteNoteSchema = z.strictObject({ note }).meta({ id: "SiteNote" });

export const loopSchema = z
  .strictObject({
    healthy: z.boolean(),
    why: z.string(),
    running: z.boolean(),
    leader: z.string().nullable(),
    is_leader: z.boolean(),
    last_pass_at: time.nullable(),
    last_pass_seconds: z.number().nullable(),
    last_pass_error: z.string().nullable(),
    passes: z.int(),
    open_requests: z.int(),
    requests_with_errors: z.int(),
    interval_sec: z.number(),
  })
  .meta({ id: "LoopStatus" });
export type LoopView = z.infer<typeof loopSchema>;

export const healthSchema = z
  .strictObject({
    status: z.enum(["ok", "unhealthy"]),
    why: z.string().describe("What is wrong, in words"),
    store: z.strictObject({ ok: z.boolean(), words: z.string() }),
    loop: z.strictObject({ ok: z.boolean(), words: z.string() }),
    version: z.string(),
    at: time,
  })
  .meta({ id: "Health" });
export type HealthView = z.infer<typeof healthSchema>;

export const alertSchema = z.strictObject({
  key: z.string(),
  severity: z.enum(["info", "warning", "critical"]),
  subject: z.string(),
  message: z.string(),
  count: z.int(),
  first_at: time,
  last_at: time,
  acknowledged_by: z.string().nullable(),
});
export const statusSchema = z
  .strictObject({
    version: z.string(),
    started_at: time,
    uptime_sec: z.int(),
    at: time,
    store: z.strictObject({ kind: z.string() }),
    engine: z.strictObject({
      name: z.string(),
      ok: z.boolean(),
      words: z.string(),
      warnings: z.array(z.strictObject({ what: z.string(), mend: z.string() })),
    }),
    loop: loopSchema,
    requests: byWord.describe("Number by status"),
    workflows: byWord,
    blocks: byWord,
    dags_open: z.int(),
    queued: z.int(),
    sites: z.array(z.strictObject({ name: z.string(), status: siteStatus })),
    alerts: z.array(alertSchema),
  })
  .meta({ id: "SystemStatus" });
export type StatusView = z.infer<typeof statusSchema>;
