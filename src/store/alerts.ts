import type { AlertDelivery, AlertRecord } from "../domain/operator.ts";
import { decodeNumberCursor, encodeNumberCursor, isRowNumber, Params, pageOf } from "./columns.ts";
import type { AlertStore } from "./port.ts";
import type { Sql, SqlParam } from "./sql.ts";

const ALERT = `a.id, a.key, a.severity, a.subject, a.message, a.count, a.first_at AS "firstAt", a.last_at AS "lastAt",
  a.acknowledged_by AS "acknowledgedBy", a.acknowledged_at AS "acknowledgedAt", a.revision,
  a.last_change AS "lastChange", a.closed_at AS "closedAt"`;

type Row = Omit<AlertRecord, "id"> & { id: bigint };
type DeliveryRow = Row & Omit<AlertDelivery, "alert">;

const record = (row: Row): AlertRecord => ({ ...row, id: row.id.toString() });

/**
 * An alert has a revision, and a sink has a row with the revision it knows: what differs is to be told. Whoever
 * tells writes down the revision it sent and not the present one, so that no change in between is lost.
 */
export function alertStore(sql: Sql): AlertStore {
  const select = (rest: string, params: readonly SqlParam[] = []) =>
    sql.query<Row>(`SELECT ${ALERT} FROM alerts a ${rest}`, params);
  return {
    raise: async ({ key, severity, subject, message, at }) => {
      await sql.query(
        `INSERT INTO alerts AS a (key, severity, subject, message, first_at, last_at)
         VALUES ($1, $2, $3, $4, $5, $5)
         ON CONFLICT (key) WHERE closed_at IS NULL DO UPDATE SET count = a.count + 1, severity = excluded.severity,
           subject = excluded.subject, message = excluded.message, last_at = excluded.last_at,
           revision = a.revision + (a.severity <> excluded.severity)::int,
           last_change = CASE WHEN a.severity <> excluded.severity THEN 'severity' ELSE a.last_change END`,
        [key, severity, subject, message, at],
      );
    },
    close: async (key, at) => {
      await sql.query(
        `UPDATE alerts SET closed_at = $2, revision = revision + 1, last_change = 'closed'
         WHERE key = $1 AND closed_at IS NULL`,
        [key, at],
      );
    },
    open: async () => (await select("WHERE closed_at IS NULL ORDER BY id")).map(record),
    get: async (id) => {
      const [found] = isRowNumber(id) ? await select("WHERE id = $1::bigint", [id]) : [];
      return found ? record(found) : null;
    },
    list: async ({ open, limit, cursor }) => {
      const params = new Params();
      const where: string[] = [];
      if (open !== undefined) where.push(`closed_at IS ${open ? "" : "NOT"} NULL`);
      if (cursor !== undefined) where.push(`id < ${params.add(decodeNumberCursor("alerts", cursor))}::bigint`);
      const rows = await select(
        `${where.length > 0 ? `WHERE ${where.join(" AND ")}` : ""} ORDER BY id DESC LIMIT ${params.add(limit + 1)}`,
        params.values,
      );
      return pageOf(rows, limit, record, ({ id }) => encodeNumberCursor("alerts", id));
    },
    acknowledge: async (id, actor, at) => {
      if (!isRowNumber(id)) return false;
      const changed = await sql.query(
        `UPDATE alerts SET acknowledged_by = $2, acknowledged_at = $3, revision = revision + 1,
           last_change = 'acknowledged'
         WHERE id = $1::bigint AND closed_at IS NULL AND acknowledged_by IS NULL RETURNING 1`,
        [id, actor, at],
      );
      return changed.length > 0;
    },
    undelivered: async (sink, limit) => {
      const rows = await sql.query<DeliveryRow>(
        `SELECT ${ALERT}, COALESCE(d.revision, 0) AS told, COALESCE(d.tries, 0) AS tries, d.tried_at AS "triedAt",
           d.last_error AS "lastError"
         FROM alerts a LEFT JOIN alert_deliveries d ON d.alert_id = a.id AND d.sink = $1
         WHERE a.revision > COALESCE(d.revision, 0) AND (a.closed_at IS NULL OR d.alert_id IS NOT NULL)
         ORDER BY COALESCE(d.tries, 0), a.id LIMIT $2`,
        [sink, limit],
      );
      return rows.map(({ told, tries, triedAt, lastError, ...row }) => ({
        alert: record(row),
        told,
        tries,
        triedAt,
        lastError,
      }));
    },
    delivered: async ({ id, sink, revision, at }) => {
      await sql.query(
        `INSERT INTO alert_deliveries AS d (alert_id, sink, revision, tries, tried_at)
         VALUES ($1::bigint, $2, $3, 0, $4)
         ON CONFLICT (alert_id, sink) DO UPDATE SET revision = GREATEST(d.revision, excluded.revision), tries = 0,
           last_error = NULL, tried_at = excluded.tried_at`,
        [id, sink, revision, at],
      );
    },
    deliveryFailed: async ({ id, sink, error, at }) => {
      await sql.query(
        `INSERT INTO alert_deliveries AS d (alert_id, sink, revision, tries, last_error, tried_at)
         VALUES ($1::bigint, $2, 0, 1, $3, $4)
         ON CONFLICT (alert_id, sink) DO UPDATE SET tries = d.tries + 1, last_error = excluded.last_error,
           tried_at = excluded.tried_at`,
        [id, sink, error, at],
      );
    },
  };
}
