import type { RememberedRule } from "../core/rule.ts";
import { Table } from "./columns.ts";
import type { RuleStore } from "./operator-port.ts";
import type { Sql } from "./sql.ts";

const RULES = new Table<RememberedRule>(
  "remembered_rules",
  "id action cause exit_code stderr lines request_name actor reason created_at",
);

export const ruleStore = (sql: Sql): RuleStore => ({
  list: () => RULES.select(sql, "ORDER BY created_at, id"),

  async remember(rule) {
    const added = await sql.query<RememberedRule>(
      `INSERT INTO remembered_rules (${RULES.columns}) SELECT ${RULES.columns} FROM ${RULES.given("$1")}
       ON CONFLICT (id) DO NOTHING RETURNING ${RULES.fields}`,
      [RULES.json([rule])],
    );
    if (added[0]) return { kind: "remembered", rule: added[0] };
    const standing = await RULES.find(sql, "WHERE id = $1", [rule.id]);
    // Withdrawn in between: the next one to ask is the first again.
    return standing ? { kind: standing.action === rule.action ? "already" : "conflict", rule: standing } : null;
  },

  async forget(id) {
    const text = `DELETE FROM remembered_rules WHERE id = $1 RETURNING ${RULES.fields}`;
    return (await sql.query<RememberedRule>(text, [id]))[0] ?? null;
  },
});
