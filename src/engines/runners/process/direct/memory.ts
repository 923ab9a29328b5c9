import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { peakKb } from "./outcome.ts";
import { OWN } from "./task.ts";

/** Between looks, in ms: often at first, for short jobs, and every five seconds later, as payload/worker/memory.sh has it. */
const NAPS = [10, 20, 40, 80, 150, 300, 500, 1000, 1000, 2000, 3000];
const LATER = 5000;

/**
 * Watches the memory of a directly run job and of all it started. The peak is kept in its working directory: the report
 * needs it, whoever writes that, and the next engine goes on from it.
 */
export function watchMemory(
  scratch: string,
  pidOf: () => number | null,
  naps: readonly number[] = NAPS,
): { close(): void } {
  let peak = peakKb(scratch);
  let at = 0;
  let timer: NodeJS.Timeout;
  const next = (): void => {
    timer = setTimeout(look, naps[at++] ?? LATER);
  };
  const look = (): void => {
    const pid = pidOf();
    const kb = pid === null ? 0 : treeKb(pid);
    if (kb > peak) {
      peak = kb;
      attempt(() => writeFileSync(join(scratch, OWN.peak), `${peak}\n`));
    }
    next();
  };
  next();
  return { close: () => clearTimeout(timer) };
}

/** The larger of all that the tree holds now and the most that any one process in it ever held. */
function treeKb(root: number): number {
  let [sum, most] = [0, 0];
  const waiting = [String(root)];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const process = pid;
    attempt(() => {
      const status = readFileSync(`/proc/${process}/status`, "latin1");
      most = Math.max(most, Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1] ?? 0));
      sum += Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? 0);
      for (const thread of readdirSync(`/proc/${process}/task`))
        waiting.push(...readFileSync(`/proc/${process}/task/${thread}/children`, "latin1").split(" ").filter(Boolean));
    });
  }
  return Math.max(sum, most);
}

/** It may be gone by now. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {}
}
