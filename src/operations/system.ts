import { z } from "zod";
import { nameText, repeatable } from "./inputs.ts";
import { changeErrors, changes, content, reads, submitErrors } from "./operation.ts";
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
  expected_at: time
    .nullable()
    .describe("When a slot should be free for it, by the estimates of those that run; null: unknown"),
});
const whatIf = z.string().regex(/^[A-Za-z0-9][\w.-]*:\d{1,10}$/, "not name:priority");
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

const partHealth = z.strictObject({ ok: z.boolean(), text: z.string() });
const healthSchema = named("Health", {
  status: z.enum(["ok", "unhealthy"]),
  why: z.string().describe("What is wrong, in words"),
  store: partHealth,
  loop: partHealth,
  catalog: partHealth.describe("Whether the services of the catalog answer; it is no reason for 503"),
  version: z.string(),
  at: time,
});
const freshnessSchema = named("Freshness", {
  at: time,
  ...each(z.string(), "version", "api", "node", "host", "instance"),
  started_at: time,
  leader: z.string().nullable().describe("Which server runs the loop; null: none does"),
  is_leader: z.boolean().describe("Whether it is the one that answers"),
  items: z.array(
    z.strictObject({
      what: z.string(),
      ok: z.boolean(),
      read_at: time.nullable().describe("When it was last seen; null: never"),
      every_sec: z.number().nullable().describe("How often it is looked at; null: when somebody asks"),
      text: z.string().describe("What was seen, or what is wrong with it"),
    }),
  ),
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
  engine: z.strictObject({ name: z.string(), ok: z.boolean(), text: z.string(), warnings: z.array(warning) }),
  directories: z.strictObject({ data_dir: z.string(), spool_dir: z.string(), storage_dir: z.string() }),
  warnings: z.array(warning).describe("What is unsafe about the way it runs"),
  loop: loopSchema,
  requests: byWord.describe("Number by status"),
  workflows: byWord,
  blocks: byWord,
  dags_open: z.int(),
  queued: z.int().describe("In the queue for a slot: without those that have nothing to do until they look again"),
  sites: z.array(siteSchema.pick({ name: true, status: true })),
  alerts: z.array(alertSchema.omit({ id: true, acknowledged_at: true, closed_at: true })),
});
export type StatusView = z.infer<typeof statusSchema>;

export const admission = {
  queue: reads("/admission/queue", "Who waits, at which place and why", {
    query: z.strictObject({
      what_if: z
        .union([whatIf, z.array(whatIf)])
        .optional()
        .describe("the queue as it would be: name:priority, one or more"),
    }),
    answer: queueSchema,
  }),
  config: reads("/admission/config", "The limits in force", { answer: admissionConfigSchema }),
  configure: changes("PATCH", "/admission/config", "Change the limits; they are kept over restarts", {
    body: admissionConfigSchema,
    answers: { 200: admissionConfigSchema, ...changeErrors },
  }),
};

const prometheus = content("Prometheus text", "text/plain");
const HEALTH = "200 when the store answers and the loop has passed recently, else 503 with what is wrong";

const scenarioSchema = named("SimulateScenario", {
  scenario: z.string().min(1).max(1_000_000).describe("a scenario as YAML or JSON text (docs/guides/simulate.md)"),
  seed: whole.max(999_999_999).optional().describe("another seed for chance than the scenario says"),
});
const simulatedSchema = named("Simulated", {
  ok: z.boolean().describe("All that the scenario expects came true"),
  text: z.string().describe("The timeline, then a summary"),
});

const exampleSchema = z.strictObject({
  file: z.string().describe("Where it stands below examples/"),
  about: z.string(),
  text: z.string(),
});
const examplesSchema = named("Examples", {
  requests: z
    .array(exampleSchema)
    .describe("Need no other file: submitted as they are, they run; the first is the one to begin with"),
  scenarios: z.array(exampleSchema).describe("For POST /simulate"),
});

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
  freshness: reads("/freshness", "How old each number is: loop, engine, catalog, ledgers, database, disks", {
    answer: freshnessSchema,
  }),
  examples: reads("/examples", "Requests and scenarios that are shipped with this server, as text", {
    answer: examplesSchema,
  }),
  simulate: changes(
    "POST",
    "/simulate",
    "Tell a scenario in virtual time: real decisions, nothing runs, nothing is kept",
    { body: scenarioSchema, answers: { 200: simulatedSchema, ...submitErrors } },
  ),
  metrics: { ...reads("/metrics", "Prometheus metrics", { answer: prometheus }), answers: { 200: prometheus } },
  events: reads("/events", "Live events (text/event-stream): request.moved, dag.progress, loop.pass", {
    query: eventsQuery,
    answer: content("One frame per event", "text/event-stream"),
  }),
};
