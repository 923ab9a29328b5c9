import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isAlive, markOfSelf, type ProcessMark } from "./proc.ts";

const STEAL_MS = 10_000;

/**
 * One engine per directory. The lock names its holder by pid and start time, so that a killed engine's lock is
 * known to be stale, also when its pid is in use again. Breaking a stale lock is itself guarded, or two
 * newcomers could each remove the other's.
 */
export function takeLock(path: string): { readonly holder: ProcessMark } | null {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, JSON.stringify(markOfSelf()));
  try {
    for (let turn = 0; turn < 3; turn++) {
      if (link(own, path)) return null;
      const holder = readHolder(path);
      if (holder && isAlive(holder)) return { holder };
      breakStale(own, path);
    }
    return { holder: readHolder(path) ?? { pid: 0, startTime: "0" } };
  } finally {
    rmSync(own, { force: true });
  }
}

export function freeLock(path: string): void {
  if (readHolder(path)?.pid === process.pid) rmSync(path, { force: true });
}

export function readHolder(path: string): ProcessMark | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as ProcessMark;
  } catch {
    return null;
  }
}

function breakStale(own: string, path: string): void {
  const guard = `${path}.steal`;
  if (!link(own, guard)) {
    const age = Date.now() - (statSync(guard, { throwIfNoEntry: false })?.ctimeMs ?? Date.now());
    if (age > STEAL_MS) rmSync(guard, { force: true });
    return;
  }
  try {
    const holder = readHolder(path);
    if (!holder || !isAlive(holder)) rmSync(path, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

/** link(2) is atomic: the file appears with its content or not at all. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
