import { Agent, get } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

export interface LoadTask {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
}
export interface LoadAnswer {
  readonly count: number;
  /** Sorted. */
  readonly latenciesMs: readonly number[];
}

const { url, connections, seconds } = workerData as LoadTask;
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const latenciesMs: number[] = [];
const end = performance.now() + seconds * 1000;

/** Each begins at a place of its own, so that no two ask for the same page: a shared answer would flatter the number. */
async function walk(connection: number): Promise<void> {
  let { next_cursor: cursor } = await fetchJson(`${url}/api/v1/requests?limit=${connection}`);
  while (performance.now() < end) {
    const begun = performance.now();
    const query = new URLSearchParams({ limit: "100", ...(cursor ? { cursor } : {}) });
    const page = await fetchJson(`${url}/api/v1/requests?${query}`);
    latenciesMs.push(performance.now() - begun);
    if (page.items.length === 0) throw new Error("an empty page");
    cursor = page.next_cursor;
  }
}

function fetchJson(address: string): Promise<{ items: unknown[]; next_cursor: string | null }> {
  return new Promise((done, failed) => {
    get(address, { agent }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () =>
        answer.statusCode === 200 ? done(JSON.parse(text)) : failed(new Error(`${answer.statusCode} ${text}`)),
      );
    }).on("error", failed);
  });
}

await Promise.all(Array.from({ length: connections }, (_, index) => walk(index + 1)));
agent.destroy();
parentPort?.postMessage({ count: latenciesMs.length, latenciesMs: latenciesMs.toSorted((a, b) => a - b) });
