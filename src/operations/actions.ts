import { z } from "zod";
import { type ReleaseName, releaseFields } from "../core/release.ts";
import { REQUEST_STATUSES } from "../core/request-status.ts";
import { ACTION, OPERATOR_ACTIONS, type OperatorAction } from "../recovery/round/actions.ts";
import { dryRunQuery, nameParams, nameText, reasonText, siteText } from "./inputs.ts";
import { actErrors, changes, problemList, submitErrors } from "./operation.ts";
import { bulkFilterSchema } from "./request-list.ts";
import { requestSchema } from "./requests.ts";
import { anything, byWord, named, strings } from "./wire.ts";

const names = z.array(z.string().max(300)).max(10_000);
const memoryMb = z.int().min(1).max(100_000_000).describe("megabytes, a whole number");
const wallMinutes = z.number().min(1).max(1_000_000).describe("minutes");

/** What a release changes; each is checked against the request by the lifecycle, which says what is allowed. */
const modifications = Object.fromEntries(
  releaseFields.flatMap(([name, { about, alias }]) => [
    [name, z.unknown().optional().describe(about)],
    ...(alias ? [[alias, z.unknown().optional().describe(`the same as ${name}`)]] : []),
  ]),
) as Record<ReleaseName, z.ZodOptional<z.ZodUnknown>>;

const actSchema = named("OperatorAction", {
  reason: reasonText.optional(),
  how: z
    .enum(["rescue", "next-round"])
    .optional()
    .describe("release: rescue (go on with the same run) or next-round (plan what failed again); left out: automatic"),
  modifications: z.unknown().optional().describe("the same fields, in an object of their own"),
  ...modifications,
  nodes: z
    .union([z.literal("failed"), names])
    .optional()
    .describe('resubmit, retry: "failed", or a list like mg_000003/proc_000021'),
  units: names.optional().describe("resubmit, retry: a list like mg_000003"),
  wall_minutes: wallMinutes.optional(),
  sites: z.array(siteText).max(1000).optional().describe("resubmit: where those nodes may run"),
  then: z
    .enum(["hold", "queue"])
    .optional()
    .describe(
      "stop: hold (it stays stopped until it is resumed) or queue (it goes on when it is its turn); queue when left out",
    ),
  invalidate: z.boolean().optional().describe("abort, fail: its outputs are withdrawn from the catalog, too"),
  cleanup_policy: z
    .enum(["keep_until_replaced", "immediate_cleanup"])
    .optional()
    .describe("restart: keep_until_replaced or immediate_cleanup"),
  from: z
    .string()
    .max(12_000_000)
    .optional()
    .describe("release, restart: the corrected request as JSON or YAML text; its attachments too"),
  dry_run: z.boolean().optional().describe("true: only say what would be done"),
});
export type ActBody = z.infer<typeof actSchema>;

const follows = z
  .enum(["hold", "queue"])
  .nullable()
  .describe("What follows a stop: it waits until it is resumed, or it is queued again; null: it is no stop");
const effectSchema = named("ActionEffect", {
  jobs_killed: z.int().describe("Jobs that run now and are killed by it"),
  hours_lost: z.number().nullable().describe("What these have worked so far, together; null: unknown"),
  units_kept: z.int().describe("Work units that are done and stay so"),
  units_left: z.int().describe("Those that are planned and not done"),
  unit_word: z.string().describe("What people call a unit of this kind"),
  requestor: z.string(),
  readers: strings.describe("Open requests that read what it makes"),
});
export const actedSchema = named("Acted", {
  request_name: z.string(),
  action: z.enum(OPERATOR_ACTIONS),
  already: z.boolean().describe("It was asked for or is so already; nothing was changed"),
  dry_run: z.boolean(),
  message: z.string().describe("What is (or would be) done, and because of what"),
  then: follows,
  effect: effectSchema.nullable().describe("The same, counted; null: nothing is changed"),
  warnings: strings,
  detail: anything,
  status: z.enum(REQUEST_STATUSES),
  request: requestSchema,
});
export type ActedView = z.infer<typeof actedSchema>;

const bulkSchema = actSchema
  .omit({ from: true })
  .extend({
    action: z.enum(OPERATOR_ACTIONS),
    filter: bulkFilterSchema.optional().describe("which requests, with the filters of GET /requests"),
    names: z.array(nameText).min(1).max(1000).optional().describe("or these requests, by name"),
    seen: z
      .record(nameText, z.int().min(0))
      .refine((seen) => Object.keys(seen).length <= 10_000, "at most 10000")
      .optional()
      .describe("or these, each with the version that was looked at: one that moved on since is left alone (stale)"),
    limit: z.int().min(1).max(500).optional().describe("at most so many in one call; 100 when left out"),
    cursor: z.string().max(600).optional().describe("next_cursor of the answer before"),
  })
  .meta({ id: "BulkAction" });
export type BulkBody = z.infer<typeof bulkSchema>;

const bulkAnswerSchema = named("BulkAnswer", {
  action: z.enum(OPERATOR_ACTIONS),
  then: follows,
  dry_run: z.boolean(),
  items: z.array(
    z.strictObject({
      request_name: z.string(),
      outcome: z.enum(["done", "would", "already", "refused", "unknown", "stale"]),
      status: z.enum(REQUEST_STATUSES).nullable(),
      version: z
        .int()
        .nullable()
        .describe("Of the request as it was looked at: give it as seen to have just that changed"),
      message: z.string(),
      effect: effectSchema.nullable(),
      warnings: strings,
      problems: problemList,
    }),
  ),
  counts: byWord.describe("Number by outcome"),
  next_cursor: z.string().nullable().describe("Give it as cursor to go on; null: all were visited"),
});
export type BulkAnswerView = z.infer<typeof bulkAnswerSchema>;

export const changesShape = {
  memory_mb: memoryMb.optional(),
  wall_minutes: wallMinutes.optional(),
  sites: z.array(siteText).max(1000).optional().describe("where it may run"),
};

const note =
  "Checked against the state and stored; the loop carries it out (202). 200: a dry run, or it is so already.";

/** POST /requests/:name/release and so on: one for each action of an operator. */
const act = (action: OperatorAction) =>
  changes("POST", `/requests/:name/${action}`, `${action}: ${ACTION[action].meaning}`, {
    params: nameParams,
    query: dryRunQuery,
    body: actSchema.prefault({}),
    answers: { 200: actedSchema, 202: actedSchema, ...actErrors },
    note,
  });

export const actions = {
  ...(Object.fromEntries(OPERATOR_ACTIONS.map((action) => [action, act(action)])) as Record<
    OperatorAction,
    ReturnType<typeof act>
  >),
  bulk: changes(
    "POST",
    "/requests/bulk",
    "One action for many requests, chosen by filter or by name; repeat with next_cursor",
    { query: dryRunQuery, body: bulkSchema, answers: { 200: bulkAnswerSchema, ...submitErrors } },
  ),
};
