import type { Dag, DagEvent } from "../core/dag.ts";
import { json, pageByTime, Table, Where } from "./columns.ts";
import type { DagStore } from "./port.ts";
import type { Sql } from "./sql.ts";

const DAGS = new Table<Dag>(
  "dags",
  `id workflow_id round status version submit_dir parent_dag_id rescue_kind engine_id engine role_counts nodes units
   stop_requested_at stop_reason end_reason created_at submitted_at ended_at`,
);
const EVENTS = new Table<DagEvent>("dag_history", "dag_id type detail at");
// As in the partial index.
const IS_OPEN = "status IN ('planning', 'ready', 'submitted', 'running')";

export const dagStore = (sql: Sql): DagStore => ({ ...reads(sql), ...changes(sql), ...history(sql) });

const reads = (sql: Sql): Omit<DagStore, keyof Changes | keyof History> => ({
  get: (id) => DAGS.find(sql, "WHERE id = $1", [id]),

  getMany: async (ids) => new Map((await DAGS.selectAmong(sql, "id", ids)).map((dag) => [dag.id, dag])),

  async countRescues(workflowId, round, kind) {
    const [found] = await sql.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM dags WHERE workflow_id = $1 AND round = $2 AND rescue_kind = $3",
      [workflowId, round, kind],
    );
    return found?.count ?? 0;
  },

  ofWorkflow: (workflowId) =>
    DAGS.select(sql, "WHERE workflow_id = $1 ORDER BY created_at DESC, id DESC", [workflowId]),

  sidesOf: (ids) =>
    DAGS.select(sql, "WHERE parent_dag_id = ANY($1::text[]) AND rescue_kind = 'side' ORDER BY created_at, id", [ids]),

  list({ workflowId, status, ...page }) {
    const where = new Where().and("workflow_id = ?", workflowId).and("status = ANY(?::text[])", status);
    const key = { column: "id", of: ({ id }: Dag) => id };
    return pageByTime((rest, params) => DAGS.select(sql, rest, params), where, page, key);
  },

  open: () => DAGS.select(sql, `WHERE ${IS_OPEN} ORDER BY created_at, id`),

  async countOpen() {
    const [found] = await sql.query<{ number: number }>(`SELECT count(*)::int AS number FROM dags WHERE ${IS_OPEN}`);
    return found?.number ?? 0;
  },
});

type Changes = Pick<DagStore, "create" | "change" | "takeTicket" | "progress">;

const changes = (sql: Sql): Changes => ({
  create: (dag) => DAGS.insert(sql, dag),

  // As for requests: `seen` is the row before, and a concurrent change makes the update find nothing.
  async change(id, version, change, why) {
    const where = new Where().and("id = ?", id).and("version = ?::int", version);
    const sets = [...DAGS.sets(change, where), "version = version + 1"];
    const changed = await sql.query(
      `WITH seen AS (SELECT id, status FROM dags WHERE id = $1),
       changed AS (UPDATE dags SET ${sets.join(", ")} ${where} RETURNING status),
       event AS (
         INSERT INTO dag_history (dag_id, type, detail, at)
         SELECT seen.id, 'moved',
           jsonb_build_object('from', seen.status, 'to', changed.status, 'reason', ${where.add(why.reason)}::text),
           ${where.add(why.at)}::timestamptz
         FROM changed, seen WHERE seen.status <> changed.status)
       SELECT 1 FROM changed`,
      where.values,
    );
    return changed.length > 0;
  },

  async takeTicket({ id, version }) {
    const [taken] = await sql.query<{ ticket: bigint }>(
      `UPDATE dags SET version = version + 1,
         ticket = greatest(ticket + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
       WHERE id = $1 AND version = $2::int AND status = 'ready' RETURNING ticket`,
      [id, version],
    );
    return taken ? Number(taken.ticket) : null;
  },

  async progress(id, nodes, units) {
    await sql.query(
      `UPDATE dags SET nodes = $2::jsonb, units = $3::jsonb
       WHERE id = $1 AND (nodes, units) IS DISTINCT FROM ($2::jsonb, $3::jsonb)`,
      [id, json(nodes), json(units)],
    );
  },
});

type History = Pick<DagStore, "planWarnings" | "history" | "addEvent">;

const history = (sql: Sql): History => ({
  async planWarnings({ id, round }) {
    const found = await sql.query<{ warnings: string[] }>(
      `SELECT detail -> 'warnings' AS warnings FROM dag_history
       WHERE type = 'planned' AND dag_id IN (SELECT id FROM dags WHERE workflow_id = $1 AND round = $2) ORDER BY id`,
      [id, round],
    );
    return found.flatMap(({ warnings }) => warnings);
  },

  history: (id) => EVENTS.select(sql, "WHERE dag_id = $1 ORDER BY id", [id]),

  addEvent: (event) => EVENTS.insert(sql, event),
});
