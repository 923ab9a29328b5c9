import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { loadConfig } from "../src/config/load.ts";
import { startServer } from "../src/main.ts";
import { lacksPostgres, startPostgres } from "../tests/support/postgres.ts";
import type { SubmitAnswer, SubmitTask } from "./submit-load.ts";

/** Small requests handed in by several callers at once, while the server admits, plans and runs them as usual. */
export async function run({ requests = 10_000, callers = 8 } = {}) {
  const embedded = await submitAll(requests, callers, null);
  if (lacksPostgres()) return { ...embedded, postgresql: null };
  const postgres = await startPostgres();
  try {
    return { ...embedded, postgresql: await submitAll(requests, callers, postgres.url) };
  } finally {
    await postgres.remove();
  }
}

async function submitAll(requests: number, callers: number, database: string | null) {
  const dir = mkdtempSync(join(tmpdir(), "wms2-bench-submit-"));
  const flags = {
    data_dir: dir,
    "listen.port": 0,
    "log.level": "error",
    ...(database && { "database.url": database }),
  };
  const server = await startServer(loadConfig({ flags, environment: {} }).config);
  try {
    const { seconds, latenciesMs } = await load({ url: server.url, token: server.token, callers, requests });
    const sorted = latenciesMs.toSorted((a, b) => a - b);
    const tenth = Math.ceil(requests / 10);
    const mean = (part: readonly number[]): number => part.reduce((sum, ms) => sum + ms, 0) / part.length;
    return {
      requests,
      seconds,
      p99Ms: sorted[Math.floor(0.99 * (sorted.length - 1))] ?? 0,
      /** How much longer the last tenth waited for its answers than the first. */
      lastToFirst: mean(latenciesMs.slice(-tenth)) / mean(latenciesMs.slice(0, tenth)),
    };
  } finally {
    await server.close();
    while (endProcesses(dir)) await new Promise((resume) => setTimeout(resume, 50));
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The engine and its jobs outlive the server, as they should; a benchmark leaves nothing behind. */
function endProcesses(dir: string): boolean {
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

/** In a thread of its own, so that asking does not slow down answering. */
function load(task: SubmitTask): Promise<SubmitAnswer> {
  const worker = new Worker(new URL("./submit-load.js", import.meta.url), { workerData: task });
  return new Promise((done, failed) => {
    worker.once("message", done);
    worker.once("error", failed);
  });
}
