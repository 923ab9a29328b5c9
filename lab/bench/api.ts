import { loadConfig } from "../../src/config/load.ts";
import type { RequestName } from "../../src/core/names.ts";
import { startServer } from "../../src/main.ts";
import type { Store } from "../../src/store/port.ts";
import { sampleSpec } from "../../tests/support/many-requests.ts";
import type { LoadAnswer, LoadTask } from "./api-load.ts";
import { inOwnDirectory, inThread } from "./measure.ts";

/** Lists of 100 among many requests, by several connections at once that each walk the pages; the server does all else as usual. */
export const run = ({ requests = 10_000, connections = 8, seconds = 10 } = {}) =>
  inOwnDirectory("api", async (data_dir) => {
    const { config } = loadConfig({ flags: { data_dir, "listen.port": 0, "log.level": "error" }, environment: {} });
    const server = await startServer(config);
    try {
      await fill(server.ports.store, requests);
      const task: LoadTask = { url: server.url, connections, seconds };
      const { count, latenciesMs } = await inThread<LoadTask, LoadAnswer>("api-load", task);
      const at = (share: number): number => latenciesMs[Math.floor(share * (latenciesMs.length - 1))] ?? 0;
      return { requests, connections, listsPerSec: count / seconds, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
    } finally {
      await server.close();
    }
  });

/** In the requestor's workspace: the loop leaves them alone. */
async function fill(store: Store, requests: number): Promise<void> {
  const spec = sampleSpec();
  await store.transaction(async (inner) => {
    for (let index = 0; index < requests; index += 1)
      await inner.requests.create({ ...spec, name: `bench-${index}` as RequestName }, "new", [], "bench", new Date());
  });
}
