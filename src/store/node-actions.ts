import { invariant } from "../base/errors.ts";
import type { NewNodeAction, NodeAction, NodeReservation } from "../domain/operator.ts";
import {
  BULK_ROWS,
  chunks,
  decodeNumberCursor,
  encodeNumberCursor,
  isRowNumber,
  json,
  Params,
  pageOf,
} from "./columns.ts";
import type { NodeActionStore } from "./port.ts";
import type { Sql, SqlParam } from "./sql.ts";

const ACTION = `n.id, n.dag_id AS "dagId", n.unit, n.node, n.kind, n.attempt, n.epoch, n.actor, n.reason, n.changes,
  n.created_at AS "createdAt", n.applied_at AS "appliedAt"`;

type Row = Omit<NodeAction, "id"> & { id: bigint };
const record = (row: Row): NodeAction => ({ ...row, id: row.id.toString() });

export function nodeActionStore(sql: Sql): NodeActionStore {
  const select = (rest: string, params: readonly SqlParam[]) =>
    sql.query<Row>(`SELECT ${ACTION} FROM node_actions n ${rest}`, params);

  const reserveMany = async (actions: readonly NewNodeAction[]): Promise<readonly NodeReservation[]> => {
    const answers: NodeReservation[] = [];
    for (const part of chunks(actions, BULK_ROWS)) answers.push(...(await reservePart(sql, part)));
    return answers;
  };
  return {
    reserveMany,
    reserve: async (action) => {
      const [answer] = await reserveMany([action]);
      invariant(answer, "a reservation without an answer");
      return answer;
    },
    pending: async (of) => {
      const rows =
        "dagId" in of
          ? await select("WHERE dag_id = $1 AND applied_at IS NULL ORDER BY id", [of.dagId])
          : await select(
              `JOIN dags d ON d.id = n.dag_id WHERE d.workflow_id = $1 AND n.applied_at IS NULL ORDER BY n.id`,
              [of.workflowId],
            );
      return rows.map(record);
    },
    pendingCounts: async (dagIds) => {
      const rows = await sql.query<{ dagId: string; count: number }>(
        `SELECT dag_id AS "dagId", count(*)::int AS count FROM node_actions
         WHERE dag_id = ANY($1::text[]) AND applied_at IS NULL GROUP BY dag_id`,
        [dagIds],
      );
      const found = new Map(rows.map(({ dagId, count }) => [dagId, count]));
      return new Map(dagIds.map((id) => [id, found.get(id) ?? 0]));
    },
    markApplied: (ids, at) =>
      sql.transaction(async (tx) => {
        let applied = 0;
        for (const part of chunks(ids.filter(isRowNumber), BULK_ROWS)) {
          const rows = await tx.query(
            `UPDATE node_actions SET applied_at = $2
             WHERE id = ANY($1::bigint[]) AND applied_at IS NULL RETURNING 1`,
            [part, at],
          );
          applied += rows.length;
        }
        return applied;
      }),
    list: async ({ dagId, unit, node, limit, cursor }) => {
      const params = new Params();
      const where = [`dag_id = ${params.add(dagId)}`];
      if (unit !== undefined) where.push(`unit = ${params.add(unit)}`);
      if (node !== undefined) where.push(`node = ${params.add(node)}`);
      if (cursor !== undefined) where.push(`id < ${params.add(decodeNumberCursor("node-actions", cursor))}::bigint`);
      const rows = await select(
        `WHERE ${where.join(" AND ")} ORDER BY id DESC LIMIT ${params.add(limit + 1)}`,
        params.values,
      );
      return pageOf(rows, limit, record, ({ id }) => encodeNumberCursor("node-actions", id));
    },
  };
}

type Attempt = Pick<NewNodeAction, "dagId" | "unit" | "node" | "attempt">;
const attemptKey = ({ dagId, unit, node, attempt }: Attempt): string => JSON.stringify([dagId, unit, node, attempt]);

/**
 * The unique indexes decide who comes first; whoever comes later reads what stands. In order of the attempts, so
 * that two calls with many of the same never wait for each other in a circle.
 */
async function reservePart(sql: Sql, actions: readonly NewNodeAction[]): Promise<readonly NodeReservation[]> {
  const given = json(actions.map((action, place) => ({ ...action, place })));
  const added = await sql.query<Row>(
    `INSERT INTO node_actions AS n (dag_id, unit, node, kind, attempt, epoch, actor, reason, changes, created_at)
     SELECT "dagId", unit, node, kind, attempt, epoch, actor, reason, changes, "createdAt"
     FROM json_to_recordset($1::json) AS g ("dagId" text, unit text, node text, kind text, attempt int, epoch int,
       actor text, reason text, changes jsonb, "createdAt" timestamptz, place int)
     ORDER BY "dagId" COLLATE "C", unit COLLATE "C", node COLLATE "C", attempt, place
     ON CONFLICT DO NOTHING RETURNING ${ACTION}`,
    [given],
  );
  const fresh = new Map(added.map((row) => [`${row.kind} ${attemptKey(row)}`, record(row)]));
  const standing = new Map<string, NodeAction[]>();
  if (added.length < actions.length) {
    const rows = await sql.query<Row>(
      `SELECT ${ACTION} FROM node_actions n JOIN (
         SELECT DISTINCT "dagId", unit, node, attempt
         FROM json_to_recordset($1::json) AS g ("dagId" text, unit text, node text, attempt int)) g
       ON n.dag_id = g."dagId" AND n.unit = g.unit AND n.node = g.node AND n.attempt = g.attempt`,
      [given],
    );
    for (const row of rows) {
      const key = attemptKey(row);
      standing.set(key, [...(standing.get(key) ?? []), record(row)]);
    }
  }
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
