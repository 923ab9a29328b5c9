import { z } from "zod";
import { OUTPUT_BLOCK_STATUSES, UNIT_OUTPUT_STATES } from "../core/output-block.ts";
import { dryRunQuery, nameParams, nameText, pageQuery, reasonText } from "./inputs.ts";
import { actErrors, changes, reads } from "./operation.ts";
import { anything, named, paged, strings, time } from "./wire.ts";

const blockErrorSchema = named("BlockError", {
  step: z.string(),
  code: z.string().describe("unreachable, or as the service calls it"),
  message: z.string(),
  fix: z.string().describe("What a person can do"),
  unit: z.string().nullable(),
});

const blockSchema = named("OutputBlock", {
  name: z.string().describe("dataset#uuid, as the catalog knows it"),
  request_name: z.string(),
  dataset: z.string(),
  site: z.string(),
  status: z.enum(OUTPUT_BLOCK_STATUSES),
  units: z.record(z.enum(UNIT_OUTPUT_STATES), z.int()).describe("Work units by what became of their files"),
  files: z.int(),
  bytes: z.number(),
  has_all_units: z.boolean().describe("No unit will come any more"),
  waits_for: z.string().nullable().describe("In words; null: nothing is to be done for it any more"),
  waiting_since: time.nullable().describe("Since when something of it waits to be registered; null: nothing does"),
  receipts: anything.describe("Steps that are taken: ids of rules, the RSE, …"),
  tries: z.int().describe("Since the last step that went well"),
  next_try_at: time,
  last_error: blockErrorSchema.nullable(),
  created_at: time,
  updated_at: time,
});
export type BlockView = z.infer<typeof blockSchema>;
const blockPageSchema = named("OutputBlockPage", {
  ...paged(blockSchema),
  sums: named("OutputSums", {
    blocks: z.int(),
    files: z.int(),
    bytes: z.number(),
    by_status: z.partialRecord(z.enum(OUTPUT_BLOCK_STATUSES), z.int()),
    owed_since: time.nullable().describe("When the oldest block that owes something was begun; null: none does"),
  }).describe("Over all blocks, on all pages"),
});
export type OutputSumsView = z.infer<typeof blockPageSchema>["sums"];

const blockText = z
  .string()
  .max(700)
  .regex(/^\/[^\s#]+#[A-Za-z0-9._-]+$/, "not a block")
  .describe("dataset#uuid as listed");
const retrySchema = named("RetryBlocks", {
  request: nameText.optional().describe("all blocks of this request"),
  block: blockText.optional().describe("or this one"),
  reason: reasonText.optional(),
  dry_run: z.boolean().optional(),
});
const retriedSchema = named("RetriedBlocks", {
  dry_run: z.boolean(),
  blocks: strings.describe("Those that are tried now"),
  released: z.boolean().describe("The request was held for them, and goes on"),
  message: z.string().describe("What is (or would be) done"),
});

const withdrawSchema = named("WithdrawOutputs", { reason: reasonText, dry_run: z.boolean().optional() });
const withdrawnSchema = named("WithdrawnOutputs", {
  request_name: z.string(),
  dry_run: z.boolean(),
  already: z.boolean(),
  blocks: strings,
  files: z.int(),
  rules: strings.describe("Rules that are deleted"),
  message: z.string().describe("What is (or would be) done"),
});

export const blocks = {
  list: reads("/blocks", "Output blocks of all requests, and what they wait for", {
    answer: blockPageSchema,
    query: pageQuery,
  }),
  ofRequest: reads("/requests/:name/blocks", "Output blocks of a request: units, files, rules, next try, last error", {
    params: nameParams,
    query: pageQuery,
    answer: blockPageSchema,
  }),
  retry: changes("POST", "/blocks/retry", "Try blocks that failed or wait again now; a request held for them goes on", {
    query: dryRunQuery,
    body: retrySchema,
    answers: { 200: retriedSchema, ...actErrors },
  }),
  withdraw: changes(
    "POST",
    "/requests/:name/withdraw",
    "Withdraw the outputs of a request that is over: its rules are deleted, its files invalidated",
    { params: nameParams, query: dryRunQuery, body: withdrawSchema, answers: { 200: withdrawnSchema, ...actErrors } },
  ),
};
