import { loadConfig } from "../../src/config/load.ts";
import { startServer } from "../../src/main.ts";
import { lacksPostgres, startPostgres } from "../../tests/support/postgres.ts";
import { endProcesses, inOwnDirectory, inThread } from "./measure.ts";
import type { SubmitAnswer, SubmitTask } from "./submit-load.ts";

/** Small requests submitted by several callers at once, while the server admits, plans and runs them as usual. */
export async function run({ requests = 10_000, callers = 8 } = {}) {
  const submitTo = (database: string | null) =>
    inOwnDirectory("submit", (dir) => submitAll(requests, callers, database, dir));
  const embedded = await submitTo(null);
  if (lacksPostgres()) return { ...embedded, postgresql: null };
  const postgres = await startPostgres();
  try {
    return { ...embedded, postgresql: await submitTo(postgres.url) };
  } finally {
    await postgres.remove();
  }
}

async function submitAll(requests: number, callers: number, database: string | null, dir: string) {
  const flags = {
    data_dir: dir,
    "listen.port": 0,
    "log.level": "error",
    ...(database && { "database.url": database }),
  };
  const server = await startServer(loadConfig({ flags, environment: {} }).config);
  try {
    const task: SubmitTask = { url: server.url, token: server.token, callers, requests };
    const { seconds, latenciesMs } = await inThread<SubmitTask, SubmitAnswer>("submit-load", task);
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
    await endProcesses(dir);
  }
}
