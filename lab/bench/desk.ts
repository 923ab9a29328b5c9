import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium, type Page } from "playwright-core";
import { type DeskServer, withDeskServer } from "./desk-server.ts";
import { inOwnDirectory } from "./measure.ts";

const PAGES = 50;
const ROUNDS = 10;
/** What an open page asks for when something moved. */
const QUESTIONS = ["/requests?limit=200&sort=newest", "/requests?limit=1&facets=true", "/causes", "/status", "/whoami"];

/** The desk in a real browser before a real server with many requests; each number has its bar in docs/guides/desk.md. */
export const run = ({ requests = 10_000, units = 100_000 } = {}) =>
  inOwnDirectory("desk", (dir) =>
    withDeskServer(dir, { requests, units }, async (server) => {
      await firstPass(server);
      const load = await openPages(server);
      const inBrowser = await browse(server);
      return {
        requests,
        units,
        firstPageKb: firstPageKb(),
        ...inBrowser,
        ...load,
        topCpuPercent: await topCpu(server),
      };
    }),
  );

/** After a start the loop looks at every request once: that is measured by nobody. */
async function firstPass({ url }: DeskServer): Promise<void> {
  for (;;) {
    const status = (await (await fetch(`${url}/api/v1/lifecycle/status`)).json()) as { passes?: number };
    if (status.passes === undefined || status.passes > 1) return;
    await new Promise((resume) => setTimeout(resume, 200));
  }
}

/** The scripts that the first page names, packed. */
function firstPageKb(): number {
  const dir = resolve("dist-web");
  const named = [...readFileSync(join(dir, "index.html"), "utf8").matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)];
  const bytes = named.map(([, path = ""]) => gzipSync(readFileSync(join(dir, path))).length);
  if (bytes.length === 0) throw new Error(`no script of the first page in ${readdirSync(dir)}`);
  return Math.round(bytes.reduce((sum, one) => sum + one, 0) / 1000);
}

/** Many pages at once: each with its stream, each asking again every second. */
async function openPages({ url, pid }: DeskServer) {
  const before = residentMb(pid);
  const stop = new AbortController();
  const streams = Array.from({ length: PAGES }, async () => {
    const answer = await fetch(`${url}/api/v1/events`, { signal: stop.signal });
    for await (const _ of answer.body ?? []) if (stop.signal.aborted) return;
  });
  const tookMs: number[] = [];
  const ask = async (path: string) => {
    const begun = performance.now();
    const answer = await fetch(`${url}/api/v1${path}`);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    tookMs.push(performance.now() - begun);
  };
  const page = async (place: number) => {
    await pause((place * 1000) / PAGES);
    for (let round = 0; round < ROUNDS; round++) {
      const due = pause(1000);
      await Promise.all(QUESTIONS.map(ask));
      await due;
    }
  };
  await Promise.all(Array.from({ length: PAGES }, (_, place) => page(place)));
  const after = residentMb(pid);
  stop.abort();
  await Promise.allSettled(streams);
  return { apiP95Ms: quantile(tookMs, 0.95), mbPerPage: Math.round(((after - before) / PAGES) * 100) / 100 };
}

async function browse({ url, token }: DeskServer) {
  const executablePath =
    process.env.WMS2_CHROMIUM || execFileSync("sh", ["scripts/browser"], { encoding: "utf8" }).trim();
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    const data = { token };
    await context.request.post(`${url}/api/v1/session`, { data, headers: { "wms2-desk": "1" } });
    const page = await context.newPage();
    await page.goto(`${url}/desk/requests`);
    await row(page, "bench-9999");
    await page.reload();
    await row(page, "bench-9999");
    const contentSec = Math.round((await page.evaluate<number>(SINCE_START)) / 10) / 100;
    const filterMs: number[] = [];
    await page.getByRole("searchbox").fill("bench-");
    await row(page, "bench-9999");
    // Each of these leaves fewer rows than the one before.
    for (const sign of "9876") filterMs.push(await afterKey(page, sign));
    await page.goto(`${url}/desk/requests/bench-0/units`);
    await page.locator("canvas").waitFor();
    const mapMs = await page.evaluate<number>(MAP_PAINTED);
    return {
      contentSec,
      keyToRowsMs: quantile(filterMs, 0.95),
      mapPaintedMs: Math.round(mapMs),
      ...(await action(page, url)),
    };
  } finally {
    await browser.close();
  }
}
const row = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).waitFor();
const SINCE_START = "performance.now()";

/** From a key to the next change of the rows that is painted. */
async function afterKey(page: Page, sign: string): Promise<number> {
  await page.getByRole("searchbox").focus();
  const took = page.evaluate<number>(`new Promise((done) => {
    let begun = 0;
    addEventListener("keydown", () => { begun = performance.now(); }, { once: true, capture: true });
    const watch = new MutationObserver(() => {
      if (begun === 0) return;
      watch.disconnect();
      requestAnimationFrame(() => done(performance.now() - begun));
    });
    watch.observe(document.querySelector("[role=grid] .rows") ?? document.querySelector("main"), { childList: true, subtree: true, characterData: true, attributes: true });
    setTimeout(() => done(1000), 1000);
  })`);
  await page.keyboard.press(sign);
  return took;
}

/** How long the page is busy with a map that is drawn again: another colour for each of its units. */
const MAP_PAINTED = `new Promise((done) => {
  const begun = performance.now();
  dispatchEvent(new Event("resize"));
  document.querySelector("canvas").parentElement.style.width = "1000px";
  new ResizeObserver(() => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun))))
    .observe(document.querySelector("canvas"));
})`;

/** An action of one's own: until the button says so, and until the page shows it. */
async function action(page: Page, url: string) {
  await page.goto(`${url}/desk/requests/bench-3`);
  await page.getByRole("group", { name: "Actions" }).getByRole("button", { name: "abort", exact: true }).click();
  await page.getByText("This would happen:").waitFor();
  await page.getByRole("textbox", { name: /Why/ }).fill("bench");
  const took = page.evaluate<{ acknowledgedMs: number; visibleMs: number }>(`new Promise((done) => {
    let begun = 0, acknowledgedMs = 0;
    addEventListener("click", () => { begun = performance.now(); }, { once: true, capture: true });
    new MutationObserver(() => {
      if (begun === 0) return;
      acknowledgedMs ||= Math.round(performance.now() - begun);
      const told = document.querySelector("[aria-label='In one sentence']")?.textContent ?? "";
      if (/asked to abort|cancelled/.test(told)) done({ acknowledgedMs, visibleMs: Math.round(performance.now() - begun) });
    }).observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true });
  })`);
  await page.getByRole("dialog").getByRole("button", { name: "abort", exact: true }).click();
  return took;
}

/** The share of one core that `wms2 top` needs at its usual pace, in a terminal of its own. */
async function topCpu({ url, token }: DeskServer): Promise<number> {
  const command = `exec ${process.execPath} ${resolve("dist/src/cli/main.js")} top --server ${url}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { ...process.env, WMS2_TOKEN: token, TERM: "xterm-256color" },
  });
  try {
    await pause(5000);
    const pid = Number(
      execFileSync("pgrep", ["-P", String(child.pid)], { encoding: "utf8" })
        .trim()
        .split("\n")[0],
    );
    const before = cpuTicks(pid);
    await pause(20_000);
    return Math.round((cpuTicks(pid) - before) * 0.5) / 10;
  } finally {
    child.kill("SIGTERM");
  }
}

/** Hundredths of a second. */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}
const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1024;
const pause = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));
const quantile = (values: readonly number[], share: number): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0);
