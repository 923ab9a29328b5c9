import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

/**
 * Not /tmp where it can be helped. Creating files was seen (ext4, Linux 6.18) to cost many times its usual system
 * time for some five minutes after tens of thousands were deleted nearby, as test runs and benchmarks do: 100,000 nodes took
 * 2 s on a rested disk and 20 to 35 s right after another run. Compare runs only after such a pause.
 */
export const RESTED = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();

/** A benchmark in a directory of its own, which is gone afterwards. */
export async function inOwnDirectory<T>(
  name: string,
  work: (dir: string) => T | Promise<T>,
  place = tmpdir(),
): Promise<T> {
  const dir = mkdtempSync(join(place, `wms2-bench-${name}-`));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Wall and CPU time of some work. */
export function timed<T>(work: () => T): { readonly value: T; readonly seconds: number; readonly cpuSeconds: number } {
  const wall = performance.now();
  const cpu = process.cpuUsage();
  const value = work();
  const seconds = (performance.now() - wall) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { value, seconds: rounded(seconds), cpuSeconds: rounded((user + system) / 1e6) };
}

/** Of the whole process since it began: run one size per process. */
export const peakRssMb = (): number => Math.round(process.resourceUsage().maxRSS / 1024);

const rounded = (value: number): number => Math.round(value * 100) / 100;

/** What the program of that name beside this one answers, in a thread of its own: asking does not slow down answering. */
export function inThread<Task, Answer>(program: string, task: Task): Promise<Answer> {
  const worker = new Worker(new URL(`./${program}.js`, import.meta.url), { workerData: task });
  return new Promise((done, failed) => {
    worker.once("message", done);
    worker.once("error", failed);
  });
}
