import { z } from "zod";
import { type NewNodeAction, NODE_ACTION_KINDS, type NodeAction, type NodeChanges } from "../domain/operator.ts";
import type { AttemptPage, ClassifyAnswer, UnclassifiedPage } from "../lifecycle/port.ts";
import { changesShape } from "./actions.ts";
import { given, reasonText } from "./inputs.ts";
import { anything, named, paged, strings, time, viewOf } from "./wire.ts";

const number = z.number().nullable();
const words = z.string().nullable();

/** One line of the story of a node. */
const attemptSchema = named("Attempt", {
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
  avoid_sites: strings,
  bad_files: strings,
  reason: z.string(),
  script: z
    .strictObject({ script: z.string(), result: z.string(), seconds: number, log: words })
    .nullable()
    .describe("How its recovery script ended; null: it had none"),
});
export type AttemptView = z.infer<typeof attemptSchema>;
type Told = { cluster: number; script: AttemptPage["items"][number]["script"] };
const attemptView = viewOf(attemptSchema, ({ cluster, script }: Told) => ({
  cluster: cluster > 0 ? cluster : null,
  script: script && { script: script.script, result: script.result, seconds: script.seconds, log: script.log },
}));

const epochSchema = z.strictObject({
  round: z.int(),
  unit: z.string(),
  epoch: z.int(),
  nodes: strings.nullable().describe("null: all of the unit"),
  by: z.string(),
  reason: z.string(),
  at: z.string(),
});
const epochView = viewOf(epochSchema);
export const attemptPageSchema = named("AttemptPage", {
  ...paged(attemptSchema),
  epochs: z.array(epochSchema),
  said: z
    .array(
      z.strictObject({
        round: z.int(),
        unit: z.string(),
        node: words.describe("null: of the whole unit"),
        at: z.string(),
        by: z.string(),
        what: z.string(),
        reason: z.string(),
      }),
    )
    .describe("What people said of nodes: classified, tried again now, left behind"),
  unreadable: z.array(z.strictObject({ unit: z.string(), line: z.int(), message: z.string() })),
  gone: strings.describe("Submit directories that are no more"),
});
export type AttemptPageView = z.infer<typeof attemptPageSchema>;
export const attemptPageView = viewOf(attemptPageSchema, ({ items, epochs }: AttemptPage) => ({
  items: items.map(({ round, unit, record, script }) => attemptView({ round, unit, ...record, script })),
  epochs: epochs.map(({ round, unit, record }) => epochView({ round, unit, ...record })),
}));

export const nodeActionSchema = named("NodeAction", {
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
  changes: anything,
  created_at: time,
  applied_at: time.nullable().describe("null: the engine side has yet to be told"),
  already: z.boolean(),
  dry_run: z.boolean(),
});
export type NodeActionView = z.infer<typeof nodeActionSchema>;
type NodeActionTold = (NewNodeAction | NodeAction) & { requestName: string; already: boolean; dryRun: boolean };
export const nodeActionView = viewOf(nodeActionSchema, (action: NodeActionTold) => ({
  id: "id" in action ? action.id : null,
  changes: changesView(action.changes),
  applied_at: "appliedAt" in action ? (action.appliedAt?.toISOString() ?? null) : null,
}));
/** Those that are there, in the words of the API. */
const changesView = ({ memoryMb, wallMinutes, sites }: NodeChanges) =>
  given({ memory_mb: memoryMb, wall_minutes: wallMinutes, sites });

const saidSchema = z.strictObject({ action: z.string(), actor: z.string(), reason: z.string(), at: time });
const unclassifiedItem = z.strictObject({
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
  classified: saidSchema.nullable(),
});
const unclassifiedItemView = viewOf(unclassifiedItem, ({ classified }: { classified: NodeAction | null }) => ({
  classified: classified && saidView({ ...classified, action: classified.kind, at: classified.createdAt }),
}));
const saidView = viewOf(saidSchema);
export const unclassifiedSchema = named("Unclassified", {
  total: z.int(),
  open: z.int().describe("Of them, those nobody has classified yet"),
  ...paged(unclassifiedItem),
});
export type UnclassifiedView = z.infer<typeof unclassifiedSchema>;
export const unclassifiedView = viewOf(unclassifiedSchema, ({ items }: UnclassifiedPage) => ({
  items: items.map(({ record, ...item }) => unclassifiedItemView({ ...record, ...item })),
}));

export const classifySchema = named("Classify", {
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
export const classifiedSchema = named("Classified", {
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
export type ClassifiedView = z.infer<typeof classifiedSchema>;
type Classified = Extract<ClassifyAnswer, { kind: "done" | "would" }>;
export const classifiedView = viewOf(classifiedSchema, ({ kind, request, items, because }: Classified) => ({
  request_name: request.spec.name,
  dry_run: kind === "would",
  already: items.every(({ outcome }) => outcome === "already"),
  message: because,
}));

export const retrySchema = named("RetryNode", {
  reason: reasonText.optional(),
  ...changesShape,
  attempt: z.int().optional().describe("the attempt that was seen to fail"),
  max_retries: z.int().min(0).max(1000).optional().describe("refuse when it was executed more often"),
  dry_run: z.boolean().optional(),
});
