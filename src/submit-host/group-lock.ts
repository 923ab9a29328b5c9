import { closeSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isProcess, startedTicks } from "../disk/processes.ts";
import { UNIT } from "../submit-dir/names.ts";
import { PostTrouble, removeIfThere, unless, withFile } from "./disk.ts";

/**
 * One writer at a time per unit: read the ledger, decide, append, rewrite group.inc. The lock is a file that names its
 * owner. A POST that was killed leaves it behind: it is stale when no process has that pid and start time, or, written
 * on another machine or without a name yet, when it is older than any POST holds it. Only the holder of a second,
 * momentary lock may remove a stale one, and looks again first; so nobody removes the lock of somebody quicker.
 */
const WAIT_MS = 30_000;
const FOREIGN_STALE_MS = 120_000;
const NAMELESS_STALE_MS = 10_000;

export function lockGroup(dir: string, waitMs = WAIT_MS): () => void {
  const path = join(dir, UNIT.lock);
  const end = Date.now() + waitMs;
  while (!make(path)) {
    const holder = textOf(path);
    if (holder !== null && isStale(path, holder)) breakStale(path, holder);
    else if (Date.now() > end)
      throw new PostTrouble("again", `the lock ${path} is held by ${holder?.trim() || "somebody"}`);
    else pause(3);
  }
  return () => removeIfThere(path);
}

/** False when it is there already. */
function make(path: string): boolean {
  return withFile(`lock ${path}`, () => {
    const descriptor = unless("EEXIST", () => openSync(path, "wx"));
    if (descriptor === null) return false;
    try {
      writeSync(descriptor, `${process.pid} ${startedTicks(process.pid) ?? "-"} ${hostname()}\n`);
    } catch (error) {
      removeIfThere(path);
      throw error;
    } finally {
      closeSync(descriptor);
    }
    return true;
  });
}

function breakStale(path: string, stale: string): void {
  const guard = `${path}.guard`;
  if (!make(guard)) {
    if (ageMs(guard) > NAMELESS_STALE_MS) removeIfThere(guard);
    pause(3);
    return;
  }
  try {
    if (textOf(path) === stale) unlinkSync(path);
  } finally {
    removeIfThere(guard);
  }
}

function isStale(path: string, holder: string): boolean {
  const [pid, ticks, host] = holder.trim().split(" ");
  if (host === undefined) return ageMs(path) > NAMELESS_STALE_MS;
  if (host !== hostname()) return ageMs(path) > FOREIGN_STALE_MS;
  const now = startedTicks(Number(pid));
  return now === null ? !isProcess(Number(pid)) : ticks !== "-" && now !== ticks;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return null; // gone just now
  }
}

const ageMs = (path: string): number => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? Date.now() - found.mtimeMs : 0;
};

const pause = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
