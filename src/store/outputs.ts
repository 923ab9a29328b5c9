import { groupBy } from "../base/group-by.ts";
import type { SiteName, UnitName, WorkflowId } from "../domain/names.ts";
import {
  NO_OUTPUTS,
  type OutputBlockFacts,
  type OutputSummary,
  outputBlockName,
  UNIT_OUTPUT_STATES,
  UNREACHABLE,
} from "../domain/output-block.ts";
import type { FinishedUnit, OutputFile } from "../domain/workflow.ts";
import { lockWorkflow } from "./blocks.ts";
import { decodeCursor, encodeCursor, json, pageOf, Table, Where } from "./columns.ts";
import type { OutputBlockStore } from "./output-port.ts";
import type { Sql, SqlParam } from "./sql.ts";

const BLOCKS = new Table<OutputBlockFacts>(
  "output_blocks",
  `name workflow_id block_index=index dataset site part status is_sealed begun receipts tries refusals failing_since
   next_try_at last_error created_at updated_at`,
);

/** No unit of it will come any more. */
const SETTLED = `(p.units_done + p.units_abandoned >= p.units_total OR w.status IN ('completed', 'failed', 'aborted'))`;
const OWED =
  "EXISTS (SELECT 1 FROM unit_outputs o WHERE o.block = output_blocks.name AND o.state IN ('owed', 'replicated'))";
const JOINED = `output_blocks JOIN workflows w ON w.id = output_blocks.workflow_id
  JOIN processing_blocks p ON p.workflow_id = output_blocks.workflow_id AND p.block_index = output_blocks.block_index`;

/** Chosen first, counted after: only the blocks that are asked for. */
const facts = (sql: Sql, rest: string, params: readonly SqlParam[]) =>
  sql.query<OutputBlockFacts & { readonly createdAt: Date }>(
    `SELECT chosen.*, u.units, u.files, u.bytes FROM (
       SELECT ${BLOCKS.fields}, w.request_name AS "requestName", ${SETTLED} AS "isSettled"
       FROM ${JOINED} ${rest}) AS chosen
     CROSS JOIN LATERAL (
       SELECT jsonb_build_object(${UNIT_OUTPUT_STATES.map((state) => `'${state}', count(*) FILTER (WHERE state = '${state}')`).join(", ")}) AS units,
         coalesce(sum(files), 0)::int AS files, coalesce(sum(bytes), 0)::float8 AS bytes
       FROM unit_outputs WHERE block = chosen.name) AS u`,
    params,
  );

export const outputBlockStore = (sql: Sql): OutputBlockStore => ({
  due: (now, limit) =>
    facts(
      sql,
      `WHERE output_blocks.status IN ('open', 'withdrawing') AND output_blocks.next_try_at <= $1
         AND (output_blocks.status = 'withdrawing' OR output_blocks.tries > 0 OR ${OWED} OR ${SETTLED})
       ORDER BY output_blocks.next_try_at, output_blocks.name LIMIT $2`,
      [now, limit],
    ),

  get: async (name) => (await facts(sql, "WHERE output_blocks.name = $1", [name]))[0] ?? null,

  async list({ limit, cursor, requestName, status }) {
    const where = new Where().and("w.request_name = ?", requestName).and("output_blocks.status = ?", status);
    if (cursor !== undefined) {
      const [workflow, name] = decodeCursor(cursor);
      where.and("(output_blocks.workflow_id, output_blocks.name) > (?, ?)", String(workflow), String(name));
    }
    const order = `ORDER BY output_blocks.workflow_id, output_blocks.name LIMIT ${where.add(limit + 1)}`;
    const rows = await facts(sql, `${where} ${order}`, where.values);
    return pageOf(rows, limit, ({ workflowId, name }) => encodeCursor(workflowId, name));
  },

  async summaries(workflowIds) {
    const rows = await sql.query<OutputSummary & { readonly workflowId: WorkflowId }>(
      `SELECT workflow_id AS "workflowId", count(*)::int AS blocks,
         count(*) FILTER (WHERE status = 'done')::int AS done, count(*) FILTER (WHERE status = 'failed')::int AS failed,
         (array_agg(jsonb_build_object('block', name, 'error', last_error, 'nextTryAt', next_try_at)
           ORDER BY status DESC, next_try_at, name)
           FILTER (WHERE last_error IS NOT NULL AND (status = 'failed' OR status = 'open')))[1] AS trouble
       FROM output_blocks WHERE workflow_id = ANY($1::text[]) AND status NOT IN ('withdrawing', 'withdrawn')
       GROUP BY workflow_id`,
      [workflowIds],
    );
    const read = ({ workflowId: _, trouble, ...rest }: (typeof rows)[number]): OutputSummary => ({
      ...rest,
      trouble: trouble && { ...trouble, nextTryAt: new Date(trouble.nextTryAt) },
    });
    const found = new Map(rows.map((row) => [row.workflowId, read(row)]));
    return new Map(workflowIds.map((id) => [id, found.get(id) ?? NO_OUTPUTS]));
  },

  async units({ name, dataset }, state, limit) {
    const rows = await sql.query<{ unit: UnitName; outputs: readonly OutputFile[] }>(
      `SELECT o.unit, u.outputs FROM unit_outputs o JOIN work_units u ON u.workflow_id = o.workflow_id AND u.name = o.unit
       WHERE o.block = $1 AND o.state = $2 ORDER BY o.refusals, o.unit LIMIT $3`,
      [name, state, limit],
    );
    return rows.map(({ unit, outputs }) => ({ unit, files: outputs.filter((file) => file.dataset === dataset) }));
  },

  async begin(name, step, at) {
    await sql.query(
      `UPDATE output_blocks SET begun = begun || to_jsonb($2::text), updated_at = $3
       WHERE name = $1 AND NOT begun ? $2::text`,
      [name, step, at],
    );
  },

  note: ({ name, workflowId }, taken, failed, at) =>
    sql.transaction(async (tx) => {
      // Of two that register the last two outputs of a unit, the later sees what the first did.
      await lockWorkflow(tx, workflowId);
      if (taken) {
        await tx.query(`UPDATE output_blocks SET receipts = receipts || $2::jsonb, updated_at = $3 WHERE name = $1`, [
          name,
          json(taken.receipt === null ? {} : { [taken.step]: taken.receipt }),
          at,
        ]);
        if (!failed)
          await tx.query(
            `UPDATE output_blocks SET tries = 0, refusals = 0, failing_since = NULL, last_error = NULL, next_try_at = $2
             WHERE name = $1`,
            [name, at],
          );
        if (taken.state !== null && taken.units.length > 0) {
          await tx.query("UPDATE unit_outputs SET state = $3 WHERE block = $1 AND unit = ANY($2::text[])", [
            name,
            taken.units,
            taken.state,
          ]);
          await settleUnits(tx, workflowId, taken.units, at);
        }
      }
      if (!failed || failed === "as-before") return;
      await tx.query(
        `UPDATE output_blocks SET tries = tries + 1, refusals = refusals + $3::int,
           failing_since = coalesce(failing_since, $5),
           last_error = $2::jsonb, next_try_at = $4, updated_at = $5 WHERE name = $1`,
        [name, json(failed.error), failed.isRefused ? 1 : 0, failed.nextTryAt, at],
      );
      if (failed.units.length > 0)
        await tx.query("UPDATE unit_outputs SET refusals = refusals + 1 WHERE block = $1 AND unit = ANY($2::text[])", [
          name,
          failed.units,
        ]);
    }),

  seal: ({ name, workflowId }, at) =>
    sql.transaction(async (tx) => {
      await lockWorkflow(tx, workflowId);
      const sealed = await tx.query(
        `UPDATE output_blocks SET is_sealed = true, updated_at = $2
         WHERE name = $1 AND status = 'open' AND NOT ${OWED} AND EXISTS (
           SELECT 1 FROM workflows w JOIN processing_blocks p ON p.workflow_id = w.id
           WHERE w.id = output_blocks.workflow_id AND p.block_index = output_blocks.block_index AND ${SETTLED})
         RETURNING 1`,
        [name, at],
      );
      return sealed.length > 0;
    }),

  end: ({ name, workflowId, index, status: from }, status, archives, at) =>
    sql.transaction(async (tx) => {
      await lockWorkflow(tx, workflowId);
      const text = "UPDATE output_blocks SET status = $3, updated_at = $4 WHERE name = $1 AND status = $2 RETURNING 1";
      if ((await tx.query(text, [name, from, status, at])).length === 0) return false;
      if (archives && status === "done")
        await tx.query(
          `UPDATE processing_blocks p SET status = 'archived', updated_at = $3
           WHERE workflow_id = $1 AND block_index = $2 AND status = 'complete' AND NOT EXISTS (
             SELECT 1 FROM output_blocks b
             WHERE b.workflow_id = $1 AND b.block_index = $2 AND b.status NOT IN ('done', 'withdrawn'))`,
          [workflowId, index, at],
        );
      return true;
    }),

  async withdraw(workflowId, at) {
    const moved = await sql.query(
      `UPDATE output_blocks SET status = 'withdrawing', tries = 0, refusals = 0, failing_since = NULL, last_error = NULL,
         next_try_at = $2, updated_at = $2
       WHERE workflow_id = $1 AND status NOT IN ('withdrawing', 'withdrawn') RETURNING 1`,
      [workflowId, at],
    );
    return moved.length;
  },

  async retry(which, at) {
    const [column, value] = "name" in which ? ["name", which.name] : ["workflow_id", which.workflowId];
    const rows = await sql.query<{ name: string }>(
      `UPDATE output_blocks SET status = CASE WHEN status = 'failed' THEN 'open' ELSE status END, tries = 0, refusals = 0,
         failing_since = NULL, next_try_at = $2, updated_at = $2
       WHERE ${column} = $1 AND (status = 'failed' OR (status IN ('open', 'withdrawing') AND tries > 0)) RETURNING name`,
      [value, at],
    );
    return rows.map(({ name }) => name).sort();
  },
});

/**
 * Of these units, those of which nothing is owed any more are registered, and counted for their processing blocks. The
 * workflow is locked.
 */
export async function settleUnits(
  tx: Sql,
  workflowId: WorkflowId,
  units: readonly UnitName[],
  at: Date,
): Promise<void> {
  await tx.query(
    `WITH moved AS (
       UPDATE work_units SET status = 'registered', registered_at = $3::timestamptz
       WHERE workflow_id = $1 AND name = ANY($2::text[]) AND status = 'owed' AND NOT EXISTS (
         SELECT 1 FROM unit_outputs o WHERE o.workflow_id = $1 AND o.unit = work_units.name
           AND o.state IN ('owed', 'replicated'))
       RETURNING block_index),
     counted AS (SELECT block_index, count(*)::int AS units FROM moved GROUP BY block_index)
     UPDATE processing_blocks b SET
       units_registered = b.units_registered + c.units,
       status = CASE WHEN b.status = 'open' AND b.units_registered + c.units + b.units_abandoned >= b.units_total
         THEN 'complete' ELSE b.status END,
       updated_at = $3::timestamptz
     FROM counted c WHERE b.workflow_id = $1 AND b.block_index = c.block_index`,
    [workflowId, units, at],
  );
}

/**
 * What units that were just recorded owe, each output in the block of its key; a sealed one has a next part. A block
 * of which something was refused is tried again: this unit may fare better. Within the transaction that recorded them.
 */
export async function oweOutputs(tx: Sql, units: readonly FinishedUnit[], at: Date): Promise<void> {
  const owed = units.flatMap(({ workflowId, name: unit, block: index, site, outputs }) =>
    [...groupBy(outputs, ({ dataset }) => dataset)].map(([dataset, of]) => {
      const bytes = of.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      return { workflowId, unit, index, dataset, site: site ?? "", files: of.length, bytes };
    }),
  );
  const keyOf = (row: Omit<(typeof owed)[number], "unit" | "files" | "bytes">) =>
    JSON.stringify([row.workflowId, row.index, row.dataset, row.site]);
  const byKey = groupBy(owed, keyOf);
  const known = await latestParts(tx, owed);
  const latest = new Map(known.map((row) => [keyOf(row), row]));
  const rows: Record<string, unknown>[] = [];
  const added: Record<string, unknown>[] = [];
  for (const [key, of] of byKey) {
    const before = latest.get(key);
    const [first] = of;
    if (!first) continue;
    const { workflowId, index, dataset, site } = first;
    const part = before ? before.part + (before.isSealed ? 1 : 0) : 0;
    const name = outputBlockName({ workflowId, index, dataset, site: site as SiteName, part });
    if (!before || before.isSealed)
      added.push({ name, workflow_id: workflowId, block_index: index, dataset, site, part });
    for (const { unit, files, bytes } of of)
      rows.push({ workflow_id: workflowId, unit, dataset, block: name, files, bytes });
  }
  await tx.query(
    `INSERT INTO output_blocks (name, workflow_id, block_index, dataset, site, part, next_try_at, created_at, updated_at)
     SELECT name, workflow_id, block_index, dataset, site, part, $2, $2, $2
     FROM json_populate_recordset(NULL::output_blocks, $1::json)`,
    [json(added), at],
  );
  await tx.query(
    `WITH owed AS (
       INSERT INTO unit_outputs (workflow_id, unit, dataset, block, files, bytes)
       SELECT workflow_id, unit, dataset, block, files, bytes FROM json_populate_recordset(NULL::unit_outputs, $1::json)
       RETURNING block)
     UPDATE output_blocks SET next_try_at = $2, updated_at = $2, status = 'open',
       refusals = CASE WHEN status = 'failed' THEN 0 ELSE refusals END,
       failing_since = CASE WHEN status = 'failed' THEN NULL ELSE failing_since END
     WHERE name IN (SELECT block FROM owed) AND last_error->>'code' <> '${UNREACHABLE}'`,
    [json(rows), at],
  );
}

/** The latest part of each block that may be meant. What is being withdrawn takes no more units. */
const latestParts = (tx: Sql, wanted: readonly { workflowId: WorkflowId; index: number }[]) =>
  tx.query<{ workflowId: WorkflowId; index: number; dataset: string; site: string; part: number; isSealed: boolean }>(
    `SELECT DISTINCT ON (workflow_id, block_index, dataset, site) workflow_id AS "workflowId", block_index AS "index",
       dataset, site, part, is_sealed OR status NOT IN ('open', 'failed') AS "isSealed"
     FROM output_blocks WHERE workflow_id = ANY($1::text[]) AND block_index = ANY($2::int[])
     ORDER BY workflow_id, block_index, dataset, site, part DESC`,
    [[...new Set(wanted.map(({ workflowId }) => workflowId))], [...new Set(wanted.map(({ index }) => index))]],
  );
