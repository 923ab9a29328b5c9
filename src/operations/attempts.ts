import { z } from "zod";
import { changesShape } from "./actions.ts";
import { errorsSchema } from "./errors.ts";
import {
  dryRunQuery,
  filterText,
  flag,
  limitUpTo,
  nameParams,
  pageQuery,
  pagingUpTo,
  reasonText,
  unitText,
} from "./inputs.ts";
import { actErrors, changes, reads } from "./operation.ts";
import { ruleSchema } from "./recovery.ts";
import { each, named, paged, strings, time } from "./wire.ts";

const number = z.number().nullable();
const text = z.string().nullable();

/** One line of the story of a node. */
const attemptSchema = named("Attempt", {
  round: z.int(),
  ...each(z.string(), "unit", "node", "at"),
  job: text.optional().describe("What the person called a job of a graph"),
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
    .describe("What people said of nodes: classified, retried now, round closed"),
  unreadable: z.array(z.strictObject({ unit: z.string(), line: z.int(), message: z.string() })),
  gone: strings.describe("Submit directories that are no more"),
});
export type ErrorsReply = z.infer<typeof errorsSchema>;
export type AttemptPageView = z.infer<typeof attemptPageSchema>;
const saidSchema = z.strictObject({ action: z.string(), actor: z.string(), reason: z.string(), at: time });
const unclassifiedItem = z.strictObject({
  unit: z.string(),
  node: z.string(),
  job: text.optional().describe("What the person called a job of a graph"),
  attempt: z.int(),
  exit_code: z.int(),
  ...each(text, "cause", "site", "host"),
  ...each(z.string(), "at", "reason", "stderr_tail"),
  classified: saidSchema.nullable(),
});
const unclassifiedSchema = named("Unclassified", {
  total: z.int(),
  open: z.int().describe("Of them, those not yet classified"),
  ...paged(unclassifiedItem),
});
export type UnclassifiedView = z.infer<typeof unclassifiedSchema>;
const classifySchema = named("Classify", {
  items: z
    .array(
      z.strictObject({
        node: z.string().max(300).optional().describe("like mg_000003/proc_000021, or the name of a graph's job"),
        group: z
          .string()
          .regex(/^[0-9a-f]{10}$/, "not the key of a group")
          .optional()
          .describe("instead of node: all similar failures that wait, by the key of their group"),
        action: z.enum(["retry", "fail"]),
        ...changesShape,
        reason: reasonText.optional(),
      }),
    )
    .min(1)
    .max(10_000)
    .describe("what each failure means"),
  reason: reasonText.optional().describe("for items without one of their own"),
  remember: z.boolean().optional().describe("true: a rule of the runs to come, too, known by what the log says"),
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
  rules: z.array(z.strictObject({ outcome: z.enum(["remembered", "already", "would"]), rule: ruleSchema })),
  message: z.string(),
});

const attemptsQuery = z.strictObject({
  ...pagingUpTo(10_000, 200),
  unit: unitText.optional().describe("only of this work unit, like mg_000003, or of this job of a graph"),
  node: unitText
    .optional()
    .describe("only of this node, like proc_000021 or mg_000003/merge, or the name of a graph's job"),
});
const logPlace = {
  unit: unitText.describe("a work unit, like mg_000003, or a job of a graph"),
  node: unitText.optional().describe("a node within its unit, like proc_000021 or merge"),
  file: z.enum(["out", "err"]).default("err").describe("out or err; err when left out"),
  cluster: z
    .string()
    .regex(/^\d{1,15}$/, "not an id")
    .optional()
    .describe("an attempt out of `clusters`; the newest when left out"),
};
const logQuery = z.strictObject({
  ...logPlace,
  from: z.coerce.number().int().min(0).optional().describe("the first byte; the end of the file when left out"),
  bytes: limitUpTo(65_536, 8192),
});
const logSchema = named("LogRange", {
  ...each(z.string(), "request_name", "unit", "node", "file"),
  cluster: text.describe("The attempt shown: the engine's id of the job; null: none left a file"),
  clusters: strings.describe("All attempts that left files, oldest first"),
  size_bytes: z.number(),
  from: z.number(),
  to: z.number().describe("The byte after the last one shown"),
  starts: z.array(z.int()).describe("The first byte of each line of the text"),
  text: z.string(),
});
const grepSchema = named("LogMatches", {
  ...each(z.string(), "request_name", "unit", "node", "file"),
  cluster: text,
  clusters: strings,
  ...each(z.number(), "size_bytes", "scanned_bytes"),
  lines: z.int().describe("How many lines were looked at"),
  matches: z.array(z.strictObject({ line: z.int(), from: z.number().describe("Its first byte"), text: z.string() })),
  next_line: z.int().nullable().describe("Give it as ?after_line= to go on; null: the whole file was looked at"),
});
const alikeSchema = named("LogAlike", {
  request_name: z.string(),
  file: z.string(),
  line: z.string().describe("The line without what differs from job to job"),
  attempts: z.int().describe("How many attempts wrote it"),
  looked_at: z.int().describe("Of how many attempts the last 64 KiB were looked at"),
  not_read: z.int().describe("Attempts beyond those: there are too many"),
  items: z
    .array(
      z.strictObject({
        ...each(z.string(), "unit", "node", "cluster", "text"),
        from: z.number().describe("The first byte of the last such line"),
      }),
    )
    .describe("The first 200 of them"),
});
const params = nameParams;

/** The stories of nodes, what failed, and what failures mean. */
export const attempts = {
  list: reads("/requests/:name/attempts", "Every attempt of every node: newest round first, whole work units a page", {
    params,
    query: attemptsQuery,
    answer: attemptPageSchema,
  }),
  log: reads("/requests/:name/log", "A range of what one attempt of a node wrote, in whatever round", {
    params,
    query: logQuery,
    answer: logSchema,
  }),
  grep: reads("/requests/:name/log/grep", "The lines of a log with a text in them, with their numbers", {
    params,
    query: z.strictObject({
      ...logPlace,
      q: filterText.describe("the text to look for, as it is"),
      ignore_case: flag,
      after_line: z.coerce.number().int().min(0).default(0).describe("next_line of the answer before"),
      limit: limitUpTo(5000, 200),
    }),
    answer: grepSchema,
  }),
  alike: reads(
    "/requests/:name/log/alike",
    "Attempts of the present round that wrote the same line; times, paths and numbers may differ",
    {
      params,
      query: z.strictObject({ line: z.string().min(1).max(1000).describe("the line, as it is"), file: logPlace.file }),
      answer: alikeSchema,
    },
  ),
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
