import { z } from "zod";
import { NODE_ACTION_KINDS } from "../../domain/operator.ts";
import { time } from "./common.ts";
import { changesShape } from "./operate.ts";
import { reasonText } from "./query.ts";

const number = z.number().nullable();
const words = z.string().nullable();

/** One line of the story of a node. */
export const attemptSchema = z
  .strictObject({
    round: z.int(),
    unit: z.string(),
    node: z.string(),
    at: z.string(),
    cluster: z.int().nullable().describe("null: nothing was submitted"),
    retry: z.int().describe("DAGMan's own counter, from 0"),
    rrn: z.int().describe("Genuine executions in this epoch, this one included"),
    epoch: z.int().describe("Grows when a person gives the node a fresh budget"),
    cause: words.describe("null: it succeeded"),
    exit_code: z.int(),
    return: z.int().describe("What the engine saw"),
    decoded_from: words,
    signal: number,
    site: words,
    host: words,
    started_at: words,
    ended_at: words,
    wall_sec: number,
    cpu_sec: number,
    peak_memory_mb: number,
    memory_mb: number.describe("What it had asked for"),
    wall_minutes: number,
    next_memory_mb: number.describe("What the next attempt asks for"),
    next_wall_minutes: number,
    decision: z.enum(["done", "retry", "stop", "unclassified", "abort"]),
    why: words,
    category: words,
    rule: words,
    rule_source: words,
    delay_sec: z.number(),
    not_before: words,
    avoid_sites: z.array(z.string()),
    bad_files: z.array(z.string()),
    reason: z.string(),
  })
  .meta({ id: "Attempt" });
export type AttemptView = z.infer<typeof attemptSchema>;

const epochSchema = z.strictObject({
  round: z.int(),
  unit: z.string(),
  epoch: z.int(),
  nodes: z.array(z.string()).nullable().describe("null: all of the unit"),
  by: z.string(),
  reason: z.string(),
  at: z.string(),
});
export const attemptPageSchema = z
  .strictObject({
    items: z.array(attemptSchema),
    epochs: z.array(epochSchema),
    unreadable: z.array(z.strictObject({ unit: z.string(), line: z.int(), message: z.string() })),
    gone: z.array(z.string()).describe("Submit directories that are no more"),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "AttemptPage" });
export type AttemptPageView = z.infer<typeof attemptPageSchema>;

export const nodeActionSchema = z
  .strictObject({
    id: z.string().nullable().describe("null: a dry run, nothing is reserved"),
    request_name: z.string(),
    dag_id: z.string(),
    unit: z.string(),
    node: z.string(),
    kind: z.enum(NODE_ACTION_KINDS),
    attempt: z.int().describe("The attempt it answers"),
    epoch: z.int(),
    actor: z.string(),
    reason: z.string(),
    changes: z.record(z.string(), z.unknown()),
    created_at: time,
    applied_at: time.nullable().describe("null: the engine side has yet to be told"),
    already: z.boolean(),
    dry_run: z.boolean(),
  })
  .meta({ id: "NodeAction" });
export type NodeActionView = z.infer<typeof nodeActionSchema>;

export const unclassifiedSchema = z
  .strictObject({
    total: z.int(),
    open: z.int().describe("Of them, those nobody has classified yet"),
    items: z.array(
      z.strictObject({
        unit: z.string(),
        node: z.string(),
        attempt: z.int(),
        exit_code: z.int(),
        cause: words,
        site: words,
        host: words,
        at: z.string(),
        reason: z.string(),
        stderr_tail: z.string(),
        classified: z.strictObject({ action: z.string(), actor: z.string(), reason: z.string(), at: time }).nullable(),
      }),
    ),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "Unclassified" });
export type UnclassifiedView = z.infer<typeof unclassifiedSchema>;

export const classifySchema = z
  .strictObject({
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
  })
  .meta({ id: "Classify" });
export const classifiedSchema = z
  .strictObject({
    request_name: z.string(),
    dry_run: z.boolean(),
    already: z.boolean(),
    items: z.array(
      z.strictObject({ node: z.string(), action: z.enum(["retry", "fail"]), outcome: z.enum(["reserved", "already"]) }),
    ),
    open: z.int().describe("Still waiting to be classified"),
    resubmit: z.array(z.string()).nullable().describe("The nodes that run again now; null: none"),
    message: z.string(),
  })
  .meta({ id: "Classified" });
export type ClassifiedView = z.infer<typeof classifiedSchema>;

export const retrySchema = z
  .strictObject({
    reason: reasonText.optional(),
    ...changesShape,
    attempt: z.int().optional().describe("the attempt that was seen to fail"),
    max_retries: z.int().min(0).max(1000).optional().describe("refuse when it was executed more often"),
    dry_run: z.boolean().optional(),
  })
  .meta({ id: "RetryNode" });
