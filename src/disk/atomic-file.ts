import { open, rename, rm } from "node:fs/promises";
import { WorldError } from "../base/errors.ts";

/**
 * Replaces a file so that a reader sees the old or the new text, never a part, and a crash leaves one of the
 * two. The temporary name carries the pid: two processes do not write into each other's file.
 */
export async function replaceFile(path: string, text: string | Uint8Array, mode = 0o644): Promise<void> {
  const temporary = `${path}.tmp-${process.pid}`;
  try {
    const handle = await open(temporary, "w", mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw unwritable(path, error);
  }
}

/** "No space left" and "permission denied" are for a person; they get the path and what to try. */
export function unwritable(path: string, cause: unknown): WorldError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  const why =
    code === "ENOSPC"
      ? "the disk is full"
      : code === "EACCES" || code === "EPERM" || code === "EROFS"
        ? "no permission to write"
        : "cannot write";
  return new WorldError("disk-unwritable", path, `${why}: ${path}`, { cause });
}
