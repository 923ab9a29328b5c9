import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestSpec } from "../../src/core/request.ts";
import { DEFAULT_INTAKE_RULES } from "../../src/core/submission.ts";
import { readSubmission } from "../../src/intake/read-submission.ts";
import { KINDS } from "../../src/kinds/table.ts";
import { openEmbedded } from "../../src/store/open.ts";
import { openPglite, pgliteSql } from "../../src/store/pglite.ts";
import { encodeSpec } from "../../src/store/spec-json.ts";
import type { Sql } from "../../src/store/sql.ts";

/** A small request to fill a database with, under many names. */
export function sampleSpec(): RequestSpec {
  const document = {
    name: "bench",
    kind: "generate",
    events: 1000,
    steps: [{ name: "s", run: ["true"] }],
    outputs: [{ name: "o", file: "o" }],
  };
  const read = readSubmission(document, DEFAULT_INTAKE_RULES, KINDS);
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value.spec;
}

const STATUSES = ["held", "completed", "new"] as const;

/** A database of a server that is not running, with so many requests. */
export async function fillEmbedded(
  dataDir: string,
  requests: number,
  statuses: readonly (typeof STATUSES)[number][] = STATUSES,
): Promise<void> {
  const dir = join(dataDir, "database");
  await (await openEmbedded(dir)).close();
  const sql = pgliteSql(await openPglite({ dataDir: join(dir, "pgdata") }), dir);
  try {
    await fillRequests(sql, requests, statuses, join(dataDir, "map"));
  } finally {
    await sql.close();
  }
}

/**
 * Statuses in turn. Those that are held have a run behind them that another engine has, in `submitDir`: the first pass of the
 * loop looks at each. The others it leaves alone. Rows are made by the database: thousands in a second.
 */
async function fillRequests(sql: Sql, requests: number, statuses: readonly string[], submitDir: string): Promise<void> {
  const spec = JSON.stringify(encodeSpec(sampleSpec()));
  const numbers = `generate_series(0, ${requests - 1}) AS i`;
  const held = `(SELECT substr(name, 7)::int AS i FROM requests WHERE status = 'held') AS chosen`;
  await sql.query(
    `INSERT INTO requests (name, kind, requestor, campaign, spec, status, priority, urgent, production_steps, hold,
       created_at, updated_at, status_since)
     SELECT 'bench-' || i, 'generate', 'person-' || i % 11, 'c-' || i % 20,
       $1::jsonb || jsonb_build_object('name', 'bench-' || i, 'campaign', 'c-' || i % 20),
       status, 100000 + i % 7, false, '[]',
       CASE WHEN status = 'held' THEN jsonb_build_object('code', 'no-site', 'message', 'site-' || i % 9 || ' is closed',
         'evidence', '{}'::jsonb, 'actions', '[]'::jsonb) END,
       at, at, at
     FROM (SELECT i, now() - (${requests} - i) * interval '1 second' AS at,
       ($2::text[])[i % cardinality($2::text[]) + 1] AS status FROM ${numbers}) AS made`,
    [spec, statuses],
  );
  await sql.exec(`
    INSERT INTO transitions (request_name, to_status, reason, actor, at)
    SELECT name, status, 'bench', 'bench', created_at FROM requests;
    INSERT INTO workflows (id, request_name, status, round, next_unit, next_node, next_block, next_first_event,
      next_first_lumi, units_planned, units_done, nodes_planned, nodes_done, events_done, engine, created_at, updated_at)
    SELECT 'w-' || i, 'bench-' || i, 'held', 0, 0, 0, 0, 1, 1, 100, i % 100, 0, 0, 0, 'elsewhere', now(), now() FROM ${held};
    INSERT INTO failure_looks SELECT 'bench-' || i, 'd-' || i || ' running 0 ' || i % 7 || ' 0', now(), i % 4 FROM ${held};
    INSERT INTO request_failures
    SELECT 'bench-' || i, 8000 + i % 13, '', 'exit', 'infrastructure', 'site-' || i % 9, '', 3, 1, 0, 2, now(), now(),
      jsonb_build_object('unit', 'mg_000001', 'node', 'proc_000007', 'cluster', i, 'reason', 'cannot open') FROM ${held};`);
  await sql.query(
    `INSERT INTO dags (id, workflow_id, round, status, submit_dir, engine_id, engine, role_counts, nodes, units, created_at,
       submitted_at)
     SELECT 'd-' || i, 'w-' || i, 0, 'running', $1, i, 'elsewhere', '{}',
       jsonb_build_object('total', 0, 'waiting', 0, 'queued', 0, 'idle', 0, 'held', 0, 'done', 0, 'failed', i % 7),
       jsonb_build_object('total', 100, 'waiting', 0, 'running', 3, 'done', i % 100, 'failed', i % 5), now(), now()
     FROM ${held}`,
    [submitDir],
  );
  await sql.exec("UPDATE workflows SET current_dag_id = 'd-' || substr(id, 3); ANALYZE;");
}

/** The status file of a round of so many units. */
export function writeStatusFile(dir: string, units: number): void {
  mkdirSync(dir, { recursive: true });
  const node = (unit: number) =>
    `[\n  Type = "NodeStatus";\n  Node = "mg_${String(unit).padStart(6, "0")}";\n  NodeStatus = ${[1, 3, 5, 5, 5, 6][unit % 6]}; /* "STATUS" */\n  StatusDetails = "";\n  RetryCount = 0;\n  JobProcsQueued = 0;\n  JobProcsHeld = 0;\n]\n`;
  const head = `[\n  Type = "DagStatus";\n  NodesTotal = ${units};\n]\n`;
  writeFileSync(join(dir, "workflow.dag.status"), head + Array.from({ length: units }, (_, at) => node(at)).join(""));
}
