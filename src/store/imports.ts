import type { ImportRecord } from "../core/import.ts";
import { pageByTime, Table, Where } from "./columns.ts";
import type { ImportStore } from "./import-port.ts";
import { IS_OPEN } from "./requests.ts";
import type { Sql } from "./sql.ts";

const IMPORTS = new Table<ImportRecord>(
  "imports",
  `name outcome reasons document changes their_status told_status tries last_error next_try_at created_at looked_at`,
);

export const importStore = (sql: Sql): ImportStore => ({
  async record(record) {
    const { columns } = IMPORTS;
    const updates = columns.split(", ").map((column) => `${column} = excluded.${column}`);
    await sql.query(
      `INSERT INTO imports (${columns}) SELECT ${columns} FROM ${IMPORTS.given("$1")}
       ON CONFLICT (name) DO UPDATE SET ${updates.join(", ")}`,
      [IMPORTS.json([record])],
    );
  },

  get: (name) => IMPORTS.find(sql, "WHERE name = $1", [name]),

  async known(names) {
    const rows = await sql.query<{ name: string }>("SELECT name FROM imports WHERE name = ANY($1::text[])", [names]);
    return new Set(rows.map(({ name }) => name));
  },

  list: ({ outcome, ...page }) =>
    pageByTime((rest, params) => IMPORTS.select(sql, rest, params), new Where().and("outcome = ?", outcome), page, {
      column: "name",
      of: ({ name }) => name,
    }),

  trouble: () =>
    IMPORTS.select(
      sql,
      "WHERE outcome = 'refused' OR last_error IS NOT NULL OR changes <> '[]'::jsonb ORDER BY name LIMIT 1000",
    ),

  async forget(assigned) {
    const gone = await sql.query(
      "DELETE FROM imports WHERE outcome <> 'imported' AND NOT name = ANY($1::text[]) RETURNING 1",
      [assigned],
    );
    return gone.length;
  },

  leastLookedAt: (limit) =>
    IMPORTS.select(
      sql,
      `JOIN requests USING (name) WHERE outcome = 'imported' AND ${IS_OPEN} ORDER BY looked_at, name LIMIT $1`,
      [limit],
    ),

  async untold(now, limit) {
    const rows = await sql.query<ImportRecord & { status: never }>(
      `SELECT ${IMPORTS.fields}, requests.status FROM imports JOIN requests USING (name)
       WHERE outcome = 'imported' AND requests.status IS DISTINCT FROM told_status
         AND (next_try_at IS NULL OR next_try_at <= $1 OR next_try_at > $1 + interval '1 day') ORDER BY next_try_at NULLS FIRST, name LIMIT $2`,
      [now, limit],
    );
    return rows.map(({ status, ...record }) => ({ record, status }));
  },

  async change(name, change) {
    await IMPORTS.update(sql, change, new Where().and("name = ?", name));
  },
});
