import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { WorldError } from "../core/base/errors.ts";
import { lockDirectory } from "../core/disk/lock.ts";
import { type Migration, migrate, readMigrations } from "./migrate.ts";
import { openPglite, pgliteSql } from "./pglite.ts";
import type { Store } from "./port.ts";
import { postgresSql } from "./postgres.ts";
import { emptyDatabase } from "./snapshot.ts";
import type { Sql } from "./sql.ts";
import { openStore } from "./store.ts";

/** The database of an installation without a server: in `dir`, for this process alone. */
export async function openEmbedded(dir: string): Promise<Store> {
  const migrations = await readMigrations();
  const lock = await lockDirectory(dir, "the embedded database");
  try {
    const data = join(dir, "pgdata");
    if (!(await exists(join(data, "PG_VERSION")))) await createDatabase(data, migrations);
    const sql = pgliteSql(await openData(data), `the embedded database in ${dir}`);
    return await ready(sql, migrations, () => lock.release());
  } catch (error) {
    await lock.release();
    throw error;
  }
}

export async function openPostgres(url: string): Promise<Store> {
  return ready(postgresSql(url), await readMigrations(), async () => {});
}

async function ready(sql: Sql, migrations: readonly Migration[], closed: () => Promise<void>): Promise<Store> {
  try {
    await migrate(sql, migrations);
  } catch (error) {
    await sql.close();
    throw error;
  }
  const store = openStore(sql);
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    try {
      await store.close();
    } finally {
      await closed();
    }
  };
  return { ...store, close: () => (closing ??= close()) };
}

/** Made aside and renamed: a crash in between leaves no half database behind. */
async function createDatabase(data: string, migrations: readonly Migration[]): Promise<void> {
  const aside = `${data}.new`;
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { recursive: true, mode: 0o700 });
  const db = await openPglite({ dataDir: aside, loadDataDir: await emptyDatabase(migrations) });
  await db.close();
  await rm(data, { recursive: true, force: true });
  await rename(aside, data);
}

async function openData(data: string): Promise<PGlite> {
  try {
    return await openPglite({ dataDir: data });
  } catch (error) {
    throw new WorldError("store-unreachable", data, `the embedded database in ${data} cannot be opened`, {
      cause: error,
    });
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
