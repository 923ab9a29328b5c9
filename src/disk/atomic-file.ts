import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { InvariantError, WorldError } from "../base/errors.ts";

/**
 * Replaces a file so that a reader sees the old or the new text, never a part, and a crash leaves one of the
 * two. The temporary name carries the pid: two processes do not write into each other's file.
 */
export async function replaceFile(path: string, text: string | Uint8Array, mode = 0o644): Promise<void> {
  const temporary = `${path}.tmp-${process.pid}`;
  try {
    await writeFile(temporary, text, { mode, flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw unwritable(path, error);
  }
}

/** null: there is no such file (or, below /proc, no such process any more). */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw unwritable(path, error);
  }
}

/** Work on a file or directory; what goes wrong there names it. */
export async function orUnwritable<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** "No space left" and "permission denied" are for a person; they get the path and what to try. */
export function unwritable(path: string, cause: unknown): Error {
  if (cause instanceof WorldError || cause instanceof InvariantError) return cause;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  const why =
    code === "ENOSPC"
      ? "the disk is full"
      : code === "EACCES" || code === "EPERM" || code === "EROFS"
        ? "no permission to write"
        : "cannot write";
  return new WorldError("disk-unwritable", path, `${why}: ${path}`, { cause });
}
