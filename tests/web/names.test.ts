import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isThere, open, useBrowser } from "./support/browser.ts";

useBrowser();

/** What somebody who hears a page is told of its parts, from top to bottom: roles and names, without what changes with what goes on. */
const PAGES: Readonly<Record<string, string>> = {
  "/": `
heading "Desk" [level=1]
region "In one sentence"
heading "Causes" [level=2]
heading "Requests that wait for a person" [level=2]
heading "Alerts" [level=2]
heading "What goes on" [level=2]`,
  "/requests": `
heading "Requests" [level=1]
group "Status"
search
searchbox "Find in names, people, campaigns and reasons /"
grid "Requests"
columnheader "select all that are shown"
columnheader "Request"
columnheader "Status"
columnheader "Work units"
columnheader "Because"
columnheader "Expected"
columnheader "Priority"`,
  "/requests/muons-reco-2026A": `
heading "muons-reco-2026A" [level=1]
region "In one sentence"
group "Actions"
heading "Round 0" [level=2]
heading "Asked for and used, by round" [level=2]
region "Rounds"
columnheader "Round"
columnheader "Memory asked"
columnheader "used (median)"
columnheader "at most"
columnheader "Cores asked"
columnheader "busy"
heading "Outputs" [level=2]
heading "What was decided" [level=2]
heading "What was asked for" [level=2]`,
  "/requests/muons-reco-2026A/failures": `
heading "Failures of muons-reco-2026A" [level=1]
region "In one sentence"
region "What to try"
heading "Similar failures, by what their logs say" [level=2]
heading "By code" [level=2]
columnheader "Code"
columnheader "Failures"
columnheader "Units"
columnheader "What it means"
heading "By site" [level=2]
columnheader "Site"
columnheader "Nodes"
columnheader "Failed"
columnheader "Likely the site"`,
  "/requests/muons-reco-2026A/units": `
heading "Work units of muons-reco-2026A" [level=1]
group "Paint by"
application "14 work units`,
};
const PART = /^\s*- '?((?:heading|region|group|search|grid|columnheader|searchbox|application)\b.*)$/;

async function partsOf(page: Page): Promise<string> {
  const heard = (await page.locator("main").ariaSnapshot()).split("\n");
  const parts = heard.flatMap((line) => PART.exec(line)?.[1]?.replace(/:.*$/, "").trim() ?? []);
  // What follows a colon changes; a heading with one is told by its region.
  const kept = parts.filter((part) => part !== "group" && !/\[level=[3-6]\]|^heading "[^"]*$/.test(part));
  return `\n${[...new Set(kept)].join("\n")}`;
}

describe.skipIf(!isThere)("the names of parts", () => {
  test.each(Object.entries(PAGES))("of %s", async (path, names) => {
    const page = await open(path);
    await expect.poll(() => partsOf(page), { timeout: 10_000 }).toBe(names);
  });
});
