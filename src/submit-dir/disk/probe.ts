import { randomBytes } from "node:crypto";
import { open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { diskFull, type WorldError } from "../../core/base/errors.ts";

/** With less than this nothing goes on: a line of a ledger may still find its place, a submit directory does not. */
const LEAST_BYTES = 64 * 1024;
const PROBE = Buffer.alloc(4096);

/** Why nothing can be written there; null: it can, or the directory is not there yet. Space kept for root does not count. */
export async function fullDisk(dir: string): Promise<WorldError | null> {
  const path = join(dir, `.probe-${randomBytes(8).toString("hex")}`);
  try {
    const { blocks, bavail, bsize } = await statfs(dir);
    if (blocks > 0 && bavail * bsize < LEAST_BYTES)
      throw Object.assign(new Error(`${bavail * bsize} bytes left`), { code: "ENOSPC" });
    const handle = await open(path, "wx");
    try {
      await handle.writeFile(PROBE);
    } finally {
      await handle.close();
    }
    return null;
  } catch (error) {
    return diskFull(error, dir);
  } finally {
    await rm(path, { force: true }).catch(() => {});
  }
}
