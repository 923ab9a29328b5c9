import type { AuditRecord } from "../core/operator.ts";
import { json, pageByNumber, Table, Where } from "./columns.ts";
import type { AuditStore } from "./operator-port.ts";
import type { Sql } from "./sql.ts";

const AUDIT = new Table<AuditRecord>("audit", "id::text at actor action subject reason detail outcome");

/** What was done, by whom and why. Only ever added to. */
export const auditStore = (sql: Sql): AuditStore => ({
  async add({ key, at, actor, action, subject, reason, detail, outcome }) {
    const added = await sql.query(
      `INSERT INTO audit (key, at, actor, action, subject, reason, detail, outcome)
       VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8) ON CONFLICT (key) DO NOTHING RETURNING 1`,
      [key ?? null, at, actor, action, subject, reason, json(detail), outcome],
    );
    return added.length > 0;
  },

  list: ({ subject, ...page }) => pageByNumber(sql, AUDIT, new Where().and("subject = ?", subject), page),
});
