import type { DagRecord } from "../domain/operator.ts";
import { assignments, decodePlace, encodeCursor, json, Params, pageOf, same } from "./columns.ts";
import type { DagStore } from "./port.ts";
import type { Sql, SqlParam } from "./sql.ts";

const plain = same<SqlParam>;
const COLUMNS = {
  id: ["id", plain],
  workflowId: ["workflow_id", plain],
  round: ["round", plain],
  status: ["status", plain],
  version: ["version", plain],
  submitDir: ["submit_dir", plain],
  parentDagId: ["parent_dag_id", plain],
  rescueKind: ["rescue_kind", plain],
  engineId: ["engine_id", plain],
  engine: ["engine", plain],
  roleCounts: ["role_counts", json],
  nodes: ["nodes", json],
  units: ["units", json],
  stopRequestedAt: ["stop_requested_at", plain],
  stopReason: ["stop_reason", plain],
  endReason: ["end_reason", plain],
  createdAt: ["created_at", plain],
  submittedAt: ["submitted_at", plain],
  endedAt: ["ended_at", plain],
} as const satisfies Record<keyof DagRecord, readonly [string, (value: never) => SqlParam]>;

const KEYS = Object.keys(COLUMNS) as (keyof DagRecord)[];
const SELECTED = KEYS.map((key) => `${COLUMNS[key][0]} AS "${key}"`).join(", ");
// As in the partial index.
const IS_OPEN = "status IN ('planning', 'ready', 'submitted', 'running')";

export function dagStore(sql: Sql): DagStore {
  const select = (rest: string, params: readonly SqlParam[] = []) =>
    sql.query<DagRecord>(`SELECT ${SELECTED} FROM dags ${rest}`, params);
  return {
    create: async (dag) => {
      const params = new Params();
      const record: DagRecord = { ...dag, rescueKind: dag.rescueKind ?? null };
      const values = KEYS.map((key) => params.add(COLUMNS[key][1](record[key] as never)));
      const columns = KEYS.map((key) => COLUMNS[key][0]).join(", ");
      await sql.query(`INSERT INTO dags (${columns}) VALUES (${values.join(", ")})`, params.values);
    },
    get: async (id) => (await select("WHERE id = $1", [id]))[0] ?? null,
    getMany: async (ids) => new Map((await select("WHERE id = ANY($1::text[])", [ids])).map((dag) => [dag.id, dag])),
    countRescues: async (workflowId, round, kind) => {
      const [found] = await sql.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM dags WHERE workflow_id = $1 AND round = $2 AND rescue_kind = $3`,
        [workflowId, round, kind],
      );
      return found?.count ?? 0;
    },
    list: async ({ workflowId, status, limit, cursor }) => {
      const params = new Params();
      const where: string[] = [];
      if (workflowId !== undefined) where.push(`workflow_id = ${params.add(workflowId)}`);
      if (status) where.push(`status = ANY(${params.add(status)}::text[])`);
      if (cursor !== undefined) {
        const { at, key } = decodePlace(cursor);
        where.push(`(created_at, id) < (${params.add(at)}::timestamptz, ${params.add(key)}::text)`);
      }
      const rows = await select(
        `${where.length > 0 ? `WHERE ${where.join(" AND ")}` : ""}
         ORDER BY created_at DESC, id DESC LIMIT ${params.add(limit + 1)}`,
        params.values,
      );
      return pageOf(
        rows,
        limit,
        (row) => row,
        (row) => encodeCursor(row.createdAt.toISOString(), row.id),
      );
    },
    open: () => select(`WHERE ${IS_OPEN} ORDER BY created_at, id`),
    // As for requests: `seen` is the row before, and a concurrent change makes the update find nothing.
    change: async (id, version, change, why) => {
      const params = new Params();
      const key = params.add(id);
      const old = params.add(version);
      const sets = [...assignments(change, COLUMNS, params), "version = version + 1"];
      const event = `INSERT INTO dag_history (dag_id, type, detail, at)
        SELECT seen.id, 'moved',
          jsonb_build_object('from', seen.status, 'to', changed.status, 'reason', ${params.add(why.reason)}::text),
          ${params.add(why.at)}::timestamptz
        FROM changed, seen WHERE seen.status <> changed.status`;
      const changed = await sql.query(
        `WITH seen AS (SELECT id, status FROM dags WHERE id = ${key}),
         changed AS (
           UPDATE dags SET ${sets.join(", ")} WHERE id = ${key} AND version = ${old}::int RETURNING status),
         event AS (${event})
         SELECT 1 FROM changed`,
        params.values,
      );
      return changed.length > 0;
    },
    progress: async (id, nodes, units) => {
      await sql.query(
        `UPDATE dags SET nodes = $2::jsonb, units = $3::jsonb
         WHERE id = $1 AND (nodes, units) IS DISTINCT FROM ($2::jsonb, $3::jsonb)`,
        [id, json(nodes), json(units)],
      );
    },
    history: (id) =>
      sql.query(`SELECT dag_id AS "dagId", type, detail, at FROM dag_history WHERE dag_id = $1 ORDER BY id`, [id]),
    addEvent: async ({ dagId, type, detail, at }) => {
      await sql.query("INSERT INTO dag_history (dag_id, type, detail, at) VALUES ($1, $2, $3::jsonb, $4)", [
        dagId,
        type,
        json(detail),
        at,
      ]);
    },
  };
}
