import {
  chownSync,
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { withFile } from "./trouble.ts";

/** Files of a unit's directory. Everything is synchronous: POST does one thing at a time and then ends. */

export function readIfThere(path: string): string | null {
  return withFile(`read ${path}`, () => {
    try {
      return readFileSync(path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  });
}

/** The last bytes of a file; "" when there is none. */
export function readTail(path: string, most: number): string {
  return withFile(`read ${path}`, () => {
    let descriptor: number;
    try {
      descriptor = openSync(path, "r");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
      throw error;
    }
    try {
      const { size } = fstatSync(descriptor);
      const buffer = Buffer.alloc(Math.min(size, most));
      const read = readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString("utf8", 0, read);
    } finally {
      closeSync(descriptor);
    }
  });
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

export function removeIfThere(path: string): void {
  withFile(`remove ${path}`, () => {
    try {
      unlinkSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  });
}

/** A server that is root leaves files that POST, who is not, must be able to change: they belong to the directory's owner. */
export function giveToOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  if (uid !== 0) chownSync(path, uid, gid);
}
