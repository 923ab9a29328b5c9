import type { AlertDelivery, AlertRecord } from "../core/operator.ts";
import { isRowNumber, pageByNumber, Table, Where } from "./columns.ts";
import type { AlertStore, OpenAlerts } from "./operator-port.ts";
import type { Sql } from "./sql.ts";

const ALERTS = new Table<AlertRecord>(
  "alerts",
  `id::text key severity subject message count first_at last_at acknowledged_by acknowledged_at revision last_change
   closed_at`,
);

export const alertStore = (sql: Sql): AlertStore => ({ ...alerts(sql), ...deliveries(sql) });

const alerts = (sql: Sql): Omit<AlertStore, keyof Deliveries> => ({
  async raise({ key, severity, subject, message, at }) {
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

  async close(key, at) {
    await sql.query(
      `UPDATE alerts SET closed_at = $2, revision = revision + 1, last_change = 'closed'
       WHERE key = $1 AND closed_at IS NULL`,
      [key, at],
    );
  },

  open: () => ALERTS.select(sql, "WHERE closed_at IS NULL ORDER BY alerts.id"),

  get: async (id) => (isRowNumber(id) ? ALERTS.find(sql, "WHERE id = $1::bigint", [id]) : null),

  list({ open, ...page }) {
    return pageByNumber(sql, ALERTS, new Where().and("(closed_at IS NULL) = ?", open), page);
  },

  async countOpen() {
    const [found] = await sql.query<OpenAlerts>(
      `SELECT count(*)::int AS open, count(*) FILTER (WHERE key LIKE 'held:%')::int AS "ofHeld",
         count(*) FILTER (WHERE severity = 'critical')::int AS critical FROM alerts WHERE closed_at IS NULL`,
    );
    return found ?? { open: 0, ofHeld: 0, critical: 0 };
  },

  async acknowledge(id, actor, at) {
    if (!isRowNumber(id)) return false;
    const changed = await sql.query(
      `UPDATE alerts SET acknowledged_by = $2, acknowledged_at = $3, revision = revision + 1,
         last_change = 'acknowledged'
       WHERE id = $1::bigint AND closed_at IS NULL AND acknowledged_by IS NULL RETURNING 1`,
      [id, actor, at],
    );
    return changed.length > 0;
  },
});

type Deliveries = Pick<AlertStore, "undelivered" | "delivered" | "deliveryFailed">;

/**
 * An alert has a revision, and a sink has a row with the revision it knows: what differs is to be told. Whoever
 * tells writes down the revision it sent and not the present one, so that no change in between is lost.
 */
const deliveries = (sql: Sql): Deliveries => ({
  async undelivered(sink, limit) {
    const rows = await sql.query<AlertRecord & Omit<AlertDelivery, "alert">>(
      `SELECT ${ALERTS.fields}, COALESCE(d.revision, 0) AS told, COALESCE(d.tries, 0) AS tries,
         d.tried_at AS "triedAt", d.last_error AS "lastError"
       FROM alerts LEFT JOIN alert_deliveries d ON d.alert_id = alerts.id AND d.sink = $1
       WHERE alerts.revision > COALESCE(d.revision, 0) AND (closed_at IS NULL OR d.alert_id IS NOT NULL)
       ORDER BY COALESCE(d.tries, 0), alerts.id LIMIT $2`,
      [sink, limit],
    );
    return rows.map(({ told, tries, triedAt, lastError, ...alert }) => ({ alert, told, tries, triedAt, lastError }));
  },

  async delivered(delivery) {
    await sql.query(
      `INSERT INTO alert_deliveries AS d (alert_id, sink, revision, tries, tried_at)
       VALUES ($1::bigint, $2, $3, 0, $4)
       ON CONFLICT (alert_id, sink) DO UPDATE SET revision = GREATEST(d.revision, excluded.revision), tries = 0,
         last_error = NULL, tried_at = excluded.tried_at`,
      [delivery.id, delivery.sink, delivery.revision, delivery.at],
    );
  },

  async deliveryFailed(delivery) {
    await sql.query(
      `INSERT INTO alert_deliveries AS d (alert_id, sink, revision, tries, last_error, tried_at)
       VALUES ($1::bigint, $2, 0, 1, $3, $4)
       ON CONFLICT (alert_id, sink) DO UPDATE SET tries = d.tries + 1, last_error = excluded.last_error,
         tried_at = excluded.tried_at`,
      [delivery.id, delivery.sink, delivery.error, delivery.at],
    );
  },
});
