import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { InvariantError, WorldError } from "../../src/core/base/errors.ts";
import type { RequestName } from "../../src/core/names.ts";
import { MIGRATIONS_DIR, type Migration, migrate, readMigrations } from "../../src/store/migrate.ts";
import { openPglite, pgliteSql } from "../../src/store/pglite.ts";
import { openStore } from "../../src/store/store.ts";
import { freshStore } from "../support/store-embedded.ts";
import { describeSchema } from "../support/store-schema.ts";

describe("migrations", () => {
  let known: readonly Migration[];
  beforeAll(async () => {
    known = await readMigrations();
  });

  it("add up to migrations/schema.sql", async () => {
    const { sql } = await freshStore();
    const schema = await describeSchema(sql);
    const file = join(MIGRATIONS_DIR, "schema.sql");
    if (process.env.UPDATE_SCHEMA) await writeFile(file, schema);
    expect(schema).toBe(await readFile(file, "utf8"));
  });

  it("are applied once", async () => {
    const { sql } = await freshStore();
    expect(await migrate(sql, known)).toEqual([]);
  });

  it("apply what is new, all of it or nothing", async () => {
    const { sql } = await freshStore();
    const added = { name: "9000_one.sql", sha256: "1", text: "CREATE TABLE one (n int)" };
    const broken = { name: "9001_two.sql", sha256: "2", text: "CREATE TABLE two (n int); CREATE TABLE one (n int)" };
    await expect(migrate(sql, [...known, added, broken])).rejects.toThrow(InvariantError);
    expect(await sql.query("SELECT to_regclass('one')::text AS one, to_regclass('two')::text AS two")).toEqual([
      { one: null, two: null },
    ]);
    expect(await migrate(sql, [...known, added])).toEqual(["9000_one.sql"]);

    // From here on, the database is newer than a program that does not know 9000_one.
    const refused = await migrate(sql, known).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WorldError);
    expect(refused).toMatchObject({ code: "schema-newer", subject: "9000_one.sql" });
    await sql.exec("DROP TABLE one; DELETE FROM schema_migrations WHERE name = '9000_one.sql'");
  });

  it("keep what a database of an older program holds", async () => {
    const db = await openPglite({ dataDir: "memory://" });
    const sql = pgliteSql(db, "an older database");
    const older = known.filter(({ name }) => name < "0005");
    await migrate(sql, older);
    await sql.exec(`
      INSERT INTO requests (name, kind, requestor, campaign, spec, status, priority, urgent, production_steps,
          created_at, updated_at, status_since)
        SELECT name, 'generate', 'ada', '', spec::jsonb, 'queued', 1, false, '[]', now(), now(), now()
        FROM (VALUES ('a', '{"name": "a", "previousVersion": null}'),
          ('a-v2', '{"name": "a-v2", "previousVersion": "a"}')) AS given (name, spec);
      INSERT INTO alerts (key, severity, subject, message, first_at, last_at)
        VALUES ('k', 'info', 's', 'm', now(), now());
      INSERT INTO sites (name, updated_at) VALUES ('north', now());
      INSERT INTO site_bans (site, reason, evidence, created_at, expires_at)
        VALUES ('north', 'r', '{}', now(), now() + interval '1 day');`);
    expect(await migrate(sql, known)).toEqual(known.slice(older.length).map(({ name }) => name));
    const store = openStore(sql);
    const versions = await store.requests.versions("a" as RequestName);
    expect(versions).toMatchObject([
      { spec: { name: "a" }, modifications: null, rescuesUsed: 0, outputState: "active" },
      { spec: { name: "a-v2" } },
    ]);
    expect(await store.alerts.undelivered("mail", 9)).toMatchObject([{ alert: { key: "k", lastChange: "opened" } }]);
    expect(await store.sites.activeBans(new Date(Date.now() + 1000))).toMatchObject([{ createdBy: null }]);
    await store.close();
  });

  it("rename the fields of waits and of what was noted of a run", async () => {
    const db = await openPglite({ dataDir: "memory://" });
    const sql = pgliteSql(db, "an older database");
    await migrate(
      sql,
      known.filter(({ name }) => name < "0014"),
    );
    await sql.exec(`
      INSERT INTO requests (name, kind, requestor, campaign, spec, status, priority, urgent, production_steps,
          created_at, updated_at, status_since, waiting)
        VALUES ('a', 'generate', 'ada', '', '{"name": "a"}', 'queued', 1, false, '[]', now(), now(), now(),
          '{"code": "place", "words": "next in the queue", "who": "time"}');
      ALTER TABLE dag_history DROP CONSTRAINT dag_history_dag_id_fkey;
      INSERT INTO dag_history (dag_id, type, detail, at) VALUES
        ('d', 'ended', '{"verdict": "failed", "words": "1 node failed"}', now()),
        ('d', 'refused', '{"unit": "mg_000000", "words": "no events"}', now()),
        ('d', 'submitted', '{}', now());`);
    await migrate(sql, known);
    expect(await sql.query("SELECT waiting FROM requests")).toEqual([
      { waiting: { code: "admission", reason: "next in the queue", who: "time" } },
    ]);
    expect(await sql.query("SELECT detail FROM dag_history ORDER BY id")).toEqual([
      { detail: { verdict: "failed", text: "1 node failed" } },
      { detail: { unit: "mg_000000", reason: "no events" } },
      { detail: {} },
    ]);
    await db.close();
  });

  it("that were changed after they had been applied are refused", async () => {
    const { sql } = await freshStore();
    const changed = known.map((migration, n) => (n === 1 ? { ...migration, sha256: "other" } : migration));
    const refused = await migrate(sql, changed).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "schema-differs", message: expect.stringContaining(`${known[1]?.name}`) });
  });

  it("that come late, with a number before the newest, are refused", async () => {
    const { sql } = await freshStore();
    const late = [...known, { name: "0000_late.sql", sha256: "x", text: "SELECT 1" }];
    const refused = await migrate(sql, late).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "schema-differs", message: expect.stringContaining("0000_late.sql") });
  });

  it("an older program says that the database is newer, whatever else differs", async () => {
    const { sql } = await freshStore();
    const older = known.slice(0, -2);
    const edited = older.map((migration, n) => (n === 0 ? { ...migration, sha256: "other" } : migration));
    const branched = [...edited, { name: "0000_late.sql", sha256: "x", text: "SELECT 1" }];
    for (const program of [older, edited, branched]) {
      const refused = await migrate(sql, program).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(WorldError);
      const words = expect.stringContaining(
        `${known.at(-2)?.name}, ${known.at(-1)?.name}, which this program does not`,
      );
      expect(refused).toMatchObject({
        code: "schema-newer",
        message: words,
        hint: expect.stringContaining("newer wms2"),
      });
    }
  });
});
