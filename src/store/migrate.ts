import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { InvariantError, WorldError } from "../core/base/errors.ts";
import { listed } from "../core/base/text.ts";
import { PACKAGE_ROOT } from "../core/disk/package-root.ts";
import type { Sql } from "./sql.ts";

/**
 * Brings a database to the schema this program knows. Forward only, all in one transaction and under a lock, so
 * that of several servers starting together one migrates and the others find it done, and a crash in between
 * leaves the schema as it was. (On PGlite the lock coordinates nothing; the directory's lock does.)
 */
export interface Migration {
  readonly name: string;
  readonly sha256: string;
  readonly text: string;
}

export const MIGRATIONS_DIR = join(PACKAGE_ROOT, "migrations");
const FILE = /^\d{4}_[a-z0-9_]+\.sql$/;
// Any number that nobody else uses for an advisory lock: "wms2" in ASCII.
const LOCK_KEY = 0x776d7332;

export async function readMigrations(dir = MIGRATIONS_DIR): Promise<readonly Migration[]> {
  const names = (await readdir(dir)).filter((name) => FILE.test(name)).sort();
  if (names.length === 0) throw new InvariantError(`no migrations in ${dir}: this installation is incomplete`);
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(`${dir}/${name}`, "utf8");
      return { name, text, sha256: createHash("sha256").update(text).digest("hex") };
    }),
  );
}

/** Answers the names of those it applied. */
export async function migrate(sql: Sql, migrations: readonly Migration[]): Promise<readonly string[]> {
  return sql.transaction(async (tx) => {
    await tx.query("SELECT pg_advisory_xact_lock($1::bigint)", [LOCK_KEY]);
    await tx.exec(`CREATE TABLE IF NOT EXISTS schema_migrations (
      name text COLLATE "C" PRIMARY KEY,
      sha256 text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`);
    const applied = await tx.query<{ name: string; sha256: string }>(
      "SELECT name, sha256 FROM schema_migrations ORDER BY name",
    );
    const missing = migrationsToApply(migrations, applied);
    for (const migration of missing) {
      await tx.exec(migration.text);
      await tx.query("INSERT INTO schema_migrations (name, sha256) VALUES ($1, $2)", [
        migration.name,
        migration.sha256,
      ]);
    }
    return missing.map(({ name }) => name);
  });
}

/**
 * What is missing, where the database is of an earlier program or the present one. Any other is left alone, in words: first of
 * all one that a newer program has used, whatever else differs.
 */
function migrationsToApply(
  known: readonly Migration[],
  applied: readonly { name: string; sha256: string }[],
): readonly Migration[] {
  const byName = new Map(known.map((migration) => [migration.name, migration]));
  const foreign = applied.filter(({ name }) => !byName.has(name)).map(({ name }) => name);
  const newest = applied.at(-1)?.name ?? "";
  if (foreign.length > 0)
    throw new WorldError(
      "schema-newer",
      foreign[0]!,
      `the database has ${listed(foreign)}, which this program does not know; its own newest is ${known.at(-1)?.name}`,
    );
  const changed = applied.filter(({ name, sha256 }) => byName.get(name)?.sha256 !== sha256).map(({ name }) => name);
  if (changed.length > 0)
    throw new WorldError(
      "schema-differs",
      changed[0]!,
      `${listed(changed)} of this program is not what was applied to the database`,
    );
  const done = new Set(applied.map(({ name }) => name));
  const missing = known.filter(({ name }) => !done.has(name));
  const late = missing.find(({ name }) => name < newest);
  if (late)
    throw new WorldError(
      "schema-differs",
      late.name,
      `the database has ${newest}, and not ${late.name}, which comes before it`,
    );
  return missing;
}
