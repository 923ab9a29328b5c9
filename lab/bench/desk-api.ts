import { gunzipSync } from "node:zlib";
import { withDeskServer } from "./desk-server.ts";
import { inOwnDirectory } from "./measure.ts";

const TIMES = 30;
const LISTS = {
  list: "/requests?limit=50",
  withFacets: "/requests?limit=50&facets=true",
  byPriority: "/requests?limit=50&sort=priority",
  byProgress: "/requests?limit=50&sort=progress",
  byFailing: "/requests?limit=50&sort=failing&status=held",
  byText: "/requests?limit=50&text=site-3&facets=true",
  bySite: "/requests?limit=50&site=site-3",
  byHold: "/requests?limit=50&hold=no-site&sort=waiting",
  causes: "/causes",
  feed: "/feed?since=2d&limit=100",
  history: "/history",
  search: "/search?q=bench-77",
};
/** Answers are kept for a moment and shared: these differ each time, so that each is worked out. */
const UNSHARED = {
  causesAnew: (turn: number) => `/causes?limit=${turn + 20}`,
  historyAnew: (turn: number) => `/history?hours=${turn + 1}`,
};

/** What the desk asks, with many requests: each question some times in a row; milliseconds at the 95th percentile. */
export const run = ({ requests = 10_000, units = 100_000 } = {}) =>
  inOwnDirectory("desk", (data_dir) =>
    withDeskServer(data_dir, { requests, units }, async ({ url }) => {
      const p95: Record<string, number> = {};
      for (const [name, path] of Object.entries(LISTS)) p95[name] = await slowest(`${url}/api/v1${path}`);
      for (const [name, path] of Object.entries(UNSHARED))
        p95[name] = await slowest((turn) => `${url}/api/v1${path(turn)}`);
      const map = `${url}/api/v1/dags/d-0/map?as=states`;
      p95.map = await slowest(map);
      return { requests, units, ...p95, mapGzBytes: await packedBytes(map) };
    }),
  );

async function slowest(at: string | ((turn: number) => string)): Promise<number> {
  const tookMs: number[] = [];
  for (let turn = 0; turn < TIMES; turn += 1) {
    const url = typeof at === "string" ? at : at(turn);
    const begun = performance.now();
    const answer = await fetch(url);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${url}: ${text}`);
    tookMs.push(performance.now() - begun);
  }
  tookMs.sort((a, b) => a - b);
  return Math.round(tookMs[Math.ceil(TIMES * 0.95) - 1] ?? 0);
}

/** Node's fetch unpacks by itself: the length is what travelled. */
async function packedBytes(url: string): Promise<number> {
  const { get } = await import("node:http");
  const bytes = await new Promise<Buffer>((done, failed) => {
    get(url, { headers: { "accept-encoding": "gzip" } }, async (answer) =>
      done(Buffer.concat(await answer.toArray())),
    ).on("error", failed);
  });
  JSON.parse(gunzipSync(bytes).toString());
  return bytes.length;
}
