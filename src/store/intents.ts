import type { EngineIntent } from "../domain/dag.ts";
import type { DagId } from "../domain/names.ts";
import { Table } from "./columns.ts";
import type { Sql } from "./sql.ts";

type Kind = EngineIntent["kind"];
const INTENTS = new Table<EngineIntent>(
  "engine_intents",
  "dag_id kind batch_name status tries last_error created_at settled_at",
);

export const intentStore = (sql: Sql) => ({
  /** Of many DAGs in one query; those without one are not in the answer. */
  async getMany(dagIds: readonly DagId[], kind: Kind): Promise<ReadonlyMap<DagId, EngineIntent>> {
    const found = await INTENTS.select(sql, "WHERE dag_id = ANY($1::text[]) AND kind = $2", [dagIds, kind]);
    return new Map(found.map((intent) => [intent.dagId, intent]));
  },

  /** Stores the intent; one that is there for this dag and kind stands, but for one that was refused: it begins anew. */
  async begin(dagId: DagId, kind: Kind, batchName: string, at: Date): Promise<void> {
    await sql.query(
      `INSERT INTO engine_intents (dag_id, kind, batch_name, created_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (dag_id, kind) DO UPDATE SET status = 'pending', settled_at = NULL
       WHERE engine_intents.status = 'refused'`,
      [dagId, kind, batchName, at],
    );
  },

  async tried(dagId: DagId, kind: Kind, error: string | null): Promise<void> {
    await sql.query(
      `UPDATE engine_intents SET tries = tries + 1, last_error = $3
       WHERE dag_id = $1 AND kind = $2 AND status = 'pending'`,
      [dagId, kind, error],
    );
  },

  /** The first answer stands: an intent that is settled stays so. */
  async settle(dagId: DagId, kind: Kind, status: "settled" | "refused", at: Date): Promise<void> {
    await sql.query(
      `UPDATE engine_intents SET status = $3, settled_at = $4 WHERE dag_id = $1 AND kind = $2 AND status = 'pending'`,
      [dagId, kind, status, at],
    );
  },
});
