import { invariant } from "../base/errors.ts";
import type { EngineIntent } from "../domain/dag.ts";
import type { DagId } from "../domain/names.ts";
import type { IntentStore } from "./port.ts";
import type { Sql } from "./sql.ts";

const INTENT = `dag_id AS "dagId", kind, batch_name AS "batchName", status, tries, last_error AS "lastError",
  created_at AS "createdAt", settled_at AS "settledAt"`;

export function intentStore(sql: Sql): IntentStore {
  const get = async (dagId: DagId, kind: EngineIntent["kind"]): Promise<EngineIntent | null> => {
    const found = await sql.query<EngineIntent>(
      `SELECT ${INTENT} FROM engine_intents WHERE dag_id = $1 AND kind = $2`,
      [dagId, kind],
    );
    return found[0] ?? null;
  };
  return {
    get,
    getMany: async (dagIds, kind) => {
      const found = await sql.query<EngineIntent>(
        `SELECT ${INTENT} FROM engine_intents WHERE dag_id = ANY($1::text[]) AND kind = $2`,
        [dagIds, kind],
      );
      return new Map(found.map((intent) => [intent.dagId, intent]));
    },
    begin: async ({ dagId, kind, batchName, at }) => {
      await sql.query(
        `INSERT INTO engine_intents (dag_id, kind, batch_name, created_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (dag_id, kind) DO NOTHING`,
        [dagId, kind, batchName, at],
      );
      const intent = await get(dagId, kind);
      invariant(intent, `the intent to ${kind} ${dagId} vanished`);
      return intent;
    },
    tried: async (dagId, kind, error) => {
      await sql.query(
        `UPDATE engine_intents SET tries = tries + 1, last_error = $3
         WHERE dag_id = $1 AND kind = $2 AND status = 'pending'`,
        [dagId, kind, error],
      );
    },
    // The first answer stands: an intent that is settled stays so.
    settle: async (dagId, kind, status, at) => {
      await sql.query(
        `UPDATE engine_intents SET status = $3, settled_at = $4
         WHERE dag_id = $1 AND kind = $2 AND status = 'pending'`,
        [dagId, kind, status, at],
      );
    },
  };
}
