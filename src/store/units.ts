import type { UnitName, WorkflowId } from "../domain/names.ts";
import type { FinishedUnit, OutputFile, UnitStatus } from "../domain/workflow.ts";
import { blockStore } from "./blocks.ts";
import { chunks, countBy, decodeCursor, encodeCursor, type Page, type PageWanted, pageOf, Where } from "./columns.ts";
import { recordFinished, UNITS } from "./record-finished.ts";
import type { Sql } from "./sql.ts";

/** Units carry their outputs: a statement of this many rows stays below some megabytes. */
const UNITS_PER_STATEMENT = 1_000;

type Output = OutputFile & { readonly unit: UnitName; readonly status: UnitStatus };

export const unitStore = (sql: Sql) => ({
  ...blockStore(sql),

  /**
   * Records finished units as owed, once each: a unit that has a row already is left alone. In the same
   * statement batch: the block's and workflow's counters, and the input files of the unit → processed. One that
   * was abandoned and finished after all is taken back, and its block with it. Answers how many were new.
   */
  recordFinished: (finished: readonly FinishedUnit[]): Promise<number> =>
    sql.transaction(async (tx) => {
      let added = 0;
      for (const part of chunks(finished, UNITS_PER_STATEMENT)) added += await recordFinished(tx, part);
      return added;
    }),

  /** Which of a workflow's units have a row. */
  async finishedNames(workflowId: WorkflowId): Promise<ReadonlySet<UnitName>> {
    const text = "SELECT name FROM work_units WHERE workflow_id = $1";
    return new Set((await sql.query<{ name: UnitName }>(text, [workflowId])).map(({ name }) => name));
  },

  owed: (workflowId: WorkflowId, limit: number) =>
    UNITS.select(sql, "WHERE workflow_id = $1 AND status = 'owed' ORDER BY attempts, name LIMIT $2", [
      workflowId,
      limit,
    ]),

  /** How many units are owed, for every workflow asked about. */
  async owedCounts(workflowIds: readonly WorkflowId[]): Promise<ReadonlyMap<WorkflowId, number>> {
    const where = new Where().and("workflow_id = ANY(?::text[]) AND status = 'owed'", workflowIds);
    const found = await countBy(sql, "work_units", "workflow_id", where);
    return new Map(workflowIds.map((id) => [id, found[id] ?? 0]));
  },

  async countByStatus(workflowId: WorkflowId): Promise<Readonly<Record<UnitStatus, number>>> {
    const where = new Where().and("workflow_id = ?", workflowId);
    return { owed: 0, registered: 0, invalidated: 0, ...(await countBy(sql, "work_units", "status", where)) };
  },

  /**
   * owed → registered; false when it was not owed any more. Closes the block when it was its last. One statement, so
   * that the unit and its block's count of registered units cannot differ after a crash.
   */
  async markRegistered(workflowId: WorkflowId, unit: UnitName, at: Date): Promise<boolean> {
    const moved = await sql.query(
      `WITH moved AS (
         UPDATE work_units SET status = 'registered', registered_at = $3::timestamptz, last_error = NULL
         WHERE workflow_id = $1 AND name = $2 AND status = 'owed' RETURNING block_index)
       UPDATE processing_blocks b SET
         units_registered = units_registered + 1,
         status = CASE WHEN status = 'open' AND units_registered + 1 + units_abandoned >= units_total
           THEN 'complete' ELSE status END,
         updated_at = $3::timestamptz
       FROM moved WHERE b.workflow_id = $1 AND b.block_index = moved.block_index RETURNING 1`,
      [workflowId, unit, at],
    );
    return moved.length > 0;
  },

  async registrationFailed(workflowId: WorkflowId, unit: UnitName, words: string): Promise<void> {
    await sql.query(
      `UPDATE work_units SET attempts = attempts + 1, last_error = $3
       WHERE workflow_id = $1 AND name = $2 AND status = 'owed'`,
      [workflowId, unit, words],
    );
  },

  async outputs(workflowId: WorkflowId, { limit, cursor }: PageWanted): Promise<Page<Output>> {
    const where = new Where().and("w.workflow_id = ?", workflowId);
    if (cursor !== undefined) {
      const [unit, place] = decodeCursor(cursor);
      // The first condition is for the index; the second leaves out what was shown of that unit.
      where.and("w.name >= ?", String(unit)).and("(w.name > ? OR o.place > ?::int)", String(unit), Number(place));
    }
    const rows = await sql.query<{ name: UnitName; status: UnitStatus; place: number; output: OutputFile }>(
      `SELECT w.name, w.status, o.place::int AS place, o.output
       FROM work_units w CROSS JOIN LATERAL jsonb_array_elements(w.outputs) WITH ORDINALITY AS o (output, place)
       ${where} ORDER BY w.name, o.place LIMIT ${where.add(limit + 1)}`,
      where.values,
    );
    const { items, nextCursor } = pageOf(rows, limit, ({ name, place }) => encodeCursor(name, place));
    return { items: items.map(({ name, status, output }) => ({ ...output, unit: name, status })), nextCursor };
  },

  list: (workflowId: WorkflowId) => UNITS.select(sql, "WHERE workflow_id = $1 ORDER BY name", [workflowId]),
});
