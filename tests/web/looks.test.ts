import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { isThere, open, theServer, useBrowser } from "./support/browser.ts";
import { madeRequest } from "./support/seed.ts";
import { untilAlert } from "./support/seed-sites.ts";

useBrowser();
/** With WMS2_SCREENSHOTS=FOLDER, pictures of each page are written there. */
const FOLDER = process.env.WMS2_SCREENSHOTS;

/** Every page with what must be on it before it is looked at. */
const PAGES: readonly (readonly [path: string, sign: string])[] = [
  ["/", "requests wait for a person"],
  ["/requests", "process ·"],
  ["/requests?text=nowhere", "No request matches"],
  ["/requests/muons-reco-2026A", "resubmit"],
  ["/requests/minbias-summer-2026", "resubmit"],
  ["/requests/tau-tagging/failures", "licence <n> refused"],
  ["/requests/muons-reco-2026A/units", "failed 8"],
  ["/requests/muons-reco-2026A/units/mg_000006", "What waits for what"],
  ["/requests/muons-reco-2026A/nodes/mg_000006:proc_000006", "Compare with a successful attempt"],
  ["/requests/muons-reco-2026A/log?unit=mg_000006&node=proc_000006&at=0&q=refused", "The same line is in"],
  ["/requests/alignment-graph/graph", "cannot run, as a job before it failed"],
  ["/requests/alignment-graph/graph?as=time", "+"],
  ["/requests/cm5-historical/fill?node=land/ts-monthly-2y/0001-0002", "missing, will be made"],
  ["/requests/higgs-4l-signal/outputs", "all registered in the catalog and closed"],
  ["/blocks", "higgs-4l-signal"],
  ["/submit?example=generate.yaml", "Made-up physics"],
  ["/policy?code=8021&attempt=2", "It would be retried"],
  ["/simulate?scenario=memory", "The scenario; change it as you like"],
  ["/queue?if=look-second:990000", "What if: nothing is set yet."],
  ["/sites", "possibly because of the site"],
  ["/sites/T2_DE_South", "What fails here"],
  ["/alerts", "What to do:"],
  ["/handover", "SHIFT REPORT of"],
  ["/audit", "superseded by the new geometry"],
  ["/system", "scheduler passes"],
];

/** Somebody has to wait, whatever other stories let in. */
async function fillQueue(): Promise<void> {
  const server = theServer();
  await server.send("PATCH", "/admission/config", { max_active_dags: 0 });
  for (const [name, priority] of Object.entries({ "look-first": 980_000, "look-second": 970_000 }))
    await server.submit(madeRequest(inject("inputs"), name, { good: 1 }, { priority }));
  for (const name of ["look-first", "look-second"]) await server.until(name, ["queued"]);
  onTestFinished(async () => {
    await server.send("PATCH", "/admission/config", { max_active_dags: 20 });
  });
}

describe.skipIf(!isThere)("can be read by everybody, in both colours and at any width", () => {
  test.each(PAGES)("%s", { timeout: 90_000 }, async (path, sign) => {
    if (path.startsWith("/queue")) await fillQueue();
    if (path === "/alerts") await untilAlert(theServer(), "noise-study");
    const page = await open(path);
    await page.getByText(sign).first().waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await picture(page, path, colorScheme);
      expect(await violationsOf(page, colorScheme)).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    for (const width of [3840, 640, 320]) {
      await page.setViewportSize({ width, height: 900 });
      const tooWide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([width, tooWide]).toEqual([width, 0]);
      expect([width, await page.evaluate(TOO_NARROW)]).toEqual([width, []]);
    }
    await picture(page, path, "phone");
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await page.evaluate(CUT_OFF)]).toEqual([width, []]);
      expect([width, await page.locator(".freshness").isVisible()]).toEqual([width, true]);
      expect([width, await violationsOf(page, "light", REACHED_AND_NAMED)]).toEqual([width, []]);
    }
  });
});

/** A phone, a small and a usual screen. */
const WIDTHS = [390, 1024, 1440];
const REACHED_AND_NAMED = ["link-name", "button-name", "scrollable-region-focusable"];
/** On a screen, tables that are wider than their panel, and numbers that are cut. */
const CUT_OFF = `innerWidth < 1000 ? [] : [...document.querySelectorAll("main .scroll, main [role=gridcell].end, main th, main td")]
  .filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth + 1).map((part) => part.textContent.slice(0, 60))`;

/** Cells of tables that stand on end, a few letters to a line. */
const TOO_NARROW = `[...document.querySelectorAll("main :is(th, td)")]
  .filter(({ clientWidth, clientHeight }) => clientHeight > 4 * clientWidth).map((cell) => cell.textContent)`;

async function picture(page: Page, path: string, kind: string): Promise<void> {
  const name = path.slice(1).replaceAll(/\W+/g, "-") || "desk";
  if (FOLDER) await page.screenshot({ path: join(FOLDER, `${name}-${kind}.png`), fullPage: true });
}

/** What axe finds. The colours are all that differs in the dark. */
async function violationsOf(page: Page, theme: "light" | "dark", rules?: string[]): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  if (rules) axe.withRules(rules);
  else if (theme === "dark") axe.withRules(["color-contrast"]);
  else axe.withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]);
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}
