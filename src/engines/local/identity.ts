import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { readEntry } from "../dag/registry.ts";

/** How requests called a local engine before its data directory had a name of its own. */
export const NAMELESS = "local";

/** The name of this engine directory, given at its first use: several may serve one database. */
export function identityOf(dir: string): string {
  const path = join(dir, "id");
  const aside = join(dir, `.id-${process.pid}-${randomBytes(4).toString("hex")}`);
  mkdirSync(dir, { recursive: true });
  writeFileSync(aside, `${randomBytes(4).toString("hex")}\n`);
  try {
    linkSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(aside);
  }
  return `${NAMELESS}:${readFileSync(path, "utf8").trim()}`;
}

/** Whether a run of a nameless local engine is this one's: it is under way here, or its files lie in this data directory. */
export const holdsRun = (dir: string, { batchName, submitDir }: { batchName: string; submitDir: string }): boolean =>
  readEntry(dir, batchName) !== null || resolve(submitDir).startsWith(`${dirname(resolve(dir))}${sep}`);
