import type { DagId, RequestName, WorkflowId } from "../domain/names.ts";
import type { Workflow } from "../domain/workflow.ts";
import { countBy, type Page, type PageWanted, pageByTime, Table, Where } from "./columns.ts";
import type { Sql } from "./sql.ts";

const WORKFLOWS = new Table<Workflow>(
  "workflows",
  `id request_name status version round current_dag_id next_unit next_node next_block next_first_event next_first_lumi
   units_planned units_done nodes_planned nodes_done events_done abandoned_events step_metrics engine created_at updated_at`,
);

export const workflowStore = (sql: Sql) => ({
  create: (workflow: Workflow): Promise<void> => WORKFLOWS.insert(sql, workflow),

  get: (id: WorkflowId) => WORKFLOWS.find(sql, "WHERE id = $1", [id]),

  forRequest: (name: RequestName) => WORKFLOWS.find(sql, "WHERE request_name = $1", [name]),

  /** Of many requests in one query; those without a workflow are not in the answer. */
  async forRequests(names: readonly RequestName[]): Promise<ReadonlyMap<RequestName, Workflow>> {
    const found = await WORKFLOWS.select(sql, "WHERE request_name = ANY($1::text[])", [names]);
    return new Map(found.map((workflow) => [workflow.requestName, workflow]));
  },

  /** Newest first. */
  list: (page: PageWanted): Promise<Page<Workflow>> =>
    pageByTime((rest, params) => WORKFLOWS.select(sql, rest, params), new Where(), page, {
      column: "id",
      of: ({ id }) => id,
    }),

  /** Compare-and-set on version. */
  async change(
    id: WorkflowId,
    version: number,
    change: Partial<Omit<Workflow, "id" | "requestName" | "version" | "createdAt">>,
  ): Promise<boolean> {
    const where = new Where().and("id = ?", id).and("version = ?::int", version);
    return (await WORKFLOWS.update(sql, change, where, ["version = version + 1"])) > 0;
  },

  /** Runs that are remembered as that engine's, of open requests and old ones. */
  runsOf: (engine: string) =>
    sql.query<{ workflowId: WorkflowId; dagId: DagId; submitDir: string }>(
      `SELECT dags.workflow_id AS "workflowId", dags.id AS "dagId", submit_dir AS "submitDir"
       FROM dags JOIN workflows ON workflows.id = workflow_id WHERE workflows.engine = $1 OR dags.engine = $1`,
      [engine],
    ),

  /** The same engine under another name, for these workflows and all their runs. */
  async renameEngine(ids: readonly WorkflowId[], from: string, to: string): Promise<void> {
    for (const [table, id] of Object.entries({ dags: "workflow_id", workflows: "id" }))
      await sql.query(`UPDATE ${table} SET engine = $3 WHERE engine = $2 AND ${id} = ANY($1::text[])`, [ids, from, to]);
  },

  countByStatus: () => countBy(sql, "workflows", "status"),
});
