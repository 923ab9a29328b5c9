import type { WorkflowId } from "../domain/names.ts";
import type { WorkflowRecord } from "../domain/operator.ts";
import { assignments, decodePlace, encodeCursor, jsonOrNull, Params, pageOf, same } from "./columns.ts";
import type { WorkflowStore } from "./port.ts";
import type { Sql, SqlParam } from "./sql.ts";

const plain = same<SqlParam>;
const COLUMNS = {
  id: ["id", plain],
  requestName: ["request_name", plain],
  status: ["status", plain],
  version: ["version", plain],
  round: ["round", plain],
  currentDagId: ["current_dag_id", plain],
  nextUnit: ["next_unit", plain],
  nextNode: ["next_node", plain],
  nextBlock: ["next_block", plain],
  nextFirstEvent: ["next_first_event", plain],
  nextFirstLumi: ["next_first_lumi", plain],
  unitsPlanned: ["units_planned", plain],
  unitsDone: ["units_done", plain],
  nodesPlanned: ["nodes_planned", plain],
  nodesDone: ["nodes_done", plain],
  eventsDone: ["events_done", plain],
  abandonedEvents: ["abandoned_events", plain],
  stepMetrics: ["step_metrics", jsonOrNull],
  createdAt: ["created_at", plain],
  updatedAt: ["updated_at", plain],
} as const satisfies Record<keyof WorkflowRecord, readonly [string, (value: never) => SqlParam]>;

const KEYS = Object.keys(COLUMNS) as (keyof WorkflowRecord)[];
const SELECTED = KEYS.map((key) => `${COLUMNS[key][0]} AS "${key}"`).join(", ");

export function workflowStore(sql: Sql): WorkflowStore {
  const select = (rest: string, params: readonly SqlParam[]) =>
    sql.query<WorkflowRecord>(`SELECT ${SELECTED} FROM workflows ${rest}`, params);
  return {
    create: async (workflow) => {
      const params = new Params();
      const record: WorkflowRecord = { ...workflow, abandonedEvents: workflow.abandonedEvents ?? 0n };
      const values = KEYS.map((key) => params.add(COLUMNS[key][1](record[key] as never)));
      const columns = KEYS.map((key) => COLUMNS[key][0]).join(", ");
      await sql.query(`INSERT INTO workflows (${columns}) VALUES (${values.join(", ")})`, params.values);
    },
    get: async (id) => (await select("WHERE id = $1", [id]))[0] ?? null,
    forRequest: async (name) => (await select("WHERE request_name = $1", [name]))[0] ?? null,
    forRequests: async (names) => {
      const found = await select("WHERE request_name = ANY($1::text[])", [names]);
      return new Map(found.map((workflow) => [workflow.requestName, workflow]));
    },
    list: async ({ limit, cursor }) => {
      const params = new Params();
      const place = cursor === undefined ? null : decodePlace(cursor);
      const after = place
        ? `WHERE (created_at, id) < (${params.add(place.at)}::timestamptz, ${params.add(place.key)}::text)`
        : "";
      const rows = await select(
        `${after} ORDER BY created_at DESC, id DESC LIMIT ${params.add(limit + 1)}`,
        params.values,
      );
      return pageOf(
        rows,
        limit,
        (row) => row,
        (row) => encodeCursor(row.createdAt.toISOString(), row.id),
      );
    },
    change: async (id, version, change) => {
      const params = new Params();
      const key = params.add(id);
      const old = params.add(version);
      const sets = [...assignments(change, COLUMNS, params), "version = version + 1"];
      const changed = await sql.query<{ id: WorkflowId }>(
        `UPDATE workflows SET ${sets.join(", ")} WHERE id = ${key} AND version = ${old}::int RETURNING id`,
        params.values,
      );
      return changed.length > 0;
    },
    countByStatus: async () => {
      const rows = await sql.query<{ status: string; count: number }>(
        "SELECT status, count(*)::int AS count FROM workflows GROUP BY status",
      );
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    },
  };
}
