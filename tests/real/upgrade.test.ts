import type { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_INTAKE_RULES } from "../../src/core/submission.ts";
import { makeLoop } from "../../src/loop/loop.ts";
import { makeCommands } from "../../src/operations/handlers/commands.ts";
import { type Migration, migrate, readMigrations } from "../../src/store/migrate.ts";
import { openPglite, pgliteSql } from "../../src/store/pglite.ts";
import { postgresSql } from "../../src/store/postgres.ts";
import type { Sql } from "../../src/store/sql.ts";
import { openStore } from "../../src/store/store.ts";
import { lacksPostgres, startPostgres, type TestServer } from "../support/postgres.ts";
import { generation, makeWorld, POLICY } from "../support/world.ts";

/** The newest migration of each schema that had landed, and so may be in a database of somebody. */
const LANDED = ["0004", "0005", "0008", "0013", "0019", "0026"];
/** In the order of their references; what an earlier schema had of them. */
const TABLES = [
  "requests",
  "transitions",
  "workflows",
  "dags",
  "dag_history",
  "engine_intents",
  "processing_blocks",
  "work_units",
];
const LEDGER = ["output_blocks", "unit_outputs"];

/** Rows as a program of that time would have left them: in the columns it had, with the words it used. */
async function carryOver(from: Sql, to: Sql, newest: string): Promise<void> {
  await to.exec("ALTER TABLE workflows ALTER CONSTRAINT workflows_current_dag DEFERRABLE INITIALLY DEFERRED");
  await to.transaction(async (tx) => {
    for (const table of newest < "0012" ? TABLES : [...TABLES, ...LEDGER]) {
      const columns = (
        await tx.query<{ name: string }>(
          `SELECT column_name AS name FROM information_schema.columns
           WHERE table_name = $1 AND is_generated = 'NEVER' AND is_identity = 'NO'`,
          [table],
        )
      ).map(({ name }) => name);
      for (const { row } of await from.query<{ row: Record<string, unknown> }>(
        `SELECT to_jsonb(${table}) AS row FROM ${table}`,
      )) {
        // Blocks of outputs belonged to processing blocks then.
        if (table === "output_blocks") row.block_index = await processingBlockOf(from, String(row.name));
        const given = columns.filter((name) => row[name] !== undefined);
        if (table === "requests" && newest < "0006") row.waiting = null;
        if (table === "dag_history" && newest < "0014" && row.type === "ended") {
          const { text, ...detail } = row.detail as Record<string, unknown>;
          row.detail = { ...detail, words: text };
        }
        await tx.query(
          `INSERT INTO ${table} (${given.join(", ")})
           SELECT ${given.join(", ")} FROM jsonb_populate_record(NULL::${table}, $1::jsonb)`,
          [JSON.stringify(row)],
        );
      }
    }
  });
}

async function processingBlockOf(sql: Sql, block: string): Promise<number> {
  const [found] = await sql.query<{ index: number }>(
    `SELECT min(u.block_index)::int AS index FROM unit_outputs o
     JOIN work_units u ON u.workflow_id = o.workflow_id AND u.name = o.unit WHERE o.block = $1`,
    [block],
  );
  return found?.index ?? 0;
}

/** Of the next processing block, at the same site: there were several open at once, and this one is known outside. */
const addOldBlock = (sql: Sql) =>
  sql.exec(`
    INSERT INTO processing_blocks (workflow_id, block_index, dataset, units_total, created_at, updated_at)
      SELECT DISTINCT workflow_id, 77, dataset, 0, now(), now() FROM output_blocks WHERE status = 'open';
    INSERT INTO output_blocks (name, workflow_id, block_index, dataset, site, part, begun, next_try_at, created_at, updated_at)
      SELECT dataset || '#77', workflow_id, 77, dataset, site, 0, '["files"]', next_try_at, created_at, updated_at
      FROM output_blocks WHERE status = 'open'`);

/** One that runs with a unit done, one that is held after failures, one that somebody gave up, one that waits. */
async function oldInstallation() {
  const world = await makeWorld();
  const ann = { actor: "ann", version: null, dryRun: false };
  const failing = async (name: string) => {
    const made = await world.submit(generation(name, 4));
    await world.pass();
    world.engine.finish(world.storageDir, 1);
    world.engine.fail(3);
    world.engine.end("failed", "3 nodes failed");
    await world.pass();
    await world.expectStatus(made, "held");
    return made;
  };
  const given = await failing("given-up");
  await world.commands.act(given, { action: "fail", reason: "wrong input" }, ann);
  await world.pass();
  const held = await failing("held");
  const running = await world.submit(generation("running", 3));
  await world.pass();
  world.engine.finish(world.storageDir, 1);
  await world.pass();
  await world.expectStatus(running, "active");
  return { world, ann, given, held, running };
}

async function upgradeStory(sql: Sql, known: readonly Migration[], newest: string): Promise<void> {
  const { world, ann, given, held, running } = await oldInstallation();
  await migrate(
    sql,
    known.filter(({ name }) => name.slice(0, 4) <= newest),
  );
  await carryOver(world.store.sql, sql, newest);
  if (newest >= "0012") await addOldBlock(sql);
  await migrate(sql, known);
  const store = openStore(sql);
  const ports = { ...world.ports, store };
  const loop = makeLoop(ports, POLICY, "upgraded");
  const commands = makeCommands(ports, POLICY, { ...DEFAULT_INTAKE_RULES, requestor: "ann" }, () => {});
  const status = async (name: typeof held) => (await store.requests.get(name))?.status;
  const before = world.engine.submitted.length;
  world.wait(POLICY.leaseSec + 1);
  await loop.passOnce();
  expect([await status(running), await status(held), await status(given)]).toEqual(["active", "held", "failed"]);
  expect(world.engine.submitted).toHaveLength(before);
  world.engine.finish(world.storageDir);
  for (let pass = 0; pass < 3; pass += 1) await loop.passOnce();
  expect(await status(running)).toBe("completed");
  // Blocks that were open then took what came, and are through; nothing is in none of them, or in two.
  const { items } = await store.outputs.list({ limit: 100, requestName: running });
  expect(items.map((block) => block.status)).toEqual(items.map(() => "done"));
  const made = (await store.units.list((await store.workflows.forRequest(running))?.id as never)).map(
    (unit) => unit.outputs,
  );
  expect(items.reduce((sum, { files }) => sum + files, 0)).toBe(
    newest < "0012" ? made.flat().length - 1 : made.flat().length,
  );
  // What had finished was not run again, and nothing else was submitted.
  expect(world.engine.submitted).toHaveLength(before);
  const answer = await commands.act(held, { action: "rescue", reason: "fixed" }, ann);
  expect(answer).toMatchObject({ kind: "done" });
  for (let pass = 0; pass < 3; pass += 1) await loop.passOnce();
  expect(world.engine.submitted.slice(before).map(({ toRun }) => toRun.length)).toEqual([3]);
  world.engine.finish(world.storageDir);
  for (let pass = 0; pass < 3; pass += 1) await loop.passOnce();
  expect([await status(running), await status(held), await status(given)]).toEqual([
    "completed",
    "completed",
    "failed",
  ]);
}

describe("a server that is newer than its database goes on with what it finds there", () => {
  let known: readonly Migration[];
  beforeAll(async () => {
    known = await readMigrations();
  });

  describe("PGlite", () => {
    let db: PGlite;
    beforeAll(async () => {
      db = await openPglite({ dataDir: "memory://" });
    });
    afterAll(() => db.close());

    test.each(LANDED)("from the schema of %s", async (newest) => {
      await db.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
      await upgradeStory(pgliteSql(db, "an older database"), known, newest);
    });
  });

  describe.skipIf(lacksPostgres())("PostgreSQL", () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server.remove());

    test.each(LANDED)("from the schema of %s", async (newest) => {
      const all = postgresSql(server.url);
      await all.exec(`CREATE DATABASE from_${newest}`);
      await all.close();
      const sql = postgresSql(server.url.replace(/postgres$/, `from_${newest}`));
      await upgradeStory(sql, known, newest);
      await sql.close();
    });
  });
});
