import { z } from "zod";
import { nameText, repeatable } from "./inputs.ts";
import { type Content, changeErrors, changes, reads } from "./operation.ts";
import { alertSchema } from "./operators.ts";
import { siteSchema } from "./sites.ts";
import { byWord, each, named, time, whole } from "./wire.ts";

const queueEntry = z.strictObject({
  request_name: z.string(),
  place: z.int().describe("1 is next"),
  urgent: z.boolean(),
  priority: z.int(),
  queued_since: time,
  verdict: z.enum(["start", "wait"]),
  reason: z.string(),
});
const queueSchema = named("AdmissionQueue", {
  ...each(z.int(), "active_dags", "max_active_dags", "queued_workflows"),
  next_in_queue: queueEntry.nullable(),
  entries: z.array(queueEntry),
});
export type QueueView = z.infer<typeof queueSchema>;
const admissionConfigSchema = named("AdmissionConfig", {
  max_active_dags: whole.max(100_000).describe("a whole number, 0…100000; 0 starts nothing new"),
});

const loopSchema = named("LoopStatus", {
  healthy: z.boolean(),
  why: z.string(),
  running: z.boolean(),
  leader: z.string().nullable(),
  is_leader: z.boolean(),
  last_pass_at: time.nullable(),
  last_pass_seconds: z.number().nullable(),
  last_pass_error: z.string().nullable(),
  ...each(z.int(), "passes", "open_requests", "requests_with_errors"),
  interval_sec: z.number(),
});

const partHealth = z.strictObject({ ok: z.boolean(), words: z.string() });
const healthSchema = named("Health", {
  status: z.enum(["ok", "unhealthy"]),
  why: z.string().describe("What is wrong, in words"),
  store: partHealth,
  loop: partHealth,
  catalog: partHealth.describe("Whether the services of the catalog answer; it is no reason for 503"),
  version: z.string(),
  at: time,
});
const warning = z.strictObject({ what: z.string(), fix: z.string() });
const statusSchema = named("SystemStatus", {
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

export const admission = {
  queue: reads("/admission/queue", "Who waits, at which place and why", { answer: queueSchema }),
  config: reads("/admission/config", "The limits in force", { answer: admissionConfigSchema }),
  configure: changes("PATCH", "/admission/config", "Change the limits; they are kept over restarts", {
    body: admissionConfigSchema,
    answers: { 200: admissionConfigSchema, ...changeErrors },
  }),
};

const text = (description: string, type: string): Content => ({
  description,
  content: { [type]: { schema: z.string() } },
});
const prometheus = text("Prometheus text", "text/plain");
const HEALTH = "200 when the store answers and the loop has passed recently, else 503 with what is wrong";

/** What the loop tells whoever listens. */
export const LIVE_EVENT_TYPES = ["request.moved", "dag.progress", "loop.pass"] as const;
const eventsQuery = z.strictObject({
  type: repeatable(LIVE_EVENT_TYPES),
  request: nameText.optional().describe("only events of this request: its name"),
});

export const system = {
  health: {
    ...reads("/health", HEALTH, { answer: healthSchema, role: "anyone" }),
    answers: { 200: healthSchema, 503: healthSchema },
  },
  loop: reads("/lifecycle/status", "What the loop tells of itself", { answer: loopSchema }),
  status: reads("/status", "The whole system in one answer", { answer: statusSchema }),
  metrics: { ...reads("/metrics", "Prometheus metrics", { answer: prometheus }), answers: { 200: prometheus } },
  events: reads("/events", "Live events (text/event-stream): request.moved, dag.progress, loop.pass", {
    query: eventsQuery,
    answer: text("One frame per event", "text/event-stream"),
  }),
};
