import { groupBy } from "../base/group-by.ts";
import type { SiteName, UnitName, WorkflowId } from "../domain/names.ts";
import { outputBlockName, UNREACHABLE } from "../domain/output-block.ts";
import type { FinishedUnit } from "../domain/workflow.ts";
import { json } from "./columns.ts";
import type { Sql } from "./sql.ts";

/**
 * Of these units, those of which nothing is owed any more are registered, and counted for their processing blocks. The
 * workflow is locked.
 */
export async function markRegistered(
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
