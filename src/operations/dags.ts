import { z } from "zod";
import { DAG_STATUSES } from "../core/dag.ts";
import { describeJobStates, JOB_STATES } from "../core/job-state.ts";
import { NODE_STATES } from "../core/run.ts";
import { dagParams, idText, limitUpTo, nameText, paging, pagingUpTo, repeatable, unitText } from "./inputs.ts";
import { itemErrors, reads } from "./operation.ts";
import { anything, byWord, each, named, paged, pageOf, strings, time } from "./wire.ts";

/** The API's names for our tally; idle + running + held + done + failed = total. */
export const nodeCounts = {
  total_nodes: z.int(),
  node_counts: byWord.describe("By role"),
  nodes_idle: z.int().describe("Waiting or blocked: not submitted to the engine yet, or in its queue without a place"),
  nodes_running: z.int().describe("Their job runs, or is being checked"),
  nodes_held: z.int().describe("With the engine, which will not run them until something changes"),
  nodes_done: z.int(),
  nodes_failed: z.int(),
};
const unitTally = z.strictObject({ ...each(z.int(), "total", "waiting", "running", "done", "failed") });

export const dagSchema = named("Dag", {
  id: z.string(),
  workflow_id: z.string(),
  round: z.int(),
  status: z.enum(DAG_STATUSES),
  engine: z.string(),
  engine_id: z.string().nullable().describe("The engine's own id of the run (DAGMan's cluster)"),
  submit_dir: z.string(),
  dag_file_path: z.string(),
  parent_dag_id: z.string().nullable().describe("The DAG this one continues"),
  ...nodeCounts,
  work_units: unitTally,
  stop_requested_at: time.nullable(),
  stop_reason: z.string().nullable(),
  end_reason: z.string().nullable().describe("How it ended"),
  version: z.int(),
  created_at: time,
  submitted_at: time.nullable(),
  completed_at: time.nullable(),
});
export type DagView = z.infer<typeof dagSchema>;
const dagPageSchema = pageOf("DagPage", dagSchema);

const dagEventSchema = z.strictObject({ type: z.string(), detail: anything, at: time });
const dagDetailSchema = dagSchema
  .extend({ request_name: z.string().nullable(), history: z.array(dagEventSchema) })
  .meta({ id: "DagDetail" });
const state = z.enum(JOB_STATES).describe(describeJobStates());
const nodeSchema = named("Node", {
  unit: z.string().nullable(),
  node: z.string(),
  job: z.string().optional().describe("What the person called a job of a graph"),
  state,
  engine_state: z.enum(NODE_STATES).describe("The engine's own word for it, as DAGMan has them"),
  idle: z.boolean().describe("In the engine's queue without a place to run"),
  retries: z.int(),
  detail: z.string().describe("What there is to say of its state"),
  side: z
    .strictObject({ ...each(z.string(), "dag_id", "by", "reason"), status: z.enum(DAG_STATUSES) })
    .optional()
    .describe("The side run in which this failed job runs again, or did: its state is the one it has there"),
});
export type NodeRowView = z.infer<typeof nodeSchema>;
const nodePageSchema = named("NodePage", {
  ...paged(nodeSchema),
  total: z.int().describe("Nodes that match the filters"),
  by_state: z.partialRecord(state, z.int()).describe("The same, by state"),
});

const unitRowSchema = named("UnitRow", {
  unit: z.string(),
  job: z.string().optional().describe("What the person called a job of a graph"),
  state: z.enum(["waiting", "running", "done", "failed"]),
  ...each(z.int(), "nodes", "done", "failed", "running", "held", "retries"),
});
export type UnitRowView = z.infer<typeof unitRowSchema>;
const unitPageSchema = named("UnitPage", { ...paged(unitRowSchema), total: z.int() });
const UNIT_PAINTS = ["states", "sites", "codes", "tries", "ages"] as const;
const painted = z.strictObject({ legend: strings, of: z.array(z.int()) });
const unitMapSchema = named("UnitMap", {
  dag_id: z.string(),
  total: z.int(),
  runs: z
    .array(z.tuple([z.string(), z.int(), z.int()]))
    .describe('Their names in order: prefix, first number, how many; ["mg_", 3, 2] is mg_000003, mg_000004'),
  states: z.string().describe("A letter for each unit: w waits, r has begun, d done, f failed"),
  ledgers_read: z.int().describe("Of how many units the ledgers were read: at most 5000"),
  sites: painted.optional().describe("For each unit, where it ran last, as a place in the legend"),
  codes: painted.optional().describe('The exit code of its last failure; "0": none, "": not read'),
  tries: z.array(z.int()).optional().describe("Attempts of its jobs; 0: none, or not read"),
  ages: z.array(z.int()).optional().describe("Seconds since it finished or was last tried; -1: never"),
});
export type UnitMapView = z.infer<typeof unitMapSchema>;
const unitGraphSchema = named("UnitGraph", {
  dag_id: z.string(),
  unit: z.string(),
  nodes: z.array(nodeSchema),
  edges: z
    .array(z.strictObject({ from: strings, to: strings }))
    .describe("Each of `to` waits for each of `from`; empty for a job of a graph"),
});

const fileSchema = z.strictObject({ name: z.string(), path: z.string(), size_bytes: z.number(), modified_at: time });
const logsSchema = named("Logs", {
  dag_id: z.string(),
  submit_dir: z.string(),
  files: z.array(fileSchema).describe("Log files of the DAG, the unit or the node asked about"),
  unit: z.string().nullable(),
  node: z.string().nullable(),
  cluster: z.string().nullable().describe("The attempt shown: the engine's id of the job; the newest unless asked"),
  clusters: strings.describe("All attempts that left files, oldest first"),
  tails: z.array(
    z.strictObject({
      name: z.string(),
      path: z.string(),
      size_bytes: z.number(),
      lines: strings,
      truncated: z.boolean().describe("There is more above"),
    }),
  ),
});
export type LogsView = z.infer<typeof logsSchema>;

const listQuery = z.strictObject({
  ...paging,
  status: repeatable(DAG_STATUSES),
  workflow_id: idText.optional().describe("only DAGs of this workflow: its id"),
  request: nameText.optional().describe("only DAGs of this request: its name"),
});
const unit = nameText.optional().describe("a work unit, like mg_000000");
const node = nameText.optional().describe("a node within its unit, like proc_000000 or merge");
const manyPaging = pagingUpTo(10_000, 1000);
const logsQuery = z.strictObject({
  unit: unitText.optional().describe("a work unit, like mg_000000, or a graph's job by its name"),
  node,
  cluster: z
    .string()
    .regex(/^\d{1,15}$/, "not an id")
    .optional()
    .describe("an attempt out of `clusters`; the newest when left out"),
  lines: limitUpTo(5000, 200),
});
const params = dagParams;
export const dags = {
  list: {
    ...reads("/dags", "DAGs, newest first", { query: listQuery, answer: dagPageSchema }),
    answers: { 200: dagPageSchema, ...itemErrors },
  },
  show: reads("/dags/:id", "One DAG: its numbers and its history", { params, answer: dagDetailSchema }),
  nodes: reads("/dags/:id/nodes", "The nodes of a DAG, live from the engine", {
    params,
    query: z.strictObject({ ...manyPaging, state: repeatable(JOB_STATES), unit }),
    answer: nodePageSchema,
  }),
  units: reads("/dags/:id/units", "The work units of a DAG with their nodes counted, live from the engine", {
    params,
    query: z.strictObject(manyPaging),
    answer: unitPageSchema,
  }),
  map: reads(
    "/dags/:id/map",
    "Every work unit of a DAG in one small answer: a letter each, and what to paint them by",
    { params, query: z.strictObject({ as: repeatable(UNIT_PAINTS) }), answer: unitMapSchema },
  ),
  unit: reads("/dags/:id/units/:unit", "The DAG of one unit: its nodes with their states, and what waits for what", {
    params: z.strictObject({ ...params.shape, unit: unitText }),
    answer: unitGraphSchema,
  }),
  logs: reads("/dags/:id/logs", "Where the logs are; with unit and node, the end of what that node wrote", {
    params,
    query: logsQuery,
    answer: logsSchema,
  }),
};
