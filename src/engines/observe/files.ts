import { lstat, readdir } from "node:fs/promises";
import { openPlain, readPlain } from "../../core/disk/plain-files.ts";

/**
 * Reading files that another process may be replacing, cutting or removing: what cannot be read is a value. They lie in
 * directories of the jobs' owner, so links are not followed and a pipe is no file.
 */
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
const isAbsent = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(codeOf(error));

/** null: there is none, or it cannot be read. */
export async function readText(path: string): Promise<string | null> {
  try {
    return await readPlain(path);
  } catch {
    return null;
  }
}

export async function listDir(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch {
    return [];
  }
}

/** Modification time in milliseconds, or null when there is no such file. */
export async function modifiedAt(path: string): Promise<number | null> {
  try {
    return (await lstat(path)).mtimeMs;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** Applies `work` to all, a few at a time, in order. */
export async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>, width = 16): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
}

type CachedOutcome<T> =
  /** `fresh`: it was read just now, the file has changed since the last time. */
  | { readonly kind: "value"; readonly value: T; readonly fresh: boolean }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly why: string };

/** Parsed files by (inode, mtime, size): an unchanged file costs one stat. */
export class FileCache {
  private readonly entries = new Map<string, { stamp: string; value: unknown; used: number }>();
  private turn = 0;

  async stamp(path: string): Promise<string> {
    try {
      return stampOf(await lstat(path));
    } catch (error) {
      return codeOf(error);
    }
  }

  async read<T>(path: string, parse: (text: string) => T | Promise<T>): Promise<CachedOutcome<T>> {
    try {
      const known = this.entries.get(path);
      if (known && known.stamp === stampOf(await lstat(path))) {
        known.used = this.turn;
        return { kind: "value", value: known.value as T, fresh: false };
      }
      const file = await openPlain(path);
      try {
        // The stamp of what was opened: the name may already lead to a newer file.
        const stamp = stampOf(await file.stat());
        const value = await parse(await file.readFile("utf8"));
        this.entries.set(path, { stamp, value, used: this.turn });
        return { kind: "value", value, fresh: true };
      } finally {
        await file.close();
      }
    } catch (error) {
      this.entries.delete(path);
      if (isAbsent(error)) return { kind: "absent" };
      if ((error as NodeJS.ErrnoException).code === undefined) throw error; // a bug of ours, not the file's
      return { kind: "unreadable", why: codeOf(error) };
    }
  }

  /** Called once per round of looks: what was not asked for in the last ones is dropped. */
  sweep(roundsKept: number): void {
    this.turn++;
    for (const [path, entry] of this.entries) {
      if (entry.used < this.turn - roundsKept) this.entries.delete(path);
    }
  }
}

const stampOf = (stats: { ino: number; mtimeMs: number; size: number }): string =>
  `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
