import { z } from "zod";
import type { Queue } from "../domain/admission.ts";
import { alertSchema } from "./operators.ts";
import { siteSchema } from "./sites.ts";
import { byWord, named, time, viewOf, whole } from "./wire.ts";

const queueEntry = z.strictObject({
  request_name: z.string(),
  place: z.int().describe("1 is next"),
  urgent: z.boolean(),
  priority: z.int(),
  queued_since: time,
  verdict: z.enum(["start", "wait"]),
  reason: z.string(),
});
const entryView = viewOf(queueEntry);
export const queueSchema = named("AdmissionQueue", {
  active_dags: z.int(),
  max_active_dags: z.int(),
  queued_workflows: z.int(),
  next_in_queue: queueEntry.nullable(),
  entries: z.array(queueEntry),
});
export type QueueView = z.infer<typeof queueSchema>;
export function queueView(queue: Queue): QueueView {
  const entries = queue.entries.map(entryView);
  return {
    active_dags: queue.active,
    max_active_dags: queue.limits.maxActive,
    queued_workflows: entries.length,
    next_in_queue: entries[0] ?? null,
    entries,
  };
}

export const admissionConfigSchema = named("AdmissionConfig", {
  max_active_dags: whole.max(100_000).describe("a whole number, 0…100000; 0 starts nothing new"),
});
export type AdmissionConfigView = z.infer<typeof admissionConfigSchema>;

export const loopSchema = named("LoopStatus", {
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
});
export const loopView = viewOf(loopSchema);

const partHealth = z.strictObject({ ok: z.boolean(), words: z.string() });
export type PartHealth = z.infer<typeof partHealth>;
export const healthSchema = named("Health", {
  status: z.enum(["ok", "unhealthy"]),
  why: z.string().describe("What is wrong, in words"),
  store: partHealth,
  loop: partHealth,
  version: z.string(),
  at: time,
});
export type HealthView = z.infer<typeof healthSchema>;
export function healthView(store: PartHealth, loop: PartHealth, version: string, at: Date): HealthView {
  const wrong = [store.ok ? "" : `store: ${store.words}`, loop.ok ? "" : `loop: ${loop.words}`].filter(Boolean);
  const status = wrong.length === 0 ? "ok" : "unhealthy";
  return { status, why: wrong.join("; "), store, loop, version, at: at.toISOString() };
}

const warning = z.strictObject({ what: z.string(), mend: z.string() });
export const statusSchema = named("SystemStatus", {
  version: z.string(),
  instance: z.string().describe("Of this start of this server; the header wms2-instance of every answer"),
  host: z.string(),
  started_at: time,
  uptime_sec: z.int(),
  at: time,
  store: z.strictObject({ kind: z.string() }),
  engine: z.strictObject({ name: z.string(), ok: z.boolean(), words: z.string(), warnings: z.array(warning) }),
  places: z.strictObject({ data_dir: z.string(), spool_dir: z.string(), storage_dir: z.string() }),
  warnings: z.array(warning).describe("What is unsafe about the way it runs"),
  loop: loopSchema,
  requests: byWord.describe("Number by status"),
  workflows: byWord,
  blocks: byWord,
  dags_open: z.int(),
  queued: z.int(),
  sites: z.array(siteSchema.pick({ name: true, status: true })),
  alerts: z.array(alertSchema.omit({ id: true, acknowledged_at: true, closed_at: true })),
});
export type StatusView = z.infer<typeof statusSchema>;
export const statusView = viewOf(statusSchema);
