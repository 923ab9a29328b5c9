import type { RequestName, WorkflowId } from "../domain/names.ts";
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

  countByStatus: () => countBy(sql, "workflows", "status"),
});
