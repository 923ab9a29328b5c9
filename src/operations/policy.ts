import { z } from "zod";
import { NODE_ROLES } from "../core/roles.ts";
import { exitCode, limitUpTo, nameParams, nameText, siteText, unitText } from "./inputs.ts";
import { changeErrors, itemErrors, reads } from "./operation.ts";
import { each, named } from "./wire.ts";

const text = z.string().nullable();
const ruled = {
  decision: z.string().describe("done, retry, stop, unclassified or abort"),
  reason: z.string(),
  ...each(text, "category", "cause"),
  rule: text.describe("The row that decides"),
  rule_source: text.describe("Where that row stands"),
};
const explainedSchema = named("PolicyExplained", {
  code: z.int(),
  request_name: text,
  ...ruled,
  text: z.string().describe("The same for people: meaning, category, row, what would be done"),
});
const explainQuery = z.strictObject({
  code: exitCode.describe("an exit code; 137 and -9: signals"),
  request: nameText.optional().describe("with the handlers of this request; only the installation's when left out"),
  site: siteText.optional().describe("where the job ran"),
  attempt: limitUpTo(100, 1).describe("which execution it was, 1 when left out; earlier ones failed in the same way"),
  role: z.enum(NODE_ROLES).default("processing").describe(NODE_ROLES.join(", ")),
  retries: z.coerce
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(3)
    .describe("retries of the node in its DAG; 3 when left out"),
  stderr: z.string().max(4000).optional().describe("what the end of its log says, for rules that look there"),
});

const rowsSchema = named("PolicyRows", {
  request_name: text,
  items: z
    .array(
      z.strictObject({
        id: z.string(),
        layer: z.enum(["request", "remembered", "installation", "built-in"]),
        source: z.string().describe("Where a person finds it"),
        match: z.string().describe("Which failures it is for"),
        does: z.string(),
        ...each(text, "category", "meaning"),
      }),
    )
    .describe("Of each layer the row that fits best proposes; the first layer that has one decides"),
});

const replayedSchema = named("PolicyReplayed", {
  request_name: z.string(),
  ...each(z.string(), "unit", "node"),
  cluster: z.int(),
  site: text,
  exit_code: z.int(),
  before: z.strictObject({ at: z.string(), ...ruled }).describe("What was decided when it ended"),
  present: z.strictObject(ruled).describe("What the policy in force would decide now"),
  differs: z.boolean(),
});

export const policy = {
  explain: {
    ...reads("/policy/explain", "What the retry policy makes of an exit code, and why", {
      query: explainQuery,
      answer: explainedSchema,
    }),
    answers: { 200: explainedSchema, ...itemErrors },
  },
  rows: {
    ...reads("/policy", "Every row of the retry policy in force, those that win over others first", {
      query: z.strictObject({ request: nameText.optional().describe("with the handlers of this request") }),
      answer: rowsSchema,
    }),
    answers: { 200: rowsSchema, ...itemErrors },
  },
  replay: {
    ...reads("/requests/:name/replay", "The last attempt of a node, decided again with the policy in force", {
      params: nameParams,
      query: z.strictObject({
        unit: unitText.describe("a work unit, like mg_000003, or a job of a graph"),
        node: unitText.describe("a node within its unit, like proc_000021"),
      }),
      answer: replayedSchema,
    }),
    answers: { 200: replayedSchema, ...changeErrors },
  },
};
