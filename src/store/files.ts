import { invariant } from "../core/base/errors.ts";
import type { WorkflowId } from "../core/names.ts";
import type { FileChanges, FileState, InputFile, LedgerFile, PlacedFile } from "../core/workflow.ts";
import { BULK_ROWS, chunks, countBy, json, Table, Where } from "./columns.ts";
import type { FileStore } from "./port.ts";
import type { Sql } from "./sql.ts";

const FILES = new Table<LedgerFile>("input_files", "lfn path size_bytes::float8 events::float8 lumis sites state");
const WITHOUT_LUMIS = FILES.fields.replace(
  'input_files.lumis AS "lumis"',
  `COALESCE((SELECT jsonb_agg(jsonb_build_object('run', r -> 'run', 'lumis', '[]'::jsonb))
     FROM jsonb_array_elements(input_files.lumis) r), '[]') AS "lumis"`,
);
const OPEN = "f.workflow_id = $1 AND f.state IN ('fresh', 'attempted')";
/** Of added files, as many as a person reads. */
const NAMED_FILES = 20;

/**
 * Datasets have up to a million files: everything here goes in bulk and in parts, never row by row. Statistics
 * are refreshed after many rows came, since PGlite never does by itself and PostgreSQL only later: without them
 * the planner takes a workflow for small and reads all its files for every part.
 */
export const fileStore = (sql: Sql): FileStore => ({ ...reads(sql), ...changes(sql) });

const reads = (sql: Sql): Omit<FileStore, keyof Changes> => ({
  async *remaining(workflowId, { lumis }) {
    const fields = lumis ? FILES.fields : WITHOUT_LUMIS;
    for (const state of ["fresh", "attempted"] as const) {
      for (let after = ""; ; ) {
        const part = await filesAfter(sql, fields, workflowId, state, after);
        if (part.length > 0) yield part;
        const last = part.at(-1);
        if (part.length < BULK_ROWS || !last) break;
        after = last.lfn;
      }
    }
  },

  placed: (workflowId) =>
    sql.query<PlacedFile>(
      `SELECT f.lfn, f.path, jsonb_agg(u.unit ORDER BY u.unit) AS units
       FROM input_files f JOIN file_units u ON u.file_id = f.id
       WHERE ${OPEN} GROUP BY f.id, f.lfn, f.path ORDER BY f.lfn`,
      [workflowId],
    ),

  async countWaiting(workflowId) {
    const [row] = await sql.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM input_files f
       WHERE ${OPEN} AND NOT EXISTS (SELECT 1 FROM file_units u WHERE u.file_id = f.id)`,
      [workflowId],
    );
    return row?.count ?? 0;
  },

  async stillOpen(workflowId, lfns) {
    const rows = await sql.query<{ lfn: string }>(
      `SELECT f.lfn FROM input_files f WHERE ${OPEN} AND f.lfn = ANY($2::text[])`,
      [workflowId, lfns],
    );
    return new Set(rows.map(({ lfn }) => lfn));
  },

  excluded: (workflowId, limit) =>
    sql.query<{ readonly file: string; readonly reason: string }>(
      `SELECT lfn AS file, COALESCE(reason, 'nobody said why') AS reason FROM input_files
       WHERE workflow_id = $1 AND state = 'excluded' ORDER BY lfn LIMIT $2`,
      [workflowId, limit],
    ),

  async countLeftOut(workflowId, notWanted) {
    const [found] = await sql.query<{ files: number }>(
      `SELECT count(*)::int AS files FROM input_files
       WHERE workflow_id = $1 AND state = 'excluded' AND reason IS DISTINCT FROM $2`,
      [workflowId, notWanted],
    );
    return found?.files ?? 0;
  },

  async countByState(workflowId) {
    const counts = await countBy(sql, "input_files", "state", new Where().and("workflow_id = ?", workflowId));
    return { fresh: 0, attempted: 0, processed: 0, excluded: 0, ...counts };
  },
});

type Changes = Pick<FileStore, "sync" | "assign" | "setState">;

const changes = (sql: Sql): Changes => ({
  sync: (workflowId, pages) => sql.transaction((tx) => sync(tx, workflowId, pages)),

  // All old places go before any new one comes: a file split over units may straddle two parts.
  assign: (workflowId, assignments) =>
    sql.transaction(async (tx) => {
      for (const part of chunks(assignments, BULK_ROWS)) {
        await tx.query(
          `DELETE FROM file_units u USING input_files f, jsonb_array_elements_text($2::jsonb) AS g (lfn)
             WHERE f.workflow_id = $1 AND f.lfn = g.lfn AND u.file_id = f.id`,
          [workflowId, json([...new Set(part.map(({ lfn }) => lfn))])],
        );
      }
      for (const part of chunks(assignments, BULK_ROWS)) {
        const [matched] = await tx.query<{ count: number }>(
          `WITH given AS (
               SELECT f.id, g.unit FROM json_to_recordset($2::json) AS g (lfn text, unit text)
               JOIN input_files f ON f.workflow_id = $1 AND f.lfn = g.lfn),
             placed AS (
               INSERT INTO file_units (workflow_id, unit, file_id) SELECT DISTINCT $1, unit, id FROM given
               ON CONFLICT DO NOTHING)
             SELECT count(*)::int AS count FROM given`,
          [workflowId, json(part)],
        );
        invariant(matched?.count === part.length, `a file was planned that the ledger of ${workflowId} does not know`);
      }
    }),

  setState: (workflowId, lfns, state, reason) =>
    sql.transaction(async (tx) => {
      for (const part of chunks(lfns, BULK_ROWS)) {
        await tx.query(
          `UPDATE input_files f SET state = $3, reason = $4 FROM jsonb_array_elements_text($2::jsonb) AS g (lfn)
             WHERE f.workflow_id = $1 AND f.lfn = g.lfn`,
          [workflowId, json(part), state, reason],
        );
      }
    }),
});

const filesAfter = (
  sql: Sql,
  fields: string,
  workflowId: string,
  state: FileState,
  after: string,
): Promise<readonly LedgerFile[]> =>
  sql.query<LedgerFile>(
    `SELECT ${fields} FROM input_files WHERE workflow_id = $1 AND state = $2 AND lfn > $3 ORDER BY lfn LIMIT $4`,
    [workflowId, state, after, BULK_ROWS],
  );

/** Through a scratch table, so that "which are gone" is one join and no list of a million names travels. */
async function sync(tx: Sql, workflowId: WorkflowId, pages: AsyncIterable<readonly InputFile[]>): Promise<FileChanges> {
  await tx.exec(`CREATE TEMP TABLE synced (lfn text COLLATE "C" PRIMARY KEY, path text, size_bytes bigint,
      events bigint, lumis jsonb, sites jsonb) ON COMMIT DROP`);
  for await (const part of pages) {
    await tx.query(
      `INSERT INTO synced SELECT lfn, path, size_bytes, events, lumis, sites FROM ${FILES.given("$1")}
       ON CONFLICT (lfn) DO NOTHING`,
      [FILES.json(part)],
    );
  }
  await tx.exec("ANALYZE synced");
  const [counted] = await tx.query<{ added: number; firstAdded: readonly string[] }>(
    `WITH written AS (
       INSERT INTO input_files AS f (workflow_id, lfn, path, size_bytes, events, lumis, sites)
       SELECT $1, lfn, path, size_bytes, events, lumis, sites FROM synced ORDER BY lfn
       ON CONFLICT (workflow_id, lfn) DO UPDATE
         SET path = excluded.path, size_bytes = excluded.size_bytes, events = excluded.events,
             lumis = excluded.lumis, sites = excluded.sites
         WHERE (f.path, f.size_bytes, f.events, f.lumis, f.sites) IS DISTINCT FROM
               (excluded.path, excluded.size_bytes, excluded.events, excluded.lumis, excluded.sites)
       RETURNING f.lfn, (f.xmax = 0) AS added),
     newest AS (SELECT lfn FROM written WHERE added ORDER BY lfn LIMIT ${NAMED_FILES})
     SELECT count(*) FILTER (WHERE added)::int AS added,
       (SELECT COALESCE(json_agg(lfn ORDER BY lfn), '[]') FROM newest) AS "firstAdded" FROM written`,
    [workflowId],
  );
  // A file that is done with may vanish; only work that is still to be done would miss it.
  const gone = await tx.query<{ lfn: string }>(
    `SELECT f.lfn FROM input_files f WHERE ${OPEN}
       AND NOT EXISTS (SELECT 1 FROM synced s WHERE s.lfn = f.lfn) ORDER BY f.lfn`,
    [workflowId],
  );
  await tx.exec("DROP TABLE synced");
  if (counted && counted.added >= BULK_ROWS) await tx.exec("ANALYZE input_files");
  return { added: counted?.added ?? 0, firstAdded: counted?.firstAdded ?? [], gone: gone.map(({ lfn }) => lfn) };
}
