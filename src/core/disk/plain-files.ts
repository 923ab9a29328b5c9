import { randomBytes } from "node:crypto";
import { existsSync, constants as fs } from "node:fs";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Below a submit directory everything belongs to the owner of the jobs, who may put a link, a pipe or another directory
 * in the place of anything, at any moment. A server that is root must not be led away by that: files are opened without
 * following links or waiting for a pipe, and directories are opened first and then worked in by their descriptor, which
 * nobody can turn elsewhere.
 */
export async function openPlain(path: string, flags = fs.O_RDONLY, mode = 0o644): Promise<FileHandle> {
  const handle = await open(path, flags | fs.O_NOFOLLOW | fs.O_NONBLOCK, mode);
  const { nlink } = await handle.stat().then((stats) => (stats.isFile() ? stats : { nlink: 0 }));
  // A file with a second name may be somebody else's under that one: it is read, never written.
  if (nlink === 1 || (nlink > 1 && flags === fs.O_RDONLY)) return handle;
  await handle.close();
  throw Object.assign(new Error(`${path} is not a plain file`), { code: "EINVAL" });
}

export async function readPlain(path: string): Promise<string> {
  const handle = await openPlain(path);
  try {
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a file so that a reader sees the old or the new text, never a part, and a crash leaves one of the two. The
 * temporary name cannot be guessed, and must be free: whoever may write to the directory cannot plant a link there.
 */
export async function writeWhole(path: string, text: string | Uint8Array, mode = 0o644): Promise<void> {
  const temporary = `${path}.tmp-${randomBytes(8).toString("hex")}`;
  try {
    const handle = await open(temporary, "wx", mode);
    try {
      await handle.writeFile(text);
      await giveToOwnerOf(dirname(path), handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

const DESCRIPTORS = "/proc/self/fd";
const hasDescriptors = existsSync(DESCRIPTORS);

/** Works in the directory that has this name now, under a path that stays with it; a link is no directory. */
export async function inDirectory<T>(dir: string, name: string, work: (here: string) => Promise<T>): Promise<T> {
  const path = join(dir, name);
  const handle = await open(path, fs.O_RDONLY | fs.O_DIRECTORY | fs.O_NOFOLLOW);
  try {
    return await work(hasDescriptors ? `${DESCRIPTORS}/${handle.fd}` : path);
  } finally {
    await handle.close();
  }
}

/** What a server that is root leaves in somebody's directory belongs to them: the retry brain must be able to change it. */
export async function giveToOwnerOf(dir: string, handle: FileHandle): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dir);
  if (uid !== 0) await handle.chown(uid, gid);
}
