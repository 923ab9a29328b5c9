import type { UnitName } from "../domain/names.ts";
import type { FinishedUnit, UnitStatus } from "../domain/workflow.ts";
import { blockStore } from "./blocks.ts";
import { chunks, decodeCursor, encodeCursor, Params, pageOf } from "./columns.ts";
import type { UnitStore } from "./port.ts";
import { recordFinished } from "./record-finished.ts";
import type { Sql, SqlParam } from "./sql.ts";

const UNIT = `workflow_id AS "workflowId", name, dag_id AS "dagId", round, block_index AS "block", status, site,
  events, outputs, attempts, last_error AS "lastError", finished_at AS "finishedAt", registered_at AS "registeredAt"`;
type OutputRow = Awaited<ReturnType<UnitStore["outputs"]>>["items"][number];

/** Units carry their outputs: a statement of this many rows stays below some megabytes. */
const UNITS_PER_STATEMENT = 1_000;

export function unitStore(sql: Sql): UnitStore {
  const units = (rest: string, params: readonly SqlParam[]) =>
    sql.query<FinishedUnit>(`SELECT ${UNIT} FROM work_units ${rest}`, params);
  return {
    ...blockStore(sql),

    recordFinished: (finished) =>
      sql.transaction(async (tx) => {
        let added = 0;
        for (const part of chunks(finished, UNITS_PER_STATEMENT)) added += await recordFinished(tx, part);
        return added;
      }),

    finishedNames: async (workflowId) => {
      const rows = await sql.query<{ name: UnitName }>("SELECT name FROM work_units WHERE workflow_id = $1", [
        workflowId,
      ]);
      return new Set(rows.map(({ name }) => name));
    },

    owed: (workflowId, limit) =>
      units("WHERE workflow_id = $1 AND status = 'owed' ORDER BY attempts, name LIMIT $2", [workflowId, limit]),

    owedCounts: async (workflowIds) => {
      const rows = await sql.query<{ workflowId: string; count: number }>(
        `SELECT workflow_id AS "workflowId", count(*)::int AS count FROM work_units
         WHERE workflow_id = ANY($1::text[]) AND status = 'owed' GROUP BY workflow_id`,
        [workflowIds],
      );
      const found = new Map(rows.map(({ workflowId, count }) => [workflowId, count]));
      return new Map(workflowIds.map((id) => [id, found.get(id) ?? 0]));
    },

    countByStatus: async (workflowId) => {
      const rows = await sql.query<{ status: UnitStatus; count: number }>(
        "SELECT status, count(*)::int AS count FROM work_units WHERE workflow_id = $1 GROUP BY status",
        [workflowId],
      );
      const counts: Record<UnitStatus, number> = { owed: 0, registered: 0, invalidated: 0 };
      for (const { status, count } of rows) counts[status] = count;
      return counts;
    },

    // One statement, so that the unit and its block's count of registered units cannot differ after a crash.
    markRegistered: async (workflowId, unit, at) => {
      const moved = await sql.query(
        `WITH moved AS (
           UPDATE work_units SET status = 'registered', registered_at = $3::timestamptz, last_error = NULL
           WHERE workflow_id = $1 AND name = $2 AND status = 'owed' RETURNING block_index)
         UPDATE processing_blocks b SET
           units_registered = units_registered + 1,
           status = CASE WHEN status = 'open' AND units_registered + 1 + units_abandoned >= units_total
             THEN 'complete' ELSE status END,
           updated_at = $3::timestamptz
         FROM moved WHERE b.workflow_id = $1 AND b.block_index = moved.block_index RETURNING 1`,
        [workflowId, unit, at],
      );
      return moved.length > 0;
    },

    registrationFailed: async (workflowId, unit, words) => {
      await sql.query(
        `UPDATE work_units SET attempts = attempts + 1, last_error = $3
         WHERE workflow_id = $1 AND name = $2 AND status = 'owed'`,
        [workflowId, unit, words],
      );
    },

    outputs: async (workflowId, { limit, cursor }) => {
      const params = new Params();
      const where = [`w.workflow_id = ${params.add(workflowId)}`];
      if (cursor !== undefined) {
        const [unit, place] = decodeCursor(cursor);
        // The first condition is for the index; the second leaves out what was shown of that unit.
        const name = params.add(String(unit));
        where.push(`w.name >= ${name}`, `(w.name > ${name} OR o.place > ${params.add(Number(place))}::int)`);
      }
      const rows = await sql.query<{ name: UnitName; status: UnitStatus; place: number; output: OutputRow }>(
        `SELECT w.name, w.status, o.place::int AS place, o.output
         FROM work_units w CROSS JOIN LATERAL jsonb_array_elements(w.outputs) WITH ORDINALITY AS o (output, place)
         WHERE ${where.join(" AND ")} ORDER BY w.name, o.place LIMIT ${params.add(limit + 1)}`,
        params.values,
      );
      return pageOf(
        rows,
        limit,
        ({ name, status, output }) => ({ ...output, unit: name, status }),
        ({ name, place }) => encodeCursor(name, place),
      );
    },

    list: (workflowId) => units("WHERE workflow_id = $1 ORDER BY name", [workflowId]),
  };
}
