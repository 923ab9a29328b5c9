import { z } from "zod";
import { POINT_FORMS } from "../core/calendar.ts";
import { CELL_STATES, FILL_MODES, NODE_STATES } from "../core/segments.ts";
import { dryRunQuery, flag, nameParams, nameText, pagingUpTo, reasonText } from "./inputs.ts";
import { actErrors, changes, reads } from "./operation.ts";
import { each, named, paged, strings, time } from "./wire.ts";

const text = z.string().nullable();
const month = z.int().describe("Year × 12 + month − 1: a boundary between months");
const interval = z.strictObject({ from: month, to: month.describe("The first month after it") });

const planSchema = named("FillPlan", {
  experiment: z.string(),
  range: interval,
  choice: z.strictObject({
    component: text,
    ...each(month.nullable(), "from", "to"),
    mode: z.enum(FILL_MODES),
    recurse: z.boolean(),
  }),
  rows: z
    .array(
      z.strictObject({
        ...each(z.string(), "component", "product"),
        length_months: z.int(),
        cells: z.array(z.strictObject({ node: z.string(), due: month, state: z.enum(CELL_STATES) })),
      }),
    )
    .describe("The grid: a line for each product, a cell for each chunk"),
  actions: z
    .array(
      z.strictObject({
        node: z.string(),
        kind: z.enum(["make", "retry", "redo", "remake", "transfer"]),
        reason: z.string(),
        after: strings.describe("Nodes of this plan that come first"),
        retries: z.int(),
      }),
    )
    .describe("What is needed comes before what needs it"),
  obstacles: z.array(
    z.strictObject({
      ...each(z.string(), "node", "kind", "reason"),
      causes: strings,
      until: time.nullable().describe("When it moves by itself; null: unknown"),
    }),
  ),
  done: z.int(),
  holes: z.int().describe("Due and not done"),
});
export type FillPlanView = z.infer<typeof planSchema>;
const previewSchema = planSchema
  .extend({
    message: z.string().describe("What comes of having it made now, or why that is refused"),
    may_be_made: z.boolean().describe("false: there is nothing to be made, or it is refused"),
  })
  .meta({ id: "FillPreview" });

const point = z.string().max(20).describe(POINT_FORMS);
const choice = {
  component: nameText.optional().describe("only of this component"),
  from: point.optional().describe(`only what ends in it or later: ${POINT_FORMS}`),
  to: point.optional().describe(`only what ends in it or earlier: ${POINT_FORMS}`),
  mode: z
    .enum(FILL_MODES)
    .default("failed")
    .describe("missing: what was never made · failed: that and what failed · all: what is done, too"),
};
const dry_run = z.boolean().optional().describe("true: only say what would be done");
const reason = reasonText.optional();

const fillSchema = named("Filled", {
  request_name: z.string(),
  dry_run: z.boolean(),
  already: z.boolean().describe("The same was asked for before, and is not carried out yet"),
  message: z.string(),
  plan: planSchema,
  asked: z.strictObject({ ...each(z.string(), "actor", "reason"), asked_at: time }).nullable(),
});

const verifiedSchema = named("Verified", {
  request_name: z.string(),
  dry_run: z.boolean(),
  message: z.string(),
  nodes: z.array(
    z.strictObject({
      id: z.string(),
      outcome: z
        .enum(["demoted", "promoted", "changed"])
        .describe("demoted: not what it should be · promoted: it is · changed: it is, and another than before"),
      reason: text,
    }),
  ),
  plan: planSchema,
  looked: z.int().describe("Products that were looked at, from the first one on"),
  of: z.int().describe("Products there are"),
  next: text.describe("Time was up: ask again with after = this; null: all were looked at"),
});
export type VerifiedView = z.infer<typeof verifiedSchema>;

const nodeSchema = named("ProductNode", {
  id: z.string(),
  state: z.enum(NODE_STATES),
  ...each(z.int(), "epoch", "executions", "losses", "overruns", "transfers"),
  ...each(text, "reason", "cause", "unit", "dag_id", "job", "made_sum", "made_of_sum"),
  retry_at: time.nullable(),
  changed_at: time,
});

const params = nameParams;
const query = dryRunQuery;

/** Products of a model run: what is missing, and having it made (docs/adr/0019-segments.md). */
export const fill = {
  plan: {
    ...reads("/requests/:name/fill", "What is missing of a model run, and what would be done about it", {
      params,
      query: z.strictObject({
        ...choice,
        recurse: flag.default("true").describe("false: what it needs is left alone"),
      }),
      answer: previewSchema,
    }),
    answers: { 200: previewSchema, ...actErrors },
  },
  apply: changes("POST", "/requests/:name/fill", "Have what is missing made; the loop does it", {
    params,
    query,
    body: named("Fill", {
      ...choice,
      recurse: z.boolean().default(true).describe("What it needs is made, too"),
      reason,
      dry_run,
    }).prefault({}),
    answers: { 200: fillSchema, 202: fillSchema, ...actErrors },
  }),
  verify: changes("POST", "/requests/:name/verify", "Look again at what products left, and put their states right", {
    params,
    query,
    body: named("Verify", {
      after: z.string().max(300).optional().describe("only those that come after it: next of the answer before"),
      reason,
      dry_run,
    }).prefault({}),
    answers: { 200: verifiedSchema, ...actErrors },
  }),
  nodes: reads("/requests/:name/nodes", "Products that something happened to, by id", {
    params,
    query: z.strictObject({ ...pagingUpTo(10_000, 1000), state: z.enum(NODE_STATES).optional() }),
    answer: named("ProductNodes", { ...paged(nodeSchema), counts: z.record(z.string(), z.int()) }),
  }),
  release: changes(
    "POST",
    "/requests/:name/nodes/release",
    "Let products that are held be tried again, in a new epoch",
    {
      params,
      query,
      body: named("ReleaseNodes", {
        nodes: z.array(z.string().min(1).max(300)).min(1).max(10_000).describe("ids; * stands for any text"),
        reason,
        dry_run,
      }),
      answers: {
        200: named("ReleasedNodes", {
          request_name: z.string(),
          dry_run: z.boolean(),
          already: z.boolean(),
          message: z.string(),
          nodes: strings,
          moved: strings.describe("Somebody changed these at the same moment"),
        }),
        ...actErrors,
      },
    },
  ),
};
