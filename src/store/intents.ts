import type { EngineIntent } from "../core/dag.ts";
import { Table } from "./columns.ts";
import type { IntentStore } from "./port.ts";
import type { Sql } from "./sql.ts";

const INTENTS = new Table<EngineIntent>(
  "engine_intents",
  "dag_id kind batch_name status tries last_error created_at settled_at",
);

export const intentStore = (sql: Sql): IntentStore => ({
  async getMany(dagIds, kind) {
    const found = await INTENTS.select(sql, "WHERE dag_id = ANY($1::text[]) AND kind = $2", [dagIds, kind]);
    return new Map(found.map((intent) => [intent.dagId, intent]));
  },

  async begin(dagId, kind, batchName, at) {
    await sql.query(
      `INSERT INTO engine_intents (dag_id, kind, batch_name, created_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (dag_id, kind) DO UPDATE SET status = 'pending', settled_at = NULL
       WHERE engine_intents.status = 'refused'`,
      [dagId, kind, batchName, at],
    );
  },

  async tried(dagId, kind, error) {
    await sql.query(
      `UPDATE engine_intents SET tries = tries + 1, last_error = $3
       WHERE dag_id = $1 AND kind = $2 AND status = 'pending'`,
      [dagId, kind, error],
    );
  },

  async close(dagId, kind, status, at) {
    await sql.query(
      `UPDATE engine_intents SET status = $3, settled_at = $4 WHERE dag_id = $1 AND kind = $2 AND status = 'pending'`,
      [dagId, kind, status, at],
    );
  },
});
