import { invariant } from "../core/base/errors.ts";
import { groupBy } from "../core/base/group-by.ts";
import { type BlockLimits, type BlockSize, isFirm, isFull, isWithin, joined } from "../core/block-size.ts";
import type { SiteName, UnitName, WorkflowId } from "../core/names.ts";
import { outputBlockName, UNREACHABLE } from "../core/output-block.ts";
import type { FinishedUnit } from "../core/workflow.ts";
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
 * What units that were just recorded owe, each output in the block of its dataset and site; one that is full has a next
 * part. A block of which something was refused is tried again: this unit may fare better. Within the transaction that recorded
 * them.
 */
export async function oweOutputs(tx: Sql, units: readonly FinishedUnit[], at: Date): Promise<void> {
  const owed = units.flatMap(({ workflowId, name: unit, site, outputs }) =>
    [...groupBy(outputs, ({ dataset }) => dataset)].map(([dataset, of]) => {
      const bytes = of.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      return { workflowId, unit, dataset, site: site ?? "", files: of.length, bytes };
    }),
  );
  const limits = new Map((await limitsOf(tx, owed)).map(({ workflowId, ...of }) => [workflowId, of]));
  const latest = new Map((await latestParts(tx, owed)).map((row) => [keyOf(row), row]));
  const blocks = new Map<string, Filling>();
  const rows: Record<string, unknown>[] = [];
  for (const { unit, files, ...owes } of owed) {
    const of = limits.get(owes.workflowId);
    invariant(of, "a unit of a workflow that is not there", { workflow: owes.workflowId });
    const present = latest.get(keyOf(owes));
    const block = blockFor(present, owes, of);
    // What has no room for this has been filled; what is small may be merged at the end.
    if (present?.isFirm && present.name !== block.name) blocks.set(present.name, { ...present, isSealed: true });
    latest.set(keyOf(owes), block);
    blocks.set(block.name, block);
    rows.push({
      workflow_id: owes.workflowId,
      unit,
      dataset: owes.dataset,
      block: block.name,
      files,
      bytes: owes.bytes,
    });
  }
  await writeBlocks(tx, [...blocks.values()], at);
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

/** A block while units are put into it. */
interface Filling extends BlockSize {
  readonly workflowId: WorkflowId;
  readonly dataset: string;
  readonly site: string;
  readonly part: number;
  readonly name: string;
  readonly isFirm: boolean;
  readonly isSealed: boolean;
}

const keyOf = ({ workflowId, dataset, site }: Pick<Filling, "workflowId" | "dataset" | "site">) =>
  JSON.stringify([workflowId, dataset, site]);

/** The block that this goes into, with it: the present one, unless it is sealed or has no room. */
function blockFor(
  present: Filling | undefined,
  { workflowId, dataset, site, bytes }: Pick<Filling, "workflowId" | "dataset" | "site" | "bytes">,
  limits: BlockLimits,
): Filling {
  const more = { units: 1, bytes };
  const isOpen = present && !present.isSealed && isWithin(joined(present, more), limits);
  const part = isOpen ? present.part : (present?.part ?? -1) + 1;
  const size = isOpen ? joined(present, more) : more;
  return {
    ...{ workflowId, dataset, site, part, ...size },
    name: isOpen ? present.name : outputBlockName({ workflowId, dataset, site: site as SiteName, part }),
    isFirm: (isOpen && present.isFirm) || isFirm(size, limits),
    isSealed: isFull(size, limits),
  };
}

const writeBlocks = (tx: Sql, blocks: readonly Filling[], at: Date) =>
  tx.query(
    `INSERT INTO output_blocks
       (name, workflow_id, dataset, site, part, is_firm, is_sealed, next_try_at, created_at, updated_at)
     SELECT name, workflow_id, dataset, site, part, is_firm, is_sealed, $2, $2, $2
     FROM json_populate_recordset(NULL::output_blocks, $1::json)
     ON CONFLICT (name) DO UPDATE SET is_firm = excluded.is_firm, is_sealed = excluded.is_sealed`,
    [
      json(
        blocks.map((block) => ({
          ...block,
          workflow_id: block.workflowId,
          is_firm: block.isFirm,
          is_sealed: block.isSealed,
        })),
      ),
      at,
    ],
  );

const limitsOf = (tx: Sql, wanted: readonly { workflowId: WorkflowId }[]) =>
  tx.query<BlockLimits & { readonly workflowId: WorkflowId }>(
    `SELECT w.id AS "workflowId", (r.spec->'unit'->>'blockTargetBytes')::float8 AS "blockTargetBytes",
       (r.spec->'unit'->>'maxUnitsPerBlock')::int AS "maxUnitsPerBlock"
     FROM workflows w JOIN requests r ON r.name = w.request_name WHERE w.id = ANY($1::text[])`,
    [[...new Set(wanted.map(({ workflowId }) => workflowId))]],
  );

/** The latest part of each block that may be meant. What is being withdrawn takes no more units. */
const latestParts = (tx: Sql, wanted: readonly { workflowId: WorkflowId; dataset: string; site: string }[]) =>
  tx.query<Filling>(
    `SELECT b.*, u.units, u.bytes FROM (
       SELECT DISTINCT ON (workflow_id, dataset, site) workflow_id AS "workflowId", dataset, site, part, name,
         is_firm AS "isFirm", is_sealed OR status NOT IN ('open', 'failed') AS "isSealed"
       FROM output_blocks
       WHERE workflow_id = ANY($1::text[]) AND dataset = ANY($2::text[]) AND site = ANY($3::text[])
       ORDER BY workflow_id, dataset, site, part DESC, is_sealed, name) AS b
     CROSS JOIN LATERAL (SELECT count(*)::int AS units, coalesce(sum(bytes), 0)::float8 AS bytes
       FROM unit_outputs WHERE block = b.name) AS u`,
    [
      [...new Set(wanted.map(({ workflowId }) => workflowId))],
      [...new Set(wanted.map(({ dataset }) => dataset))],
      [...new Set(wanted.map(({ site }) => site))],
    ],
  );
