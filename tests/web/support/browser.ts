import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { ServerUnderTest } from "../../support/server.ts";

export const isThere = inject("chromium") !== null;
export const URL_OF_SERVER = inject("url");

interface OpenOptions {
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  /** Pixels of the screen for one of the page: 2 is a zoom of 200 %. */
  readonly scale?: number;
  /** With a session of an operator. */
  readonly signedIn?: boolean;
  readonly zone?: string;
  readonly base?: string;
  /** A problem that the story provokes. */
  readonly mayComplain?: RegExp;
}

let browser: Browser;
const contexts: BrowserContext[] = [];
const complaints: string[] = [];

/** A browser for the tests of one file. Whatever a page complains about in its console fails the test. */
export function useBrowser(): void {
  beforeAll(async () => {
    if (!isThere) return;
    browser = await chromium.launch({ executablePath: inject("chromium")!, args: ["--no-sandbox", "--disable-gpu"] });
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
  });
}

/** A page of its own browser profile, at a path below /desk. */
export async function open(path: string, options: OpenOptions = {}): Promise<Page> {
  const { theme = "light", width = 1280, height = 860, zone = "Europe/Zurich", base = URL_OF_SERVER } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: options.scale ?? 1,
    colorScheme: theme,
    timezoneId: zone,
    reducedMotion: "reduce",
  });
  contexts.push(context);
  context.setDefaultTimeout(10_000);
  if (options.signedIn) await signIn(context, base);
  const page = await context.newPage();
  watch(page, options.mayComplain);
  await page.goto(`${base}/desk${path}`);
  return page;
}

async function signIn(context: BrowserContext, base: string): Promise<void> {
  const answer = await context.request.post(`${base}/api/v1/session`, {
    data: { token: inject("token") },
    headers: { "wms2-desk": "1" },
  });
  expect(answer.status()).toBe(200);
}

function watch(page: Page, mayComplain?: RegExp): void {
  const note = (text: string) => mayComplain?.test(text) || complaints.push(text);
  page.on("pageerror", (error) => note(error.message));
  page.on("console", (message) => message.type() === "error" && note(message.text()));
}

/** The server of all tests of the pages, for what a story needs to begin with. */
export function theServer(): ServerUnderTest {
  const server = new ServerUnderTest({}, inject("dataDir"));
  server.url = URL_OF_SERVER;
  return server;
}

/** Waits until what a person reads there matches. */
export async function expectText(where: Locator, pattern: RegExp): Promise<void> {
  await eventually(`${pattern} is to be read`, async () => pattern.test(await readFrom(where)), {
    deadlineSec: 10,
    describe: () => readFrom(where),
  });
}
const readFrom = async (where: Locator): Promise<string> =>
  (await where.textContent({ timeout: 2000 }).catch(String)) ?? "";
