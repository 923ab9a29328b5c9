import type { Metrics } from "../core/metrics.ts";
import type { DagId, UnitName, WorkflowId } from "../core/names.ts";
import type { FinishedUnit, JobProof, MeasuredUnit, OutputFile, UnitStatus } from "../core/workflow.ts";
import { blockStore } from "./blocks.ts";
import { chunks, countBy, decodeCursor, encodeCursor, pageOf, Table, Where } from "./columns.ts";
import { markRegistered, oweOutputs } from "./owed-outputs.ts";
import type { UnitStore } from "./port.ts";
import type { Sql } from "./sql.ts";

const COLUMNS = "workflow_id name dag_id round block_index=block status site events outputs finished_at registered_at";
const UNITS = new Table<FinishedUnit>("work_units", COLUMNS);
/** What is measured is written with the unit, and read only by who asks for it: it weighs more than the rest. */
const MEASURED = new Table<MeasuredUnit>("work_units", `${COLUMNS} metrics proof`);

/** Units carry their outputs: a statement of this many rows stays below some megabytes. */
const UNITS_PER_STATEMENT = 1_000;

const PROOFS_PER_QUERY = 2_000;

export const unitStore = (sql: Sql): UnitStore => ({
  ...blockStore(sql),
  ...measurements(sql),

  recordFinished: (finished) =>
    sql.transaction(async (tx) => {
      let added = 0;
      for (const part of chunks(finished, UNITS_PER_STATEMENT)) added += await recordFinished(tx, part);
      return added;
    }),

  async finishedNames(workflowId) {
    const text = "SELECT name FROM work_units WHERE workflow_id = $1";
    return new Set((await sql.query<{ name: UnitName }>(text, [workflowId])).map(({ name }) => name));
  },

  async countByStatus(workflowId) {
    const where = new Where().and("workflow_id = ?", workflowId);
    return { owed: 0, registered: 0, invalidated: 0, ...(await countBy(sql, "work_units", "status", where)) };
  },

  async outputs(workflowId, { limit, cursor }) {
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

  list: (workflowId) => UNITS.select(sql, "WHERE workflow_id = $1 ORDER BY name", [workflowId]),
});

/** What is kept of a unit beside its outputs, and read by few. */
const measurements = (sql: Sql): Pick<UnitStore, "measured" | "proofs"> => ({
  measured: (workflowId, perRound) =>
    sql.query<{ round: number; metrics: Metrics; finishedAt: Date }>(
      `SELECT round, metrics, finished_at AS "finishedAt" FROM (
         SELECT round, name, metrics, finished_at, row_number() OVER (PARTITION BY round ORDER BY name) AS place,
           count(*) OVER (PARTITION BY round) AS units
         FROM work_units WHERE workflow_id = $1 AND metrics IS NOT NULL) AS spread
       WHERE units <= $2::int OR place * $2::int / units > (place - 1) * $2::int / units
       ORDER BY round, name`,
      [workflowId, perRound],
    ),

  async *proofs(workflowId) {
    for (let after = ""; ; ) {
      const rows = await sql.query<{ unit: UnitName; dagId: DagId; proof: JobProof }>(
        `SELECT name AS unit, dag_id AS "dagId", proof FROM work_units
         WHERE workflow_id = $1 AND name > $2 AND proof IS NOT NULL ORDER BY name LIMIT ${PROOFS_PER_QUERY}`,
        [workflowId, after],
      );
      if (rows.length > 0) yield rows;
      if (rows.length < PROOFS_PER_QUERY) return;
      after = rows.at(-1)!.unit;
    }
  },
});

/**
 * Finished units become rows, once each. What hangs on them (the counters of block and workflow, the state of
 * their input files) is moved by the rows that were really added, in the same transaction: however often this
 * is repeated, and wherever it is cut off, everything is counted once. A unit that was abandoned and is here after
 * all counts as finished; a block that had closed without it opens again.
 */
async function recordFinished(tx: Sql, units: readonly MeasuredUnit[]): Promise<number> {
  // Serialises writers of one workflow: of two that each finish half of a split file, the later must see the
  // other's rows. In order of id, so that two writers of several workflows never wait for each other.
  const workflows = [...new Set(units.map(({ workflowId }) => workflowId))];
  await tx.query("SELECT 1 FROM workflows WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE", [workflows]);

  const added = await tx.query<{ workflow: WorkflowId; units: readonly UnitName[] }>(
    `WITH added AS (
       INSERT INTO work_units (${MEASURED.columns}) SELECT ${MEASURED.columns} FROM ${MEASURED.given("$1")}
       ON CONFLICT (workflow_id, name) DO NOTHING
       RETURNING workflow_id, name, block_index, status, events, finished_at),
     back AS (
       DELETE FROM abandoned_units u USING added a WHERE u.workflow_id = a.workflow_id AND u.name = a.name
       RETURNING u.workflow_id, u.name),
     blocks AS (
       UPDATE processing_blocks b SET
         units_done = b.units_done + a.units,
         units_registered = b.units_registered + a.registered,
         units_abandoned = b.units_abandoned - a.back,
         status = CASE WHEN b.status = 'complete' AND a.back > a.registered THEN 'open' ELSE b.status END,
         updated_at = a.at
       FROM (SELECT workflow_id, block_index, count(*)::int AS units, max(finished_at) AS at,
               count(*) FILTER (WHERE status <> 'owed')::int AS registered, count(back.name)::int AS back
             FROM added LEFT JOIN back USING (workflow_id, name) GROUP BY workflow_id, block_index) a
       WHERE b.workflow_id = a.workflow_id AND b.block_index = a.block_index),
     flows AS (
       UPDATE workflows w SET
         units_done = w.units_done + a.units,
         events_done = w.events_done + a.events,
         last_done_at = GREATEST(w.last_done_at, a.at),
         updated_at = GREATEST(w.updated_at, a.at)
       FROM (SELECT workflow_id, count(*)::int AS units, sum(events)::bigint AS events, max(finished_at) AS at
             FROM added GROUP BY workflow_id) a
       WHERE w.id = a.workflow_id)
     SELECT workflow_id AS workflow, jsonb_agg(name) AS units FROM added GROUP BY workflow_id`,
    [MEASURED.json(units)],
  );
  const isNew = new Set(added.flatMap(({ workflow, units }) => units.map((unit) => `${workflow} ${unit}`)));
  const owing = units.filter(
    ({ workflowId, name, status }) => status === "owed" && isNew.delete(`${workflowId} ${name}`),
  );
  const at = owing.at(-1)?.finishedAt;
  if (at) await oweOutputs(tx, owing, at);
  for (const { workflow, units } of added) {
    await markProcessed(tx, workflow, units);
    // Those that leave nothing to the catalog.
    if (at) await markRegistered(tx, workflow, units, at);
  }
  return added.reduce((sum, { units }) => sum + units.length, 0);
}

/**
 * A file is processed when every unit it was planned into has finished. The units go as an array, whose length
 * the planner sees: one unit among a million files is found by index.
 */
async function markProcessed(tx: Sql, workflow: string, units: readonly string[]): Promise<void> {
  await tx.query(
    `WITH touched AS (SELECT DISTINCT file_id FROM file_units WHERE workflow_id = $1 AND unit = ANY($2::text[])),
     finished AS (
       SELECT u.file_id FROM touched JOIN file_units u USING (file_id)
       LEFT JOIN work_units w ON w.workflow_id = u.workflow_id AND w.name = u.unit
       GROUP BY u.file_id HAVING count(*) = count(w.name))
     UPDATE input_files f SET state = 'processed', reason = NULL
     FROM finished d WHERE f.id = d.file_id AND f.state <> 'processed'`,
    [workflow, units],
  );
}
