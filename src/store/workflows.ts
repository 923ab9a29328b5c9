import type { DagId, WorkflowId } from "../core/names.ts";
import type { Workflow } from "../core/workflow.ts";
import { countBy, pageByTime, Table, Where } from "./columns.ts";
import type { WorkflowStore } from "./port.ts";
import type { Sql } from "./sql.ts";

const WORKFLOWS = new Table<Workflow>(
  "workflows",
  `id request_name status version round current_dag_id next_unit next_node next_block next_first_event next_first_lumi
   units_planned units_done share_planned last_done_at nodes_planned nodes_done events_done abandoned_events has_all_units step_metrics engine created_at updated_at`,
);

export const workflowStore = (sql: Sql): WorkflowStore => ({
  create: (workflow) => WORKFLOWS.insert(sql, workflow),

  get: (id) => WORKFLOWS.find(sql, "WHERE id = $1", [id]),

  forRequest: (name) => WORKFLOWS.find(sql, "WHERE request_name = $1", [name]),

  async forRequests(names) {
    const found = await WORKFLOWS.selectAmong(sql, "request_name", names);
    return new Map(found.map((workflow) => [workflow.requestName, workflow]));
  },

  list: (page) =>
    pageByTime((rest, params) => WORKFLOWS.select(sql, rest, params), new Where(), page, {
      column: "id",
      of: ({ id }) => id,
    }),

  async change(id, version, change) {
    const where = new Where().and("id = ?", id).and("version = ?::int", version);
    return (await WORKFLOWS.update(sql, change, where, ["version = version + 1"])) > 0;
  },

  runsOf: (engine) =>
    sql.query<{ workflowId: WorkflowId; dagId: DagId; submitDir: string }>(
      `SELECT dags.workflow_id AS "workflowId", dags.id AS "dagId", submit_dir AS "submitDir"
       FROM dags JOIN workflows ON workflows.id = workflow_id WHERE workflows.engine = $1 OR dags.engine = $1`,
      [engine],
    ),

  async renameEngine(ids, from, to) {
    for (const [table, id] of Object.entries({ dags: "workflow_id", workflows: "id" }))
      await sql.query(`UPDATE ${table} SET engine = $3 WHERE engine = $2 AND ${id} = ANY($1::text[])`, [ids, from, to]);
  },

  countByStatus: () => countBy(sql, "workflows", "status"),
});
