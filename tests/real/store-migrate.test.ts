import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { InvariantError, WorldError } from "../../src/base/errors.ts";
import { MIGRATIONS_DIR, type Migration, migrate, readMigrations } from "../../src/store/migrate.ts";
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
    const broken = {
      name: "9001_two.sql",
      sha256: "2",
      text: "CREATE TABLE two (n int); CREATE TABLE one (n int)",
    };
    await expect(migrate(sql, [...known, added, broken])).rejects.toThrow(InvariantError);
    expect(
      await sql.query("SELECT to_regclass('one')::text AS one, to_regclass('two')::text AS two"),
    ).toEqual([{ one: null, two: null }]);
    expect(await migrate(sql, [...known, added])).toEqual(["9000_one.sql"]);

    // From here on, the database is newer than a program that does not know 9000_one.
    const refused = await migrate(sql, known).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WorldError);
    expect(refused).toMatchObject({ code: "schema-newer", subject: "9000_one.sql" });
    await sql.exec("DROP TABLE one; DELETE FROM schema_migrations WHERE name = '9000_one.sql'");
  });

  it("that were changed after they had been applied are refused", async () => {
    const { sql } = await freshStore();
    const changed = known.map((migration, n) => (n === 1 ? { ...migration, sha256: "other" } : migration));
    await expect(migrate(sql, changed)).rejects.toThrow(`migration ${known[1]?.name} was changed`);
  });

  it("that come late, with a number before the newest, are refused", async () => {
    const { sql } = await freshStore();
    const late = [...known, { name: "0000_late.sql", sha256: "x", text: "SELECT 1" }];
    await expect(migrate(sql, late)).rejects.toThrow("0000_late.sql is older than");
  });
});
