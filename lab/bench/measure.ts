import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
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

/** Of another process, since it began or its record was cleared (Linux). */
export const peakMb = (pid: number): number =>
  Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024);

const rounded = (value: number): number => Math.round(value * 100) / 100;

/** What the program of that name beside this one answers, in a thread of its own: asking does not slow down answering. */
export function inThread<Task, Answer>(program: string, task: Task): Promise<Answer> {
  const worker = new Worker(new URL(`./${program}.js`, import.meta.url), { workerData: task });
  return new Promise((done, failed) => {
    worker.once("message", done);
    worker.once("error", failed);
  });
}

/** The engine and its jobs outlive the server, as they should; a benchmark leaves nothing behind. */
export async function endProcesses(dir: string): Promise<void> {
  while (endSome(dir)) await new Promise((resume) => setTimeout(resume, 50));
}

function endSome(dir: string): boolean {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && worksIn(dir, `/proc/${name}`));
  for (const pid of pids) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
  return pids.length > 0;
}

function worksIn(dir: string, proc: string): boolean {
  try {
    return readlinkSync(`${proc}/cwd`).startsWith(dir) || readFileSync(`${proc}/cmdline`, "utf8").includes(dir);
  } catch {
    return false;
  }
}
