import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { type Migration, migrate } from "./migrate.ts";
import { openPglite, pgliteSql } from "./pglite.ts";

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/**
 * A new embedded database with the schema in it, as a packed data directory. Making one on disk takes 8 s (initdb
 * writes thousands of small files through WASM); in memory it takes 3 s, and unpacking it on disk 0.5 s. It is
 * kept in the user's cache, so only the first start on a machine pays even that. Cache files are named after
 * all they depend on and appear whole; one that cannot be read or written is no error, only slower.
 */
export async function emptyDatabase(migrations: readonly Migration[]): Promise<Blob> {
  const file = join(cacheDir(), await snapshotName(migrations));
  const kept = await unpacked(file);
  if (kept) return kept;
  const made = await makeEmptyDatabase(migrations);
  await keep(file, made);
  return made;
}

/** Unzipped here and not by PGlite, which neither finishes nor fails on a damaged file. */
async function unpacked(file: string): Promise<Blob | null> {
  try {
    return new Blob([new Uint8Array(await unzip(await readFile(file)))]);
  } catch {
    return null;
  }
}

async function makeEmptyDatabase(migrations: readonly Migration[]): Promise<Blob> {
  const db = await openPglite({ dataDir: "memory://" });
  try {
    await migrate(pgliteSql(db, "a new embedded database"), migrations);
    return await db.dumpDataDir("none");
  } finally {
    await db.close();
  }
}

async function keep(file: string, made: Blob): Promise<void> {
  const aside = `${file}.tmp-${process.pid}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(aside, await zip(new Uint8Array(await made.arrayBuffer()), { level: 1 }), { mode: 0o600 });
    await rename(aside, file);
  } catch {
    await rm(aside, { force: true }).catch(() => {});
  }
}

const cacheDir = (): string => join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "wms2");

async function snapshotName(migrations: readonly Migration[]): Promise<string> {
  const hash = createHash("sha256");
  for (const { name, sha256 } of migrations) hash.update(`${name} ${sha256}\n`);
  return `empty-database-pglite-${await pgliteVersion()}-${hash.digest("hex").slice(0, 16)}.tar.gz`;
}

async function pgliteVersion(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const manifest = JSON.parse(await readFile(join(dirname(entry), "..", "package.json"), "utf8")) as {
    version: string;
  };
  return manifest.version;
}
