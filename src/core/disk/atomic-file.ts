import { InvariantError, WorldError } from "../base/errors.ts";
import { readPlain, writeWhole } from "./plain-files.ts";

/** As `writeWhole`; what goes wrong names the file and says what to try. */
export const replaceFile = (path: string, text: string | Uint8Array, mode = 0o644): Promise<void> =>
  orUnwritable(path, () => writeWhole(path, text, mode));

/** null: there is no such file (or, below /proc, no such process any more). Links are not followed. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readPlain(path);
  } catch (error) {
    return ifAbsent(path, error);
  }
}

export function ifAbsent(path: string, cause: unknown): null {
  if (["ENOENT", "ESRCH"].includes(codeOf(cause))) return null;
  throw new WorldError("disk-unwritable", path, `cannot read ${path}: ${whyNot(cause)}`, { cause });
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
  return new WorldError("disk-unwritable", path, `cannot write ${path}: ${whyNot(cause)}`, { cause });
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | undefined)?.code ?? "";

const WHY_NOT: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the quota is used up",
  EROFS: "the disk is read-only",
  EACCES: "no permission",
  EPERM: "no permission",
  ENOENT: "it is not there",
  ENOTDIR: "what should be a directory is none",
  EISDIR: "it is a directory",
  ELOOP: "it is a link, and links are not followed here",
  EINVAL: "it is not a plain file",
};
/** What the system said, in words. */
export const whyNot = (error: unknown): string =>
  WHY_NOT[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
