import { z } from "zod";
import { changesShape } from "./actions.ts";
import { errorsSchema } from "./errors.ts";
import { dryRunQuery, limitUpTo, nameParams, nameText, pageQuery, pagingUpTo, reasonText } from "./inputs.ts";
import { actErrors, changes, reads } from "./operation.ts";
import { each, named, paged, strings, time } from "./wire.ts";

const number = z.number().nullable();
const text = z.string().nullable();

/** One line of the story of a node. */
const attemptSchema = named("Attempt", {
  round: z.int(),
  ...each(z.string(), "unit", "node", "at"),
  cluster: z.int().nullable().describe("null: nothing was submitted"),
  retry: z.int().describe("DAGMan's own counter, from 0"),
  rrn: z.int().describe("Genuine executions in this epoch, this one included"),
  epoch: z.int().describe("Grows when a person gives the node a fresh budget"),
  cause: text.describe("null: it succeeded"),
  exit_code: z.int(),
  return: z.int().describe("What the engine saw"),
  decoded_from: text,
  signal: number,
  ...each(text, "site", "host", "started_at", "ended_at"),
  ...each(number, "wall_sec", "cpu_sec", "peak_memory_mb"),
  memory_mb: number.describe("What it had asked for"),
  wall_minutes: number,
  next_memory_mb: number.describe("What the next attempt asks for"),
  next_wall_minutes: number,
  decision: z.enum(["done", "retry", "stop", "unclassified", "abort"]),
  ...each(text, "why", "category", "rule", "rule_source"),
  delay_sec: z.number(),
  not_before: text,
  avoid_sites: strings,
  bad_files: strings,
  reason: z.string(),
  script: z
    .strictObject({ script: z.string(), result: z.string(), seconds: number, log: text })
    .nullable()
    .describe("How its recovery script ended; null: it had none"),
});
export type AttemptView = z.infer<typeof attemptSchema>;
const epochSchema = z.strictObject({
  round: z.int(),
  unit: z.string(),
  epoch: z.int(),
  nodes: strings.nullable().describe("null: all of the unit"),
  ...each(z.string(), "by", "reason", "at"),
});
const attemptPageSchema = named("AttemptPage", {
  ...paged(attemptSchema),
  epochs: z.array(epochSchema),
  said: z
    .array(
      z.strictObject({
        round: z.int(),
        unit: z.string(),
        node: text.describe("null: of the whole unit"),
        ...each(z.string(), "at", "by", "what", "reason"),
      }),
    )
    .describe("What people said of nodes: classified, retried now, left behind"),
  unreadable: z.array(z.strictObject({ unit: z.string(), line: z.int(), message: z.string() })),
  gone: strings.describe("Submit directories that are no more"),
});
export type AttemptPageView = z.infer<typeof attemptPageSchema>;
const saidSchema = z.strictObject({ action: z.string(), actor: z.string(), reason: z.string(), at: time });
const unclassifiedItem = z.strictObject({
  unit: z.string(),
  node: z.string(),
  attempt: z.int(),
  exit_code: z.int(),
  ...each(text, "cause", "site", "host"),
  ...each(z.string(), "at", "reason", "stderr_tail"),
  classified: saidSchema.nullable(),
});
const unclassifiedSchema = named("Unclassified", {
  total: z.int(),
  open: z.int().describe("Of them, those nobody has classified yet"),
  ...paged(unclassifiedItem),
});
export type UnclassifiedView = z.infer<typeof unclassifiedSchema>;
const classifySchema = named("Classify", {
  items: z
    .array(
      z.strictObject({
        node: z.string().max(300).describe("like mg_000003/proc_000021"),
        action: z.enum(["retry", "fail"]),
        ...changesShape,
        reason: reasonText.optional(),
      }),
    )
    .min(1)
    .max(10_000)
    .describe("what each failure means"),
  reason: reasonText.optional().describe("for items without one of their own"),
  dry_run: z.boolean().optional(),
});
const classifiedSchema = named("Classified", {
  request_name: z.string(),
  dry_run: z.boolean(),
  already: z.boolean(),
  items: z.array(
    z.strictObject({ node: z.string(), action: z.enum(["retry", "fail"]), outcome: z.enum(["reserved", "already"]) }),
  ),
  open: z.int().describe("Still waiting to be classified"),
  resubmit: strings.nullable().describe("The nodes that run again now; null: none"),
  message: z.string(),
});

const attemptsQuery = z.strictObject({
  ...pagingUpTo(10_000, 200),
  unit: nameText.optional().describe("only of this work unit, like mg_000003"),
  node: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,199}([/:][A-Za-z0-9][\w.-]{0,199})?$/, "not a node")
    .optional()
    .describe("only of this node, like proc_000021 or mg_000003/merge"),
});
const params = nameParams;

/** The stories of nodes, what failed, and what failures mean. */
export const attempts = {
  list: reads("/requests/:name/attempts", "Every attempt of every node: newest round first, whole work units a page", {
    params,
    query: attemptsQuery,
    answer: attemptPageSchema,
  }),
  errors: reads(
    "/requests/:name/errors",
    "What failed in the present round; with Accept: text/plain as one screen of text",
    { params, query: z.strictObject({ width: limitUpTo(400, 120) }), answer: errorsSchema },
  ),
  unclassified: reads(
    "/requests/:name/unclassified",
    "Failures no rule knows, with the ends of their logs: a person or an agent says what they mean",
    { params, query: pageQuery, answer: unclassifiedSchema },
  ),
  classify: changes(
    "POST",
    "/requests/:name/classify",
    "Classify failures as retry or fail, all of them or none; the last one sets the retries going",
    { params, query: dryRunQuery, body: classifySchema, answers: { 200: classifiedSchema, ...actErrors } },
  ),
};
