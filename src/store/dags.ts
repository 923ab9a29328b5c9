import type { Dag, DagEvent, DagStatus, NodeTally, RescueKind, UnitTally } from "../domain/dag.ts";
import type { DagId, WorkflowId } from "../domain/names.ts";
import { json, type Page, type PageWanted, pageByTime, Table, Where } from "./columns.ts";
import type { Sql } from "./sql.ts";

const DAGS = new Table<Dag>(
  "dags",
  `id workflow_id round status version submit_dir parent_dag_id rescue_kind engine_id engine role_counts nodes units
   stop_requested_at stop_reason end_reason created_at submitted_at ended_at`,
);
const EVENTS = new Table<DagEvent>("dag_history", "dag_id type detail at");
// As in the partial index.
const IS_OPEN = "status IN ('planning', 'ready', 'submitted', 'running')";

export const dagStore = (sql: Sql) => ({
  create: (dag: Dag): Promise<void> => DAGS.insert(sql, dag),

  get: (id: DagId) => DAGS.find(sql, "WHERE id = $1", [id]),

  /** Many in one query; those that do not exist are not in the answer. */
  getMany: async (ids: readonly DagId[]): Promise<ReadonlyMap<DagId, Dag>> =>
    new Map((await DAGS.select(sql, "WHERE id = ANY($1::text[])", [ids])).map((dag) => [dag.id, dag])),

  /** How many rescues of a kind a round has had. */
  async countRescues(workflowId: WorkflowId, round: number, kind: RescueKind): Promise<number> {
    const [found] = await sql.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM dags WHERE workflow_id = $1 AND round = $2 AND rescue_kind = $3",
      [workflowId, round, kind],
    );
    return found?.count ?? 0;
  },

  /** All of a workflow, newest first. */
  ofWorkflow: (workflowId: WorkflowId) =>
    DAGS.select(sql, "WHERE workflow_id = $1 ORDER BY created_at DESC, id DESC", [workflowId]),

  /** Newest first. */
  list({
    workflowId,
    status,
    ...page
  }: PageWanted & { workflowId?: WorkflowId; status?: readonly DagStatus[] }): Promise<Page<Dag>> {
    const where = new Where().and("workflow_id = ?", workflowId).and("status = ANY(?::text[])", status);
    const key = { column: "id", of: ({ id }: Dag) => id };
    return pageByTime((rest, params) => DAGS.select(sql, rest, params), where, page, key);
  },

  /** Those an engine may have: planning, ready, submitted, running. */
  open: () => DAGS.select(sql, `WHERE ${IS_OPEN} ORDER BY created_at, id`),

  /**
   * Compare-and-set on version; a change of status leaves a history row. As for requests: `seen` is the row before,
   * and a concurrent change makes the update find nothing.
   */
  async change(
    id: DagId,
    version: number,
    change: Partial<
      Pick<Dag, "status" | "engineId" | "stopRequestedAt" | "stopReason" | "endReason" | "submittedAt" | "endedAt">
    >,
    why: { reason: string; at: Date },
  ): Promise<boolean> {
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

  /**
   * A ticket to submit it with, newer than all before; null: it moved on since it was seen. Taking one is a change of its
   * version, so nobody ends the DAG behind the back of a submission. By the database's clock: a later run of the same
   * directory has the higher ticket, also in a database that was restored from a backup.
   */
  async takeTicket({ id, version }: Pick<Dag, "id" | "version">): Promise<number | null> {
    const [taken] = await sql.query<{ ticket: bigint }>(
      `UPDATE dags SET version = version + 1,
         ticket = greatest(ticket + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
       WHERE id = $1 AND version = $2::int AND status = 'ready' RETURNING ticket`,
      [id, version],
    );
    return taken ? Number(taken.ticket) : null;
  },

  /** Progress counters: last writer wins, no version. Writes nothing when nothing differs. */
  async progress(id: DagId, nodes: NodeTally, units: UnitTally): Promise<void> {
    await sql.query(
      `UPDATE dags SET nodes = $2::jsonb, units = $3::jsonb
       WHERE id = $1 AND (nodes, units) IS DISTINCT FROM ($2::jsonb, $3::jsonb)`,
      [id, json(nodes), json(units)],
    );
  },

  /** What planning had to tell of a round: what it raised or lowered, and what nobody knows. */
  async planWarnings({ id, round }: { id: WorkflowId; round: number }): Promise<readonly string[]> {
    const found = await sql.query<{ warnings: string[] }>(
      `SELECT detail -> 'warnings' AS warnings FROM dag_history
       WHERE type = 'planned' AND dag_id IN (SELECT id FROM dags WHERE workflow_id = $1 AND round = $2) ORDER BY id`,
      [id, round],
    );
    return found.flatMap(({ warnings }) => warnings);
  },

  history: (id: DagId) => EVENTS.select(sql, "WHERE dag_id = $1 ORDER BY id", [id]),

  addEvent: (event: DagEvent): Promise<void> => EVENTS.insert(sql, event),
});
