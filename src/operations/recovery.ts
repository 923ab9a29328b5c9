import { z } from "zod";
import { RECOVERY_ACTIONS, USUAL_RECOVERY } from "../core/recover.ts";
import { dryRunQuery, idParams, nameParams, reasonText } from "./inputs.ts";
import { actErrors, changeErrors, changes, reads } from "./operation.ts";
import { each, named, strings, time } from "./wire.ts";

const number = z.number().nullable();
const factor = (usual: number) => z.number().min(1).max(10).default(usual).describe(`1 to 10; ${usual} when left out`);

const recoverSchema = named("Recover", {
  memory_factor: factor(USUAL_RECOVERY.memoryFactor),
  time_factor: factor(USUAL_RECOVERY.timeFactor),
  max_memory_mb: z.int().min(1).max(1e8).optional().describe("no job gets more; the installation's limit holds too"),
  max_wall_minutes: z
    .number()
    .min(1)
    .max(1e6)
    .optional()
    .describe("no job gets longer; the installation's limit holds too"),
  only: z
    .array(z.string().max(300))
    .min(1)
    .max(10_000)
    .optional()
    .describe("nodes, work units, or jobs of a graph by name; all when left out"),
  reason: reasonText.optional(),
  dry_run: z.boolean().optional().describe("true: only say what would be done"),
});

const recoveredNode = z.strictObject({
  ...each(z.string(), "unit", "node"),
  job: z.string().nullable().optional().describe("What the person called a job of a graph"),
  cause: z.string().nullable().describe("as the ledger recorded it"),
  exit_code: z.int(),
  action: z
    .enum(RECOVERY_ACTIONS)
    .describe(
      "raise: it gets more · again: as it was · ceiling: there is no more to give · unknown: a person has to look",
    ),
  ...each(number, "had_memory_mb", "had_wall_minutes", "gets_memory_mb", "gets_wall_minutes"),
  reason: z.string(),
});
export type RecoveredNodeView = z.infer<typeof recoveredNode>;

const recoveredSchema = named("Recovered", {
  request_name: z.string(),
  dry_run: z.boolean(),
  already: z.boolean().describe("It was asked for before; nothing was changed"),
  ...each(z.int(), "raised", "again", "ceiling", "unknown"),
  nodes: z.array(recoveredNode).describe("Those that run again first; at most 1000"),
  more: z.int().describe("Nodes beyond those listed"),
  message: z.string(),
});

const groupsSchema = named("FailureGroups", {
  request_name: z.string(),
  failures: z.int(),
  not_read: z.int().describe("Failures whose logs were not looked at: there are too many"),
  groups: z.array(
    z.strictObject({
      key: z.string().describe("Give it to classify as group"),
      failures: z.int(),
      unclassified: z.int().describe("Of them, those that wait for a person to say what they mean"),
      why_not: z.string().nullable().describe("Why nobody can classify them now; null: somebody can"),
      cause: z.string().nullable(),
      exit_code: z.int(),
      lines: strings.describe("What all their logs say"),
      example: z.strictObject({
        ...each(z.string(), "unit", "node", "at", "reason"),
        job: z.string().nullable().optional().describe("What the person called a job of a graph"),
      }),
      nodes: strings.describe("The first of them; jobs of a graph by their names"),
    }),
  ),
});
export type FailureGroupsView = z.infer<typeof groupsSchema>;

export const ruleSchema = named("RememberedRule", {
  id: z.string(),
  action: z.enum(["retry", "fail"]),
  cause: z.string(),
  exit_code: z.int(),
  stderr: z.string().describe("What the end of the log has: a regular expression"),
  lines: strings,
  request_name: z.string().describe("Where it was seen"),
  ...each(z.string(), "actor", "reason"),
  created_at: time,
});
const ruleListSchema = named("RememberedRules", { items: z.array(ruleSchema) });

/** Failures that need no judgement, those that are alike, and what people said they mean for the runs to come. */
export const recovery = {
  recover: changes(
    "POST",
    "/requests/:name/recover",
    "Run jobs again that lacked memory or time, with more of it, and those whose host was lost; nothing else",
    {
      params: nameParams,
      query: dryRunQuery,
      body: recoverSchema.prefault({}),
      answers: { 200: recoveredSchema, 202: recoveredSchema, ...actErrors },
      note: "202: the loop carries it out. 200: a dry run, asked for before, or nothing qualifies. Unknown failures and those at the ceiling are listed and left alone.",
    },
  ),
  groups: reads("/requests/:name/groups", "The failures of the present run, those whose logs say the same together", {
    params: nameParams,
    answer: groupsSchema,
  }),
  rules: reads("/policy/rules", "Failures that people have classified for the runs to come, oldest first", {
    answer: ruleListSchema,
  }),
  forget: changes("DELETE", "/policy/rules/:id", "Withdraw a remembered rule: runs planned or rescued from now on", {
    params: idParams,
    query: dryRunQuery,
    answers: { 200: ruleSchema, ...changeErrors },
  }),
};
