import { invariant } from "../base/errors.ts";
import type { FileState, LedgerFile } from "../domain/workflow.ts";
import { BULK_ROWS, chunks, countBy, json, Table, Where } from "./columns.ts";
import type { FileStore } from "./port.ts";
import type { Sql } from "./sql.ts";

const FILES = new Table<Omit<LedgerFile, "units">>(
  "input_files",
  "lfn path size_bytes::float8 events::float8 lumis sites state reason",
);

/**
 * Datasets have up to a million files: everything here goes in bulk and in parts, never row by row. Statistics
 * are refreshed after many rows came, since PGlite never does by itself and PostgreSQL only later: without them
 * the planner takes a workflow for small and reads all its files for every part.
 */
export const fileStore = (sql: Sql): FileStore => ({
  // Through a scratch table, so that "which are gone" is one join and no list of a million names travels.
  sync: (workflowId, files) =>
    sql.transaction(async (tx) => {
      await tx.exec(`CREATE TEMP TABLE synced (lfn text COLLATE "C" PRIMARY KEY, path text, size_bytes bigint,
          events bigint, lumis jsonb, sites jsonb) ON COMMIT DROP`);
      for (const part of chunks(files, BULK_ROWS)) {
        await tx.query(
          `INSERT INTO synced SELECT lfn, path, size_bytes, events, lumis, sites FROM ${FILES.given("$1")}
             ON CONFLICT (lfn) DO NOTHING`,
          [FILES.json(part)],
        );
      }
      await tx.exec("ANALYZE synced");
      const [counted] = await tx.query<{ added: number }>(
        `WITH written AS (
             INSERT INTO input_files AS f (workflow_id, lfn, path, size_bytes, events, lumis, sites)
             SELECT $1, lfn, path, size_bytes, events, lumis, sites FROM synced ORDER BY lfn
             ON CONFLICT (workflow_id, lfn) DO UPDATE
               SET path = excluded.path, size_bytes = excluded.size_bytes, events = excluded.events,
                   lumis = excluded.lumis, sites = excluded.sites
               WHERE (f.path, f.size_bytes, f.events, f.lumis, f.sites) IS DISTINCT FROM
                     (excluded.path, excluded.size_bytes, excluded.events, excluded.lumis, excluded.sites)
             RETURNING (f.xmax = 0) AS added)
           SELECT count(*) FILTER (WHERE added)::int AS added FROM written`,
        [workflowId],
      );
      // A file that is done with may vanish; only work that is still to be done would miss it.
      const gone = await tx.query<{ lfn: string }>(
        `SELECT f.lfn FROM input_files f WHERE f.workflow_id = $1 AND f.state IN ('fresh', 'attempted')
             AND NOT EXISTS (SELECT 1 FROM synced s WHERE s.lfn = f.lfn) ORDER BY f.lfn`,
        [workflowId],
      );
      await tx.exec("DROP TABLE synced");
      if (counted && counted.added >= BULK_ROWS) await tx.exec("ANALYZE input_files");
      return { added: counted?.added ?? 0, gone: gone.map(({ lfn }) => lfn) };
    }),

  async remaining(workflowId) {
    const found: LedgerFile[] = [];
    for (const state of ["fresh", "attempted"] as const) {
      for (let after = ""; ; ) {
        const part = await filesAfter(sql, workflowId, state, after);
        found.push(...part);
        const last = part.at(-1);
        if (part.length < BULK_ROWS || !last) break;
        after = last.lfn;
      }
    }
    return found;
  },

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

  excluded: (workflowId, limit) =>
    sql.query<{ readonly file: string; readonly reason: string }>(
      `SELECT lfn AS file, COALESCE(reason, 'nobody said why') AS reason FROM input_files
       WHERE workflow_id = $1 AND state = 'excluded' ORDER BY lfn LIMIT $2`,
      [workflowId, limit],
    ),

  async countByState(workflowId) {
    const counts = await countBy(sql, "input_files", "state", new Where().and("workflow_id = ?", workflowId));
    return { fresh: 0, attempted: 0, processed: 0, excluded: 0, ...counts };
  },
});

const filesAfter = (sql: Sql, workflowId: string, state: FileState, after: string): Promise<readonly LedgerFile[]> =>
  sql.query<LedgerFile>(
    `SELECT ${FILES.fields},
       COALESCE((SELECT jsonb_agg(unit ORDER BY unit) FROM file_units WHERE file_id = input_files.id), '[]') AS units
     FROM input_files WHERE workflow_id = $1 AND state = $2 AND lfn > $3 ORDER BY lfn LIMIT $4`,
    [workflowId, state, after, BULK_ROWS],
  );
