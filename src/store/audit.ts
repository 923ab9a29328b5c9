import type { AuditRecord } from "../domain/operator.ts";
import { decodeNumberCursor, encodeNumberCursor, json, Params, pageOf } from "./columns.ts";
import type { AuditStore } from "./port.ts";
import type { Sql } from "./sql.ts";

/** What was done, by whom and why. Only ever added to. */
export function auditStore(sql: Sql): AuditStore {
  return {
    add: async ({ key, at, actor, action, subject, reason, detail, outcome }) => {
      const added = await sql.query(
        `INSERT INTO audit (key, at, actor, action, subject, reason, detail, outcome)
         VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8) ON CONFLICT (key) DO NOTHING RETURNING 1`,
        [key ?? null, at, actor, action, subject, reason, json(detail), outcome],
      );
      return added.length > 0;
    },
    list: async ({ subject, limit, cursor }) => {
      const params = new Params();
      const where: string[] = [];
      if (subject !== undefined) where.push(`subject = ${params.add(subject)}`);
      if (cursor !== undefined) where.push(`id < ${params.add(decodeNumberCursor("audit", cursor))}::bigint`);
      const rows = await sql.query<Omit<AuditRecord, "id"> & { id: bigint }>(
        `SELECT id, at, actor, action, subject, reason, detail, outcome FROM audit
         ${where.length > 0 ? `WHERE ${where.join(" AND ")}` : ""} ORDER BY id DESC LIMIT ${params.add(limit + 1)}`,
        params.values,
      );
      return pageOf(
        rows,
        limit,
        (row) => ({ ...row, id: row.id.toString() }),
        ({ id }) => encodeNumberCursor("audit", id),
      );
    },
  };
}
