import type { UnitName, WorkflowId } from "../core/names.ts";
import type { Block } from "../core/workflow.ts";
import { BULK_ROWS, chunks, countBy, json, Table } from "./columns.ts";
import type { BlockStore } from "./port.ts";
import type { Sql } from "./sql.ts";

const BLOCKS = new Table<Block>(
  "processing_blocks",
  "workflow_id block_index=index dataset status units_total units_done units_abandoned created_at updated_at",
);

/** A block is open until each of its units is registered, invalidated or abandoned. */
export const blockStore = (sql: Sql): BlockStore => ({
  ...accounts(sql),

  async createBlocks(workflowId, blocks, at) {
    await sql.query(
      `INSERT INTO processing_blocks (workflow_id, block_index, dataset, units_total, created_at, updated_at)
       SELECT $1, given."index", given.dataset, given.units, $3::timestamptz, $3::timestamptz
       FROM json_to_recordset($2::json) AS given ("index" int, dataset text, units int)
       ON CONFLICT (workflow_id, block_index) DO UPDATE
         SET dataset = excluded.dataset, units_total = excluded.units_total, updated_at = excluded.updated_at
         WHERE processing_blocks.units_done = 0 AND processing_blocks.units_abandoned = 0`,
      [workflowId, json(blocks), at],
    );
  },

  blocks: (workflowId) => BLOCKS.select(sql, "WHERE workflow_id = $1 ORDER BY block_index", [workflowId]),

  blockCountByStatus: () => countBy(sql, "processing_blocks", "status"),

  abandonUnits: (workflowId, units, at) =>
    sql.transaction(async (tx) => {
      await lockWorkflow(tx, workflowId);
      let added = 0;
      for (const part of chunks(units, BULK_ROWS)) added += await abandonPart(tx, workflowId, part, at);
      return added;
    }),

  invalidate: (workflowId, units, reason, at) =>
    sql.transaction(async (tx) => {
      await lockWorkflow(tx, workflowId);
      return invalidate(tx, workflowId, units, reason, at);
    }),

  async failBlocks(workflowId, at) {
    const moved = await sql.query(
      `UPDATE processing_blocks SET status = 'failed', updated_at = $2
       WHERE workflow_id = $1 AND status = 'open' RETURNING 1`,
      [workflowId, at],
    );
    return moved.length;
  },
});

/** What was planned, against what became of it. */
const accounts = (sql: Sql): Pick<BlockStore, "unaccounted" | "dropBlocks" | "abandonedNames"> => ({
  async unaccounted(workflowId) {
    const [found] = await sql.query<{ units: number }>(
      `SELECT coalesce(sum(greatest(units_total - units_done - units_abandoned, 0)), 0)::int AS units
       FROM processing_blocks WHERE workflow_id = $1`,
      [workflowId],
    );
    return found?.units ?? 0;
  },

  async dropBlocks(workflowId, from) {
    await sql.query(
      `DELETE FROM processing_blocks
       WHERE workflow_id = $1 AND block_index >= $2 AND units_done = 0 AND units_abandoned = 0`,
      [workflowId, from],
    );
  },

  async abandonedNames(workflowId) {
    const rows = await sql.query<{ name: UnitName }>("SELECT name FROM abandoned_units WHERE workflow_id = $1", [
      workflowId,
    ]);
    return new Set(rows.map(({ name }) => name));
  },
});

/** As recordFinished does: of two that change the units of a workflow, the later sees what the first did. */
export const lockWorkflow = (tx: Sql, workflowId: WorkflowId) =>
  tx.query("SELECT 1 FROM workflows WHERE id = $1 FOR NO KEY UPDATE", [workflowId]);

async function abandonPart(
  tx: Sql,
  workflowId: WorkflowId,
  units: readonly { name: UnitName; block: number }[],
  at: Date,
): Promise<number> {
  const [found] = await tx.query<{ count: number }>(
    `WITH added AS (
       INSERT INTO abandoned_units (workflow_id, name, block_index)
       SELECT $1, g.name, g.block FROM json_to_recordset($2::json) AS g (name text, block int)
       WHERE NOT EXISTS (SELECT 1 FROM work_units w WHERE w.workflow_id = $1 AND w.name = g.name)
       ON CONFLICT DO NOTHING RETURNING block_index),
     counted AS (SELECT block_index, count(*)::int AS units FROM added GROUP BY block_index),
     blocks AS (
       UPDATE processing_blocks b SET
         units_abandoned = b.units_abandoned + c.units,
         status = CASE WHEN b.status = 'open' AND b.units_registered + b.units_abandoned + c.units >= b.units_total
           THEN 'complete' ELSE b.status END,
         updated_at = $3::timestamptz
       FROM counted c WHERE b.workflow_id = $1 AND b.block_index = c.block_index)
     SELECT count(*)::int AS count FROM added`,
    [workflowId, json(units), at],
  );
  return found?.count ?? 0;
}

/**
 * The rows are locked before they are counted: a unit that is being registered at this moment is counted for its block
 * by one side only. An open block stays open while units of it may still come, unless all are given up.
 */
async function invalidate(
  tx: Sql,
  workflowId: WorkflowId,
  units: readonly UnitName[] | "all",
  reason: string,
  at: Date,
): Promise<number> {
  const chosen = "workflow_id = $1 AND status <> 'invalidated' AND ($2::text[] IS NULL OR name = ANY($2::text[]))";
  const names = units === "all" ? null : units;
  await tx.query(`SELECT count(*) FROM (SELECT 1 FROM work_units WHERE ${chosen} ORDER BY name FOR UPDATE) AS locked`, [
    workflowId,
    names,
  ]);
  const [found] = await tx.query<{ count: number }>(
    `WITH valid AS (
       SELECT block_index, count(*)::int AS units FROM work_units
       WHERE workflow_id = $1 AND status <> 'invalidated' GROUP BY block_index),
     chosen AS (SELECT name, block_index, status FROM work_units WHERE ${chosen}),
     moved AS (
       UPDATE work_units w SET status = 'invalidated', invalidated_at = $4::timestamptz, invalidated_reason = $3
       FROM chosen c WHERE w.workflow_id = $1 AND w.name = c.name),
     blocks AS (
       UPDATE processing_blocks b SET
         units_registered = b.units_registered + c.owed,
         status = CASE
           WHEN c.units = c.valid
             AND ($2::text[] IS NULL OR b.status <> 'open' OR b.units_done + b.units_abandoned >= b.units_total)
             THEN 'invalidated'
           WHEN b.status = 'open' AND b.units_registered + c.owed + b.units_abandoned >= b.units_total THEN 'complete'
           ELSE b.status END,
         updated_at = $4::timestamptz
       FROM (SELECT block_index, valid.units AS valid, count(*)::int AS units,
               count(*) FILTER (WHERE status = 'owed')::int AS owed
             FROM chosen JOIN valid USING (block_index) GROUP BY block_index, valid.units) c
       WHERE b.workflow_id = $1 AND b.block_index = c.block_index)
     SELECT count(*)::int AS count FROM chosen`,
    [workflowId, names, reason, at],
  );
  return found?.count ?? 0;
}
