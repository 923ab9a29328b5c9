import type { RequestName, WorkflowId } from "../core/names.ts";
import {
  NO_OUTPUTS,
  type OutputBlock,
  type OutputBlockFacts,
  type OutputBlockStatus,
  type OutputSummary,
  type OutputsEnd,
  UNIT_OUTPUT_STATES,
  type UnitFiles,
} from "../core/output-block.ts";
import type { OutputFile } from "../core/workflow.ts";
import { lockWorkflow } from "./blocks.ts";
import { decodeCursor, encodeCursor, json, pageOf, Table, Where } from "./columns.ts";
import type { OutputBlockStore, OutputSums, StepFailed, StepTaken } from "./output-port.ts";
import { markRegistered } from "./owed-outputs.ts";
import type { Sql, SqlParam } from "./sql.ts";

const BLOCKS = new Table<OutputBlockFacts>(
  "output_blocks",
  `name workflow_id dataset site part status is_firm is_sealed begun receipts tries refusals failing_since
   next_try_at last_error created_at updated_at`,
);

/** A block that may be merged at the end has nothing to do between. */
const OWED = `EXISTS (SELECT 1 FROM unit_outputs o WHERE o.block = output_blocks.name
  AND (o.state = 'owed' OR (o.state = 'replicated' AND output_blocks.is_firm)))`;
/**
 * What is left over of the same dataset and may go into it; of what is left over itself, that which is not ready for it. Nobody
 * waits for what is refused.
 */
const LEFT_OVER = `EXISTS (SELECT 1 FROM output_blocks s WHERE s.workflow_id = output_blocks.workflow_id
  AND s.dataset = output_blocks.dataset AND s.status = 'open' AND NOT s.is_firm AND s.refusals = 0 AND (output_blocks.is_firm OR s.tries > 0
    OR EXISTS (SELECT 1 FROM unit_outputs o WHERE o.block = s.name AND o.state = 'owed')))`;
/** No job will make anything more for it. */
const ENDED = "(w.has_all_units OR w.status IN ('completed', 'failed', 'aborted'))";
/** No unit of it will come any more. */
const HAS_ALL_UNITS = `(output_blocks.is_sealed OR (${ENDED} AND NOT ${LEFT_OVER}))`;
const JOINED = "output_blocks JOIN workflows w ON w.id = output_blocks.workflow_id";

/** Chosen first, counted after: only the blocks that are asked for. */
const facts = (sql: Sql, rest: string, params: readonly SqlParam[]) =>
  sql.query<OutputBlockFacts & { readonly createdAt: Date }>(
    `SELECT chosen.*, u.units, u.files, u.bytes FROM (
       SELECT ${BLOCKS.fields}, w.request_name AS "requestName", ${HAS_ALL_UNITS} AS "hasAllUnits"
       FROM ${JOINED} ${rest}) AS chosen
     CROSS JOIN LATERAL (
       SELECT jsonb_build_object(${UNIT_OUTPUT_STATES.map((state) => `'${state}', count(*) FILTER (WHERE state = '${state}')`).join(", ")}) AS units,
         coalesce(sum(files), 0)::int AS files, coalesce(sum(bytes), 0)::float8 AS bytes
       FROM unit_outputs WHERE block = chosen.name) AS u`,
    params,
  );

/** One that was merged has no unit left: nobody counts it any more, but who takes back its rules. */
const IS_SHOWN = "output_blocks.status <> 'merged'";

export const outputBlockStore = (sql: Sql): OutputBlockStore => ({ ...reads(sql), ...steps(sql), ...moves(sql) });

type Reads = Pick<OutputBlockStore, "due" | "get" | "unsealed" | "list" | "sums" | "summaries" | "units">;

const reads = (sql: Sql): Reads => ({
  due: (now, limit) =>
    facts(
      sql,
      `WHERE output_blocks.status IN ('open', 'withdrawing') AND (output_blocks.next_try_at <= $1 OR output_blocks.updated_at > $1)
         AND (output_blocks.status = 'withdrawing' OR output_blocks.tries > 0 OR ${OWED} OR ${HAS_ALL_UNITS})
       ORDER BY output_blocks.next_try_at, output_blocks.name LIMIT $2`,
      [now, limit],
    ),

  get: async (name) => (await facts(sql, "WHERE output_blocks.name = $1", [name]))[0] ?? null,

  unsealed: ({ workflowId, dataset }) =>
    facts(
      sql,
      `WHERE output_blocks.workflow_id = $1 AND output_blocks.dataset = $2 AND output_blocks.status = 'open'
         AND NOT output_blocks.is_sealed ORDER BY output_blocks.name`,
      [workflowId, dataset],
    ),

  async list({ limit, cursor, requestName, status }) {
    const where = new Where().and("w.request_name = ?", requestName).and("output_blocks.status = ?", status);
    if (status === undefined) where.and(IS_SHOWN);
    if (cursor !== undefined) {
      const [workflow, name] = decodeCursor(cursor);
      where.and("(output_blocks.workflow_id, output_blocks.name) > (?, ?)", String(workflow), String(name));
    }
    const order = `ORDER BY output_blocks.workflow_id, output_blocks.name LIMIT ${where.add(limit + 1)}`;
    const rows = await facts(sql, `${where} ${order}`, where.values);
    return pageOf(rows, limit, ({ workflowId, name }) => encodeCursor(workflowId, name));
  },

  sums: (requestName) => sums(sql, requestName),

  summaries: (workflowIds) => summaries(sql, workflowIds),

  async units({ name, dataset }, state, limit) {
    const rows = await sql.query<Omit<UnitFiles, "files"> & { outputs: readonly OutputFile[] }>(
      `SELECT o.unit, u.outputs, b.receipts AS "mergedFrom"
       FROM unit_outputs o JOIN work_units u ON u.workflow_id = o.workflow_id AND u.name = o.unit
       LEFT JOIN output_blocks b ON b.name = o.merged_from
       WHERE o.block = $1 AND o.state = $2 ORDER BY o.refusals, o.unit LIMIT $3`,
      [name, state, limit],
    );
    return rows.map(({ outputs, ...unit }) => ({ ...unit, files: outputs.filter((file) => file.dataset === dataset) }));
  },
});

async function summaries(
  sql: Sql,
  workflowIds: readonly WorkflowId[],
): Promise<ReadonlyMap<WorkflowId, OutputSummary>> {
  const rows = await sql.query<OutputSummary & { readonly workflowId: WorkflowId }>(
    `SELECT workflow_id AS "workflowId", count(*)::int AS blocks,
       count(*) FILTER (WHERE status = 'done')::int AS done, count(*) FILTER (WHERE status = 'failed')::int AS failed,
       (array_agg(jsonb_build_object('block', name, 'error', last_error, 'nextTryAt', next_try_at)
         ORDER BY status DESC, next_try_at, name)
         FILTER (WHERE last_error IS NOT NULL AND (status = 'failed' OR status = 'open')))[1] AS trouble
     FROM output_blocks WHERE workflow_id = ANY($1::text[]) AND status NOT IN ('merged', 'withdrawing', 'withdrawn')
     GROUP BY workflow_id`,
    [workflowIds],
  );
  const read = ({ workflowId: _, trouble, ...rest }: (typeof rows)[number]): OutputSummary => ({
    ...rest,
    trouble: trouble && { ...trouble, nextTryAt: new Date(trouble.nextTryAt) },
  });
  const found = new Map(rows.map((row) => [row.workflowId, read(row)]));
  return new Map(workflowIds.map((id) => [id, found.get(id) ?? NO_OUTPUTS]));
}

/** Over all blocks, whatever page somebody looks at. */
async function sums(sql: Sql, requestName: RequestName | undefined): Promise<OutputSums> {
  const where = new Where().and("w.request_name = ?", requestName).and(IS_SHOWN);
  const rows = await sql.query<{
    status: OutputBlockStatus;
    blocks: number;
    files: number;
    bytes: number;
    since: Date | null;
  }>(
    `SELECT output_blocks.status, count(*)::int AS blocks, coalesce(sum(u.files), 0)::int AS files,
       coalesce(sum(u.bytes), 0)::float8 AS bytes, min(output_blocks.created_at) FILTER (WHERE
         output_blocks.status = 'failed' OR (output_blocks.status = 'open' AND (${OWED} OR ${HAS_ALL_UNITS}))) AS since
     FROM ${JOINED} LEFT JOIN (SELECT block, sum(files) AS files, sum(bytes) AS bytes
       FROM unit_outputs GROUP BY block) AS u ON u.block = output_blocks.name
     ${where} GROUP BY output_blocks.status`,
    where.values,
  );
  const sum = (key: "blocks" | "files" | "bytes") => rows.reduce((total, row) => total + row[key], 0);
  const owed = rows.flatMap(({ since }) => since ?? []).sort((a, b) => a.getTime() - b.getTime());
  return {
    blocks: sum("blocks"),
    files: sum("files"),
    bytes: sum("bytes"),
    byStatus: Object.fromEntries(rows.map(({ status, blocks }) => [status, blocks])),
    owedSince: owed[0] ?? null,
  };
}

type Steps = Pick<OutputBlockStore, "begin" | "note">;

/** What is done in the catalog for a block. */
const steps = (sql: Sql): Steps => ({
  async begin(name, step, at) {
    await sql.query(
      `UPDATE output_blocks SET begun = begun || to_jsonb($2::text), updated_at = $3
       WHERE name = $1 AND NOT begun ? $2::text`,
      [name, step, at],
    );
  },

  note: (block, taken, failed, at) =>
    sql.transaction(async (tx) => {
      // Of two that register the last two outputs of a unit, the later sees what the first did.
      await lockWorkflow(tx, block.workflowId);
      if (taken) await noteTaken(tx, block, taken, at);
      if (taken && !failed) await noteWell(tx, block, at);
      if (failed && failed !== "as-before") await noteFailed(tx, block, failed, at);
    }),
});

async function noteTaken(tx: Sql, { name, workflowId }: OutputBlock, taken: StepTaken, at: Date): Promise<void> {
  await tx.query(`UPDATE output_blocks SET receipts = receipts || $2::jsonb, updated_at = $3 WHERE name = $1`, [
    name,
    json(taken.receipt === null ? {} : { [taken.step]: taken.receipt }),
    at,
  ]);
  if (taken.state === null || taken.units.length === 0) return;
  await tx.query("UPDATE unit_outputs SET state = $3 WHERE block = $1 AND unit = ANY($2::text[])", [
    name,
    taken.units,
    taken.state,
  ]);
  await markRegistered(tx, workflowId, taken.units, at);
}

const noteWell = (tx: Sql, { name }: OutputBlock, at: Date) =>
  tx.query(
    `UPDATE output_blocks SET tries = 0, refusals = 0, failing_since = NULL, last_error = NULL, next_try_at = $2
     WHERE name = $1`,
    [name, at],
  );

async function noteFailed(tx: Sql, { name }: OutputBlock, failed: StepFailed, at: Date): Promise<void> {
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
}

/** A block's status, from open to done or withdrawn. */
const moves = (sql: Sql): Omit<OutputBlockStore, keyof Reads | keyof Steps> => ({
  settle: ({ workflowId }, merge, at) =>
    sql.transaction(async (tx) => {
      await lockWorkflow(tx, workflowId);
      return settle(tx, merge, at);
    }),

  seal: ({ name, workflowId }, at) =>
    sql.transaction(async (tx) => {
      await lockWorkflow(tx, workflowId);
      const sealed = await tx.query(
        `UPDATE output_blocks SET is_sealed = true, updated_at = $2 FROM workflows w
         WHERE w.id = output_blocks.workflow_id AND name = $1 AND output_blocks.status = 'open' AND is_firm AND NOT ${OWED}
           AND ${HAS_ALL_UNITS} RETURNING 1`,
        [name, at],
      );
      return sealed.length > 0;
    }),

  end: ({ name, workflowId, status: from }, status, end, at) =>
    sql.transaction(async (tx) => {
      await lockWorkflow(tx, workflowId);
      const text = "UPDATE output_blocks SET status = $3, updated_at = $4 WHERE name = $1 AND status = $2 RETURNING 1";
      if ((await tx.query(text, [name, from, status, at])).length === 0) return false;
      if (end !== "registered" && status === "done") await endProcessingBlocks(tx, workflowId, end, at);
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

async function settle(
  tx: Sql,
  { into, from }: { readonly into: string; readonly from: readonly string[] },
  at: Date,
): Promise<boolean> {
  const there = await tx.query(
    `SELECT 1 FROM ${JOINED} WHERE output_blocks.status = 'open' AND NOT output_blocks.is_sealed AND ${ENDED}
       AND (output_blocks.name = $1 OR (output_blocks.name = ANY($2::text[]) AND NOT output_blocks.is_firm AND NOT EXISTS (
         SELECT 1 FROM unit_outputs o WHERE o.block = output_blocks.name AND o.state <> 'replicated')))`,
    [into, from],
  );
  if (there.length < from.length + 1) return false;
  await tx.query(
    `UPDATE unit_outputs SET block = $1, merged_from = coalesce(merged_from, block), state = 'owed'
     WHERE block = ANY($2::text[])`,
    [into, from],
  );
  await tx.query(
    `UPDATE output_blocks SET status = CASE WHEN name = $1 THEN status ELSE 'merged' END, is_firm = name = $1,
       is_sealed = name <> $1, updated_at = $3
     WHERE name = $1 OR name = ANY($2::text[])`,
    [into, from, at],
  );
  return true;
}

/** A processing block ends with the last of the output blocks that its units are in. */
const endProcessingBlocks = (tx: Sql, workflowId: WorkflowId, end: OutputsEnd, at: Date) =>
  tx.query(
    `UPDATE processing_blocks p SET status = $2, updated_at = $3 FROM (
       SELECT u.block_index, bool_and(b.status IN ('done', 'withdrawn')) AS is_over
       FROM work_units u JOIN unit_outputs o ON o.workflow_id = u.workflow_id AND o.unit = u.name
       JOIN output_blocks b ON b.name = o.block WHERE u.workflow_id = $1 GROUP BY u.block_index) AS made
     WHERE p.workflow_id = $1 AND p.status = 'complete' AND made.block_index = p.block_index AND made.is_over`,
    [workflowId, end, at],
  );
