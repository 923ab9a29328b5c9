import type { WorkflowId } from "../core/names.ts";
import type { PendingFill } from "../core/products.ts";
import type { NodeId, NodeRow } from "../core/segments.ts";
import { BULK_ROWS, chunks, countBy, json, Table, Where } from "./columns.ts";
import type { SegmentNodeStore } from "./segment-port.ts";
import type { Sql } from "./sql.ts";

const COLUMNS =
  "id state epoch executions losses overruns transfers reason cause unit dag_id job retry_at made_sum made_of_sum version changed_at";
const NODES = new Table<NodeRow>("segment_nodes", COLUMNS);
const FILLS = new Table<PendingFill>("pending_fills", "choice actor reason asked_at");
const CHANGED = COLUMNS.split(" ")
  .filter((column) => column !== "id")
  .map((column) => `${column} = excluded.${column}`)
  .join(", ");

export const segmentNodeStore = (sql: Sql): SegmentNodeStore => ({
  ...fills(sql),

  async *rows(workflowId, state, first = "") {
    for (let after = first; ; ) {
      const where = new Where().and("workflow_id = ?", workflowId).and("id > ?", after).and("state = ?", state);
      const rows = await NODES.select(sql, `${where} ORDER BY id LIMIT ${BULK_ROWS}`, where.values);
      if (rows.length > 0) yield rows;
      if (rows.length < BULK_ROWS) return;
      after = rows.at(-1)!.id;
    }
  },

  async getMany(workflowId, ids) {
    const found = new Map<NodeId, NodeRow>();
    for (const part of chunks(ids, BULK_ROWS)) {
      const rows = await NODES.select(sql, "WHERE workflow_id = $1 AND id = ANY($2::text[])", [workflowId, part]);
      for (const row of rows) found.set(row.id, row);
    }
    return found;
  },

  countByState: (workflowId) => countBy(sql, "segment_nodes", "state", new Where().and("workflow_id = ?", workflowId)),

  // In the order of the ids, so that two writers never wait for each other in a circle.
  write: (workflowId, rows) =>
    sql.transaction(async (tx) => {
      const left = new Set(rows.map(({ id }) => id));
      const sorted = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      for (const part of chunks(sorted, BULK_ROWS))
        for (const { id } of await writePart(tx, workflowId, part)) left.delete(id);
      return left;
    }),
});

const fills = (sql: Sql): Pick<SegmentNodeStore, "pendingFill" | "askFill" | "endFill"> => ({
  pendingFill: (workflowId) => FILLS.find(sql, "WHERE workflow_id = $1", [workflowId]),

  // A row that is there is written as it was, so that it is locked and comes back.
  askFill: async (workflowId, { choice, actor, reason, askedAt }) =>
    (
      await sql.query<PendingFill>(
        `INSERT INTO pending_fills (workflow_id, choice, actor, reason, asked_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (workflow_id) DO UPDATE SET workflow_id = excluded.workflow_id RETURNING ${FILLS.fields}`,
        [workflowId, json(choice), actor, reason, askedAt],
      )
    )[0]!,

  endFill: async (workflowId, { askedAt }) =>
    void (await sql.query("DELETE FROM pending_fills WHERE workflow_id = $1 AND asked_at = $2", [workflowId, askedAt])),
});

const writePart = (tx: Sql, workflowId: WorkflowId, rows: readonly NodeRow[]) =>
  tx.query<{ id: NodeId }>(
    `INSERT INTO segment_nodes AS n (workflow_id, ${NODES.columns})
     SELECT $1, ${NODES.columns} FROM ${NODES.given("$2")} g
     WHERE g.version = 1 OR EXISTS (SELECT 1 FROM segment_nodes s WHERE s.workflow_id = $1 AND s.id = g.id)
     ON CONFLICT (workflow_id, id) DO UPDATE SET ${CHANGED} WHERE n.version = excluded.version - 1
     RETURNING n.id`,
    [workflowId, NODES.json(rows.map((row) => ({ ...row, version: row.version + 1 })))],
  );
