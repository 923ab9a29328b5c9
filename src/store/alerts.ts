import type { Alert } from "../domain/dag.ts";
import type { AlertDelivery, AlertRecord } from "../domain/operator.ts";
import { isRowNumber, type Page, type PageWanted, pageByNumber, Table, Where } from "./columns.ts";
import type { Sql } from "./sql.ts";

const ALERTS = new Table<AlertRecord>(
  "alerts",
  `id::text key severity subject message count first_at last_at acknowledged_by acknowledged_at revision last_change
   closed_at`,
);

/**
 * An alert has a revision, and a sink has a row with the revision it knows: what differs is to be told. Whoever
 * tells writes down the revision it sent and not the present one, so that no change in between is lost.
 */
export const alertStore = (sql: Sql) => ({
  /** Opens an alert or counts up the open one of the same key. Sinks hear of it when it opens or its severity changes. */
  async raise({
    key,
    severity,
    subject,
    message,
    at,
  }: Pick<Alert, "key" | "severity" | "subject" | "message"> & { at: Date }): Promise<void> {
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

  async close(key: string, at: Date): Promise<void> {
    await sql.query(
      `UPDATE alerts SET closed_at = $2, revision = revision + 1, last_change = 'closed'
       WHERE key = $1 AND closed_at IS NULL`,
      [key, at],
    );
  },

  open: (): Promise<readonly Alert[]> => ALERTS.select(sql, "WHERE closed_at IS NULL ORDER BY alerts.id"),

  /** null also for what is no id at all. */
  get: async (id: string) => (isRowNumber(id) ? ALERTS.find(sql, "WHERE id = $1::bigint", [id]) : null),

  /** Newest first. `open` true: not closed; false: closed; absent: all. */
  list({ open, ...page }: PageWanted & { open?: boolean }): Promise<Page<AlertRecord>> {
    return pageByNumber(sql, ALERTS, new Where().and("(closed_at IS NULL) = ?", open), page);
  },

  /** false: no such alert, or closed, or acknowledged before (by whom stays). */
  async acknowledge(id: string, actor: string, at: Date): Promise<boolean> {
    if (!isRowNumber(id)) return false;
    const changed = await sql.query(
      `UPDATE alerts SET acknowledged_by = $2, acknowledged_at = $3, revision = revision + 1,
         last_change = 'acknowledged'
       WHERE id = $1::bigint AND closed_at IS NULL AND acknowledged_by IS NULL RETURNING 1`,
      [id, actor, at],
    );
    return changed.length > 0;
  },

  /**
   * What a sink has yet to be told, least often tried first: an alert whose revision is newer than the one it knows.
   * A closed alert is told only to a sink that heard, or was tried to be told, of it while it was open: a new sink
   * does not get the past.
   */
  async undelivered(sink: string, limit: number): Promise<readonly AlertDelivery[]> {
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

  /** The sink took this revision. Never goes back; the alert may have changed again since: then it comes again. */
  async delivered(delivery: { id: string; sink: string; revision: number; at: Date }): Promise<void> {
    await sql.query(
      `INSERT INTO alert_deliveries AS d (alert_id, sink, revision, tries, tried_at)
       VALUES ($1::bigint, $2, $3, 0, $4)
       ON CONFLICT (alert_id, sink) DO UPDATE SET revision = GREATEST(d.revision, excluded.revision), tries = 0,
         last_error = NULL, tried_at = excluded.tried_at`,
      [delivery.id, delivery.sink, delivery.revision, delivery.at],
    );
  },

  /** The sink did not take it: counted, and offered again. */
  async deliveryFailed(delivery: { id: string; sink: string; error: string; at: Date }): Promise<void> {
    await sql.query(
      `INSERT INTO alert_deliveries AS d (alert_id, sink, revision, tries, last_error, tried_at)
       VALUES ($1::bigint, $2, 0, 1, $3, $4)
       ON CONFLICT (alert_id, sink) DO UPDATE SET tries = d.tries + 1, last_error = excluded.last_error,
         tried_at = excluded.tried_at`,
      [delivery.id, delivery.sink, delivery.error, delivery.at],
    );
  },
});
