import { z } from "zod";
import { NODE_ACTION_KINDS } from "../core/operator.ts";
import { actedSchema, changesShape } from "./actions.ts";
import { dagSchema } from "./dags.ts";
import { dagParams, dryRunQuery, nameText, reasonText } from "./inputs.ts";
import { actErrors, changeErrors, changes } from "./operation.ts";
import { reasonOnlySchema } from "./operators.ts";
import { anything, each, named, time } from "./wire.ts";

const nodeActionSchema = named("NodeAction", {
  id: z.string().nullable().describe("null: a dry run, nothing is reserved"),
  ...each(z.string(), "request_name", "dag_id", "unit", "node"),
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
const retrySchema = named("RetryNode", {
  reason: reasonText.optional(),
  ...changesShape,
  attempt: z.int().min(0).max(1_000_000).optional().describe("the attempt that was seen to fail"),
  max_retries: z.int().min(0).max(1000).optional().describe("refuse when it was executed more often"),
  dry_run: z.boolean().optional(),
});

const nodePlace = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,199}(:[A-Za-z0-9][\w.-]{0,199})?$/, "not a node")
  .describe("a node like proc_000021, or with its unit: mg_000003:merge");

const RETRY = "Reserve one more attempt of a failed node: atomic, idempotent; its request resubmits it";
const retry = <P extends z.ZodObject>(path: string, params: P) =>
  changes("POST", path, RETRY, {
    params,
    query: dryRunQuery,
    body: retrySchema.prefault({}),
    answers: { 200: nodeActionSchema, 202: nodeActionSchema, ...actErrors },
  });
const changedDagSchema = dagSchema
  .extend({ dry_run: z.boolean(), message: z.string().describe("What is (or would be) done") })
  .meta({ id: "ChangedDag" });
const inEngine = (verb: string, about: string) =>
  changes("POST", `/dags/:id/${verb}`, about, {
    params: dagParams,
    query: dryRunQuery,
    body: reasonOnlySchema.prefault({}),
    answers: { 200: changedDagSchema, ...changeErrors },
  });
const ofRequest = (verb: string, action: string) =>
  changes("POST", `/dags/:id/${verb}`, `The same as ${action} of its request`, {
    params: dagParams,
    query: dryRunQuery,
    body: reasonOnlySchema.prefault({}),
    answers: { 200: actedSchema, 202: actedSchema, ...actErrors },
  });

export const dagActions = {
  retryInUnit: retry("/dags/:id/nodes/:unit/:node/retry", dagParams.extend({ unit: nameText, node: nameText })),
  retry: retry("/dags/:id/nodes/:name/retry", dagParams.extend({ name: nodePlace })),
  hold: inEngine("hold", "Pause a DAG in the engine"),
  release: inEngine("release", "Let a paused DAG go on"),
  remove: ofRequest("remove", "requeue"),
  rescue: ofRequest("rescue", "rescue"),
};
