import { z } from "zod";
import { problemList, told } from "../api/problem.ts";
import { REQUEST_STATUSES } from "../domain/request-status.ts";
import { type ActAnswer, type ManyAnswer, OPERATOR_ACTIONS, type OperatorAction } from "../lifecycle/port.ts";
import { filterText, nameText, reasonText, siteText } from "./inputs.ts";
import { requestSchema, requestView } from "./requests.ts";
import { anything, byWord, named, strings } from "./wire.ts";

const names = z.array(z.string().max(300)).max(10_000);
const memoryMb = z.int().min(1).max(100_000_000).describe("megabytes, a whole number");
const wallMinutes = z.number().min(1).max(1_000_000).describe("minutes");

/** What a release changes; each is checked against the request by the lifecycle, which says what is allowed. */
export const modifications = {
  site_bans: z.unknown().optional().describe("a list of site names"),
  excluded_files: z.unknown().optional().describe("a list of input files"),
  memory_mb: z.unknown().optional().describe("megabytes, a whole number"),
  retries: z.unknown().optional().describe("how often a job is tried again, 0…20"),
  retry_count: z.unknown().optional().describe("the same as retries"),
  hold_threshold: z.unknown().optional().describe("share of failed units at which it is held, 0…1"),
  error_hold_threshold: z.unknown().optional().describe("the same as hold_threshold"),
  top_up: z.unknown().optional().describe("true or false: replace abandoned events"),
};

export const actSchema = named("OperatorAction", {
  reason: reasonText.optional(),
  how: z.enum(["rescue", "next-round"]).optional().describe("release: rescue or next-round"),
  modifications: z.unknown().optional().describe("the same fields, in an object of their own"),
  ...modifications,
  nodes: z
    .union([z.literal("failed"), names])
    .optional()
    .describe('resubmit, retry: "failed", or a list like mg_000003/proc_000021'),
  units: names.optional().describe("resubmit, retry: a list like mg_000003"),
  wall_minutes: wallMinutes.optional(),
  sites: z.array(siteText).max(1000).optional().describe("resubmit: where those nodes may run"),
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

export const actedSchema = named("Acted", {
  request_name: z.string(),
  action: z.enum(OPERATOR_ACTIONS),
  already: z.boolean().describe("It was asked for or is so already; nothing was changed"),
  dry_run: z.boolean(),
  message: z.string().describe("What is (or would be) done, and because of what"),
  warnings: strings,
  detail: anything,
  status: z.enum(REQUEST_STATUSES),
  request: requestSchema,
});
export type ActedView = z.infer<typeof actedSchema>;

type Acted = Extract<ActAnswer, { kind: "done" | "would" | "already" }>;
/** What is, or would be, done and because of what; or why it is so already. */
const wordsOf = (answer: Acted) =>
  answer.kind === "already"
    ? { message: answer.why, warnings: [] }
    : { message: answer.because, warnings: [...answer.warnings] };

export const actedView = (action: OperatorAction, answer: Acted, dryRun: boolean): ActedView => ({
  request_name: answer.request.spec.name,
  action,
  already: answer.kind === "already",
  dry_run: dryRun,
  ...wordsOf(answer),
  detail: answer.kind === "already" ? {} : answer.detail,
  status: answer.request.status,
  request: requestView(answer.request),
});

export const bulkSchema = actSchema
  .omit({ from: true })
  .extend({
    action: z.enum(OPERATOR_ACTIONS),
    filter: z
      .strictObject({
        status: z.union([z.enum(REQUEST_STATUSES), z.array(z.enum(REQUEST_STATUSES))]).optional(),
        requestor: filterText.optional(),
        campaign: filterText.optional(),
        name: filterText.optional().describe("a part of the name"),
      })
      .optional()
      .describe("status, requestor, campaign, name: which requests"),
    names: z.array(nameText).min(1).max(1000).optional().describe("or these requests, by name"),
    limit: z.int().min(1).max(500).optional().describe("at most so many in one call; 100 when left out"),
    cursor: z.string().max(600).optional().describe("next_cursor of the answer before"),
  })
  .meta({ id: "BulkAction" });
export type BulkBody = z.infer<typeof bulkSchema>;

export const bulkAnswerSchema = named("BulkAnswer", {
  action: z.enum(OPERATOR_ACTIONS),
  dry_run: z.boolean(),
  items: z.array(
    z.strictObject({
      request_name: z.string(),
      outcome: z.enum(["done", "would", "already", "refused", "unknown", "stale"]),
      status: z.enum(REQUEST_STATUSES).nullable(),
      message: z.string(),
      warnings: strings,
      problems: problemList,
    }),
  ),
  counts: byWord.describe("Number by outcome"),
  next_cursor: z.string().nullable().describe("Give it as cursor to go on; null: all were visited"),
});
export type BulkAnswerView = z.infer<typeof bulkAnswerSchema>;

export function bulkAnswerView(action: OperatorAction, dryRun: boolean, answer: ManyAnswer): BulkAnswerView {
  const items = answer.results.map(({ name, answer }) => itemView(name, answer));
  const counts: Record<string, number> = {};
  for (const { outcome } of items) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return { action, dry_run: dryRun, items, counts, next_cursor: answer.nextCursor };
}

function itemView(name: string, answer: ActAnswer): BulkAnswerView["items"][number] {
  const status = "request" in answer ? answer.request.status : null;
  const item = { request_name: name, status, warnings: [], problems: [] };
  switch (answer.kind) {
    case "done":
    case "would":
    case "already":
      return { ...item, outcome: answer.kind, ...wordsOf(answer) };
    case "refused":
      return { ...item, outcome: "refused", message: told(answer.problems), problems: [...answer.problems] };
    case "unknown-request":
      return { ...item, outcome: "unknown", message: "there is no such request" };
    case "stale":
      return { ...item, outcome: "stale", message: "it moved on meanwhile" };
  }
}

export const changesShape = {
  memory_mb: memoryMb.optional(),
  wall_minutes: wallMinutes.optional(),
  sites: z.array(siteText).max(1000).optional().describe("where it may run"),
};
