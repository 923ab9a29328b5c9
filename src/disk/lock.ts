import { randomUUID } from "node:crypto";
import { link, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { WorldError } from "../base/errors.ts";
import { orUnwritable, readIfThere } from "./atomic-file.ts";
import { isProcess, startedTicks } from "./processes.ts";

/**
 * A directory for one process. The lock is a file that names its owner; it appears with its whole content at
 * once (written aside, then linked), so exactly one of several starters gets it. A process that died leaves its
 * file behind: it is stale when the machine was restarted since, when no process has that pid, or when the one
 * that has it started at another time (pids are used again).
 *
 * To take over a stale lock, a process first takes a second lock named after the stale one's token, by the same
 * rules, and looks again. So the stale file is replaced once, and nobody removes the lock of the one who was
 * quicker. A lock written on another machine (a shared file system, another container) cannot be checked from
 * here: it is respected until a person removes it.
 */
interface DirectoryLock {
  readonly path: string;
  release(): Promise<void>;
}

interface Owner {
  readonly token: string;
  readonly pid: number;
  /** In clock ticks since boot; null where /proc does not tell. */
  readonly startedTicks: string | null;
  readonly bootId: string | null;
  readonly host: string;
  readonly command: string;
  readonly purpose: string;
  readonly since: string;
}

export async function lockDirectory(dir: string, purpose: string, name = "lock"): Promise<DirectoryLock> {
  const me: Owner = {
    token: randomUUID(),
    pid: process.pid,
    startedTicks: startedTicks(process.pid),
    bootId: await bootId(),
    host: hostname(),
    command: [process.argv0, ...process.argv.slice(1)].join(" ").slice(0, 300),
    purpose,
    since: new Date().toISOString(),
  };
  const path = join(dir, name);
  const aside = `${path}.${me.token}`;
  await orUnwritable(path, async () => {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writeFile(aside, JSON.stringify(me), { flag: "wx", mode: 0o600, flush: true });
    await take(path, aside, dir);
  }).finally(() => rm(aside, { force: true }).catch(() => {})); // "not a directory" was reported already
  return { path, release: () => release(path, me.token) };
}

/** Links `aside` to `path`, or throws with the owner's name. */
async function take(path: string, aside: string, dir: string): Promise<void> {
  for (;;) {
    if (await linked(aside, path)) return;
    const text = await readIfThere(path);
    if (text === null) continue; // released just now
    const owner = parseOwner(text);
    if (owner && !(await isStale(owner))) throw lockedBy(owner, path, dir);

    const guard = `${path}.${owner?.token ?? "unreadable"}.taken`;
    await take(guard, aside, dir);
    try {
      if ((await readIfThere(path)) !== text) continue;
      // By a second name: the first may still be needed to take another guard.
      await linked(aside, `${aside}.new`);
      await rename(`${aside}.new`, path);
      return;
    } finally {
      await rm(guard, { force: true });
    }
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function release(path: string, token: string): Promise<void> {
  const text = await readIfThere(path);
  if (text !== null && parseOwner(text)?.token === token) await rm(path, { force: true });
}

async function isStale(owner: Owner): Promise<boolean> {
  if (owner.host !== hostname()) return false;
  if (owner.bootId !== (await bootId())) return true;
  return !isProcess(owner.pid) || owner.startedTicks !== startedTicks(owner.pid);
}

const bootId = async (): Promise<string | null> =>
  (await readIfThere("/proc/sys/kernel/random/boot_id"))?.trim() ?? null;

/** null: not a lock of ours, or cut short by a power cut (a live owner's file is always whole). */
function parseOwner(text: string): Owner | null {
  try {
    const owner = JSON.parse(text) as Owner;
    return typeof owner.token === "string" && typeof owner.pid === "number" ? owner : null;
  } catch {
    return null;
  }
}

function lockedBy(owner: Owner, path: string, dir: string): WorldError {
  const elsewhere = owner.host !== hostname();
  return new WorldError(
    "store-locked",
    dir,
    `${dir} is in use by process ${owner.pid} on ${owner.host} since ${owner.since} for ${owner.purpose} (${owner.command})`,
    elsewhere ? { hint: `if that machine or container is gone for good, remove ${path} and start again` } : {},
  );
}
