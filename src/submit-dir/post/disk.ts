import {
  appendFileSync,
  chownSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { readIfThereSync } from "../../core/disk/read-if-there.ts";

/** Files of a unit's directory. Everything is synchronous: POST does one thing at a time and then ends. */

/**
 * POST could not do its work. `again`: the world is in the way (no space, a busy lock), and the same call may succeed
 * later, so DAGMan is asked to make it again. `person`: something that should never happen did; the node stops, and
 * nothing is run on counters that cannot be trusted.
 */
export class PostTrouble extends Error {
  readonly kind: "again" | "person";

  constructor(kind: "again" | "person", message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "PostTrouble";
    this.kind = kind;
  }
}

const PASSING = ["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "ESTALE", "ETIMEDOUT"];

/** Runs something that touches the disk; what it throws is told with the file and what was tried. */
export function withFile<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof PostTrouble) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const kind = PASSING.includes(code ?? "") ? "again" : "person";
    throw new PostTrouble(kind, `cannot ${what}: ${code ?? message}`, error);
  }
}

/** null: there is no such file. */
function ifThere<T>(act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

export const readIfThere = (path: string): string | null => withFile(`read ${path}`, () => readIfThereSync(path));

/** Reads parts of an open file by offset and length; null when there is no file. */
export function readParts<T>(
  path: string,
  read: (size: number, part: (from: number, length: number) => Buffer) => T,
): T | null {
  return withFile(`read ${path}`, () => {
    const descriptor = ifThere(() => openSync(path, "r"));
    if (descriptor === null) return null;
    try {
      return read(fstatSync(descriptor).size, (from, length) => {
        const buffer = Buffer.alloc(length);
        return buffer.subarray(0, readSync(descriptor, buffer, 0, length, from));
      });
    } finally {
      closeSync(descriptor);
    }
  });
}

/** The last bytes of a file; "" when there is none. */
export function readTail(path: string, most: number): string {
  const tail = readParts(path, (size, part) => part(Math.max(0, size - most), Math.min(size, most)));
  return tail?.toString("utf8") ?? "";
}

/** A reader sees the old or the new text, never a part. */
export function replace(path: string, text: string): void {
  withFile(`write ${path}`, () => {
    const aside = `${path}.tmp-${process.pid}`;
    try {
      writeFileSync(aside, text);
      giveToOwner(aside);
      renameSync(aside, path);
    } catch (error) {
      removeIfThere(aside);
      throw error;
    }
  });
}

/** A line by one write: several may do it at once. */
export function append(path: string, line: string): void {
  withFile(`append to ${path}`, () => {
    const isNew = !existsSync(path);
    appendFileSync(path, line);
    if (isNew) giveToOwner(path);
  });
}

export function removeIfThere(path: string): void {
  withFile(`remove ${path}`, () => ifThere(() => unlinkSync(path)));
}

/** A server that is root leaves files that POST, who is not, must be able to change: they belong to the directory's owner. */
export function giveToOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  if (uid !== 0) chownSync(path, uid, gid);
}
