import { linkSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { isProcess, startedTicks } from "./processes.ts";
import { readIfThereSync } from "./read-if-there.ts";

/**
 * A file that one process has at a time, and that names its owner; it appears with its whole content at once (written
 * aside, then linked), so exactly one of several takers gets it. A process that died leaves its file behind: it is
 * stale when the machine was restarted since, when no process has that pid, or when the one that has it started at
 * another time (pids are used again).
 *
 * To take over a stale lock, a process first takes a second lock named after the stale one's token, by the same
 * rules, and looks again. So the stale file is replaced once, and nobody removes the lock of the one who was
 * quicker. A lock written on another machine (a shared file system, another container) cannot be checked from here.
 */
interface LockOwner {
  readonly token: string;
  readonly pid: number;
  /** In clock ticks since boot; null where /proc does not tell. */
  readonly startedTicks: string | null;
  readonly bootId: string | null;
  readonly host: string;
}

let tokens = 0;

/** `foreignStaleMs`: the age at which a lock of another machine is stale. */
export function takeLock<More extends object>(
  path: string,
  more: More,
  foreignStaleMs: number,
): { readonly release: () => void } | { readonly owner: LockOwner & More } {
  tokens += 1;
  const [pid, ticks] = [process.pid, startedTicks(process.pid)];
  const token = `${pid}-${ticks ?? Date.now()}-${tokens}`;
  const aside = `${path}.${token}`;
  try {
    const me: LockOwner = { token, pid, startedTicks: ticks, bootId: bootId(), host: hostname() };
    writeFileSync(aside, JSON.stringify({ ...me, ...more }), { flag: "wx" });
    const owner = linkTo(path, aside, foreignStaleMs) as (LockOwner & More) | null;
    return owner ? { owner } : { release: () => release(path, token) };
  } finally {
    rmSync(aside, { force: true });
  }
}

/** null: `path` is ours now. */
function linkTo(path: string, aside: string, foreignStaleMs: number): LockOwner | null {
  for (;;) {
    if (linked(aside, path)) return null;
    const text = readIfThereSync(path);
    if (text === null) continue; // released just now
    const owner = ownerIn(text);
    if (owner && !isStale(owner, path, foreignStaleMs)) return owner;
    const guard = `${path}.${owner?.token ?? "unreadable"}.taken`;
    const quicker = linkTo(guard, aside, foreignStaleMs);
    if (quicker) return quicker;
    try {
      if (readIfThereSync(path) !== text) continue;
      // By a second name: the first may still be needed to take another guard.
      linked(aside, `${aside}.new`);
      renameSync(`${aside}.new`, path);
      return null;
    } finally {
      rmSync(guard, { force: true });
    }
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function release(path: string, token: string): void {
  const text = readIfThereSync(path);
  if (text !== null && ownerIn(text)?.token === token) rmSync(path, { force: true });
}

function isStale(owner: LockOwner, path: string, foreignStaleMs: number): boolean {
  if (owner.host !== hostname())
    return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > foreignStaleMs;
  if (owner.bootId !== bootId()) return true;
  return !isProcess(owner.pid) || owner.startedTicks !== startedTicks(owner.pid);
}

const bootId = (): string | null => readIfThereSync("/proc/sys/kernel/random/boot_id")?.trim() ?? null;

/** null: not a lock of ours, or cut short by a power cut (a live owner's file is always whole). */
function ownerIn(text: string): LockOwner | null {
  try {
    const owner = JSON.parse(text) as LockOwner;
    return typeof owner.token === "string" && typeof owner.pid === "number" ? owner : null;
  } catch {
    return null;
  }
}
