import { join } from "node:path";
import { takeLock } from "../../core/disk/lock-file.ts";
import { UNIT } from "../names.ts";
import { PostTrouble, withFile } from "./disk.ts";

const WAIT_MS = 30_000;
/** Longer than any POST holds it. */
const FOREIGN_STALE_MS = 120_000;

/** One writer at a time per unit: read the ledger, decide, append, rewrite group.inc. */
export function lockGroup(dir: string): () => void {
  const path = join(dir, UNIT.lock);
  for (const end = Date.now() + WAIT_MS; ; pause(3)) {
    const taken = withFile(`lock ${path}`, () => takeLock(path, {}, FOREIGN_STALE_MS));
    if ("release" in taken) return () => withFile(`remove ${path}`, taken.release);
    const { pid, host } = taken.owner;
    if (Date.now() > end) throw new PostTrouble("again", `the lock ${path} is held by process ${pid} on ${host}`);
  }
}

const pause = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
