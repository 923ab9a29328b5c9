import { invariant } from "../core/base/errors.ts";
import { groupBy } from "../core/base/group-by.ts";
import type { NewNodeAction, NodeAction, NodeReservation } from "../core/operator.ts";
import { BULK_ROWS, chunks, isRowNumber, Table, Where } from "./columns.ts";
import type { NodeActionStore } from "./operator-port.ts";
import type { Sql } from "./sql.ts";

const NEW = "dag_id unit node kind attempt epoch actor reason changes created_at";
const ACTIONS = new Table<NodeAction>("node_actions", `id::text ${NEW} applied_at`);
const COLUMNS = NEW.replaceAll(" ", ", ");

export const nodeActionStore = (sql: Sql): NodeActionStore => ({
  async reserveMany(actions) {
    const answers: NodeReservation[] = [];
    for (const part of chunks(actions, BULK_ROWS)) answers.push(...(await reservePart(sql, part)));
    return answers;
  },

  ofWorkflow: (workflowId) =>
    ACTIONS.select(sql, "JOIN dags d ON d.id = node_actions.dag_id WHERE d.workflow_id = $1 ORDER BY node_actions.id", [
      workflowId,
    ]),

  markApplied: (ids, at) =>
    sql.transaction(async (tx) => {
      let applied = 0;
      for (const part of chunks(ids.filter(isRowNumber), BULK_ROWS)) {
        const rows = await tx.query(
          "UPDATE node_actions SET applied_at = $2 WHERE id = ANY($1::bigint[]) AND applied_at IS NULL RETURNING 1",
          [part, at],
        );
        applied += rows.length;
      }
      return applied;
    }),

  list(dagId, unit, node) {
    const where = new Where().and("dag_id = ?", dagId).and("unit = ?", unit).and("node = ?", node);
    return ACTIONS.select(sql, `${where} ORDER BY node_actions.id DESC`, where.values);
  },
});

type Attempt = Pick<NewNodeAction, "dagId" | "unit" | "node" | "attempt">;
const attemptKey = ({ dagId, unit, node, attempt }: Attempt): string => JSON.stringify([dagId, unit, node, attempt]);

/**
 * The unique indexes decide who comes first; whoever comes later reads what stands. In order of the attempts, so
 * that two calls with many of the same never wait for each other in a circle.
 */
async function reservePart(sql: Sql, actions: readonly NewNodeAction[]): Promise<readonly NodeReservation[]> {
  const given = ACTIONS.json(actions);
  const added = await sql.query<NodeAction>(
    `INSERT INTO node_actions (${COLUMNS})
     SELECT ${COLUMNS} FROM ${ACTIONS.given("$1")} WITH ORDINALITY AS g
     ORDER BY dag_id COLLATE "C", unit COLLATE "C", node COLLATE "C", attempt, ordinality
     ON CONFLICT DO NOTHING RETURNING ${ACTIONS.fields}`,
    [given],
  );
  const fresh = new Map(added.map((action) => [`${action.kind} ${attemptKey(action)}`, action]));
  const rows =
    added.length < actions.length
      ? await ACTIONS.select(
          sql,
          `JOIN (SELECT DISTINCT dag_id, unit, node, attempt FROM ${ACTIONS.given("$1")}) g
           USING (dag_id, unit, node, attempt)`,
          [given],
        )
      : [];
  const standing = groupBy(rows, attemptKey);
  return actions.map((action): NodeReservation => {
    const key = attemptKey(action);
    const reserved = fresh.get(`${action.kind} ${key}`);
    if (reserved && fresh.delete(`${action.kind} ${key}`)) return { kind: "reserved", action: reserved };
    const others = standing.get(key) ?? [];
    const equal = others.find(({ kind }) => kind === action.kind);
    if (equal) return { kind: "already", action: equal };
    const opposite = others.find(({ kind }) => kind !== "resubmit");
    invariant(opposite, `the reservation for ${action.node} of ${action.unit} vanished`);
    return { kind: "conflict", action: opposite };
  });
}
