import { constants as fs } from "node:fs";
import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { WorldError } from "../../../core/base/errors.ts";
import { ifAbsent, orUnwritable, whyNot } from "../../../core/disk/atomic-file.ts";
import { takeLock } from "../../../core/disk/lock-file.ts";
import { openPlain, writeWhole } from "../../../core/disk/plain-files.ts";
import type { FileChange, FoundFile, FoundFiles } from "../../../core/frepp.ts";

/** What is ours there begins with this. */
const OWN = ".wms2-";
const LOCK = `${OWN}state.lock`;
const MAX_BYTES = 65_536;
const AT_ONCE = 32;

/** The files of a directory with such names, in order, and what else is there. Links and pipes are something else. */
export async function findFiles(dir: string, wants: (name: string) => boolean): Promise<FoundFiles> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((cause: unknown) => {
    throw new WorldError("files-unreachable", dir, `cannot read ${dir}: ${whyNot(cause)}`, { cause });
  });
  const isWanted = new Set(entries.filter((entry) => entry.isFile() && wants(entry.name)).map(({ name }) => name));
  const names = entries.map(({ name }) => name).sort();
  const others = names.filter((name) => !isWanted.has(name) && !name.startsWith(OWN));
  const wanted = names.filter((name) => isWanted.has(name));
  const files: FoundFile[] = [];
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const found = await Promise.all(wanted.slice(from, from + AT_ONCE).map((name) => findFile(dir, name)));
    files.push(...found.filter((file) => file !== null));
  }
  return { files, others };
}

/** null: it is not there (any more). */
async function findFile(dir: string, name: string): Promise<FoundFile | null> {
  const path = join(dir, name);
  try {
    const handle = await openPlain(path);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
      const { mtime } = await handle.stat();
      return { name, text: buffer.toString("utf8", 0, bytesRead), changedAt: mtime };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return ifAbsent(path, error);
  }
}

/** Answers those that are not as they were seen: they stay as they are. A crash leaves some changed and none in part. */
export async function changeFiles(dir: string, changes: readonly FileChange[]): Promise<ReadonlySet<string>> {
  const lock = join(dir, LOCK);
  const more = { purpose: "state files", since: new Date().toISOString() };
  const taken = await orUnwritable(lock, async () => takeLock(lock, more, Number.POSITIVE_INFINITY));
  if (!("release" in taken)) {
    const { pid, host, since } = taken.owner;
    throw new WorldError("conflict", dir, `process ${pid} on ${host} has been writing to ${dir} since ${since}`, {
      hint: `wait for it; if that machine is gone for good, remove ${lock}`,
    });
  }
  try {
    const moved = new Set<string>();
    for (const { name, seen, text } of changes) {
      const path = join(dir, name);
      const found = await findFile(dir, name);
      if ((found?.text ?? null) !== seen) moved.add(name);
      else await orUnwritable(path, () => (text === null ? rm(path, { force: true }) : writeWhole(path, text)));
    }
    await orUnwritable(dir, () => settle(dir));
    return moved;
  } finally {
    taken.release();
  }
}

/** What was renamed stays so after a power cut. */
async function settle(dir: string): Promise<void> {
  const handle = await open(dir, fs.O_RDONLY | fs.O_DIRECTORY);
  await handle.sync().finally(() => handle.close());
}
