import type { Dirent } from "node:fs";
import { lstat, opendir, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { replaceFile } from "../../core/disk/atomic-file.ts";
import { inDirectory, openPlain } from "../../core/disk/plain-files.ts";
import { isName } from "../../core/names.ts";
import { isSubmitDirName } from "../names.ts";

/**
 * Small asynchronous steps on files, so that a tree of a million files never keeps others from their turn, and a
 * budget that ends a turn in the middle: whatever is left is found again by the next one. Links are never followed.
 */
export class Budget {
  left: number;
  freedFiles = 0;
  freedBytes = 0;

  constructor(operations: number) {
    this.left = operations;
  }
  get isOut(): boolean {
    return this.left <= 0;
  }
}

/** false: the budget ended first. */
export async function removeTree(path: string, budget: Budget): Promise<boolean> {
  for (;;) {
    const removed = await inDirectory(dirname(path), basename(path), (here) => empty(here, budget)).catch(ifGone);
    if (removed === null) return true;
    if (removed === "unfinished") return false;
    budget.left -= 1;
    try {
      await rmdir(path);
      return true;
    } catch (error) {
      // A directory that shrinks while it is listed may not show all it has: look again, as long as that helps.
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY" || removed === 0)
        return ifGone(error as Error) === null;
    }
  }
}

async function empty(dir: string, budget: Budget): Promise<number | "unfinished"> {
  let removed = 0;
  for await (const entry of await opendir(dir, { bufferSize: 256 })) {
    if (budget.isOut) return "unfinished";
    const inner = join(dir, entry.name);
    if (!entry.isDirectory()) await removeFile(inner, budget);
    else if (!(await removeTree(inner, budget))) return "unfinished";
    removed += 1;
  }
  return removed;
}

export async function removeFile(path: string, budget: Budget): Promise<void> {
  budget.left -= 1;
  const stats = await lstat(path).catch(ifGone);
  await unlink(path).catch(ifGone);
  if (!stats) return;
  budget.freedFiles += 1;
  budget.freedBytes += stats.size;
}

/** The first or last bytes of a file, and how large it is; null: it cannot be opened. */
export async function readPart(
  path: string,
  bytes: number,
  from: "start" | "end",
): Promise<{ part: Buffer; size: number } | null> {
  const handle = await openPlain(path).catch(() => null);
  if (!handle) return null;
  try {
    const { size } = await handle.stat();
    const at = from === "start" ? 0 : Math.max(0, size - bytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, at);
    return { part: buffer.subarray(0, bytesRead), size };
  } finally {
    await handle.close();
  }
}

/** The last bytes of a file that may have grown large, as text; "" when it cannot be read. */
export const readTail = async (path: string, bytes: number): Promise<string> =>
  (await readPart(path, bytes, "end").catch(() => null))?.part.toString("utf8") ?? "";

/** Keeps the last bytes of a file; answers how many there are. */
export async function keepTail(path: string, bytes: number, budget: Budget): Promise<number> {
  const { part, size } = (await readPart(path, bytes, "end")) ?? { part: null, size: 0 };
  if (part === null || size <= bytes) return size;
  budget.left -= 1;
  budget.freedBytes += size - part.length;
  await replaceFile(path, part);
  return part.length;
}

const REMOVING = ".removing-";
/** Where a directory is put that is being removed. */
export const asideOf = (path: string): string => join(dirname(path), `${REMOVING}${basename(path)}`);
export const isBeingRemoved = (entry: Dirent): boolean => entry.isDirectory() && entry.name.startsWith(REMOVING);

/** A tree that is gone under its name at once, while the rest may take several turns. false: the budget ended first. */
export async function removeAtOnce(path: string, budget: Budget): Promise<boolean> {
  const aside = asideOf(path);
  // What an earlier turn set aside must be gone before the name is free for this one.
  if (!(await removeTree(aside, budget))) return false;
  await rename(path, aside).catch(ifGone);
  return removeTree(aside, budget);
}

/** Empty when it is not there. */
export async function entriesOf(path: string): Promise<readonly Dirent[]> {
  return (await readdir(path, { withFileTypes: true }).catch(ifGone)) ?? [];
}

/** Names of the requests that have a directory there. */
export const requestsIn = async (path: string): Promise<readonly string[]> =>
  (await entriesOf(path)).filter((entry) => entry.isDirectory() && isName(entry.name)).map(({ name }) => name);

export const isSubmitDirectory = (entry: Dirent): boolean => entry.isDirectory() && isSubmitDirName(entry.name);

export function ifGone(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
  throw error;
}
