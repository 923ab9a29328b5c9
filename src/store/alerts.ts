import type { Alert } from "../domain/dag.ts";
import type { AlertStore } from "./port.ts";
import type { Sql } from "./sql.ts";

export function alertStore(sql: Sql): AlertStore {
  return {
    raise: async ({ key, severity, subject, message, at }) => {
      await sql.query(
        `INSERT INTO alerts AS a (key, severity, subject, message, first_at, last_at)
         VALUES ($1, $2, $3, $4, $5, $5)
         ON CONFLICT (key) WHERE closed_at IS NULL DO UPDATE SET count = a.count + 1, severity = excluded.severity,
           subject = excluded.subject, message = excluded.message, last_at = excluded.last_at`,
        [key, severity, subject, message, at],
      );
    },
    close: async (key, at) => {
      await sql.query("UPDATE alerts SET closed_at = $2 WHERE key = $1 AND closed_at IS NULL", [key, at]);
    },
    open: async () => {
      const rows = await sql.query<Omit<Alert, "id"> & { id: bigint }>(
        `SELECT id, key, severity, subject, message, count, first_at AS "firstAt", last_at AS "lastAt",
           acknowledged_by AS "acknowledgedBy", closed_at AS "closedAt"
         FROM alerts WHERE closed_at IS NULL ORDER BY id`,
      );
      return rows.map((row) => ({ ...row, id: row.id.toString() }));
    },
  };
}
