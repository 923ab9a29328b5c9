import { describe, expect, inject, test } from "vitest";
import { expectText, isThere, open, URL_OF_SERVER, useBrowser } from "./support/browser.ts";
import { dialog, requestPage, requestsPage } from "./support/pages.ts";
import { startProxy } from "./support/proxy.ts";

useBrowser();

describe.skipIf(!isThere)("what stands around every page", () => {
  test("times follow one switch, colours another; both are remembered", async () => {
    const page = await open("/requests/higgs-4l-signal", { zone: "Asia/Kolkata" });
    const decided = page.locator("section", { has: page.getByRole("heading", { name: "What was decided" }) });
    await expectText(decided, /\d\d:\d\d:\d\d UTC/);
    await page.getByRole("button", { name: "Times are in UTC: switch" }).click();
    await expectText(decided, /\d\d:\d\d:\d\d GMT\+5:30/);
    await page.getByRole("button", { name: "Colours: system. Switch to light" }).click();
    await page.getByRole("button", { name: "Colours: light. Switch to dark" }).click();
    await page.reload();
    await expectText(decided, /GMT\+5:30/);
    expect(await page.evaluate("getComputedStyle(document.documentElement).colorScheme")).toBe("dark");
  });

  test("three tabs of a browser share one stream", async () => {
    const first = await open("/requests");
    // Its first stream is asked for after the page has loaded: not before it is there may we count.
    await first.getByText(/Live\.$/).waitFor({ state: "attached" });
    const streams: string[] = [];
    first.context().on("request", (request) => request.url().includes("/events") && streams.push(request.url()));
    await first.reload();
    await first.getByText(/Live\.$/).waitFor({ state: "attached" });
    for (let tab = 0; tab < 2; tab++) {
      const other = await first.context().newPage();
      await other.goto(`${URL_OF_SERVER}/desk/requests`);
      await requestsPage(other).rows().first().waitFor();
      await other.getByText(/Live\.$/).waitFor({ state: "attached" });
    }
    expect(streams).toHaveLength(1);
  });

  test("a server that falls silent greys its numbers, says so, and is live again when it is back", async () => {
    const page = await open("/requests", { mayComplain: /ERR_|Failed to load/ });
    await requestsPage(page).rows().first().waitFor();
    await page.clock.install();
    await page.route("**/api/v1/**", (route) => route.abort());
    await page.reload();
    await page.clock.runFor(45_000);
    await page.getByText("The server has been silent for more than 30 s.").waitFor();
    expect(await page.locator("main").getAttribute("class")).toContain("is-stale");
    await page.unroute("**/api/v1/**");
    await page.clock.runFor(20_000);
    await page.getByText("The server has been silent").waitFor({ state: "detached" });
    await requestsPage(page).rows().first().waitFor();
  });

  test("a page that cannot be fetched says so below its bar, and is there by itself when the server is back", async () => {
    const page = await open("/requests", { mayComplain: /ERR_|Failed to/ });
    await requestsPage(page).rows().first().waitFor();
    const pages = page.getByRole("navigation");
    await page.route(/\/desk\//, (route) => route.abort());
    await pages.getByRole("link", { name: "Queue" }).click();
    await expectText(page.getByRole("alert"), /This page could not be fetched.*The server does not answer/);
    expect(await page.title()).toBe("Queue · WMS2");
    await pages.getByRole("link", { name: "Requests" }).click();
    await requestsPage(page).rows().first().waitFor();
    await page.goBack();
    await expectText(page.getByRole("alert"), /This page could not be fetched/);
    await page.unroute(/\/desk\//);
    await page.getByRole("heading", { name: "Queue" }).waitFor();
  });

  test("a page that breaks says so, and the next one is shown", async () => {
    const page = await open("/requests", { mayComplain: /TypeError/ });
    await page.route("**/api/v1/admission/queue*", (route) => route.fulfill({ json: {} }));
    const pages = page.getByRole("navigation");
    await pages.getByRole("link", { name: "Queue" }).click();
    await expectText(page.getByRole("alert"), /This page broke: TypeError.*Load it again/);
    await pages.getByRole("link", { name: "Requests" }).click();
    await requestsPage(page).rows().first().waitFor();
  });

  test("a search that fails says so, and Escape closes it at once", async () => {
    const page = await open("/requests/higgs-4l-signal", { mayComplain: /ERR_|Failed to/ });
    expect(await page.title()).toBe("higgs-4l-signal · WMS2");
    await page.route("**/api/v1/search*", (route) => route.abort());
    await page.getByRole("button", { name: "Find a request or a page" }).click();
    await dialog(page).getByRole("combobox").fill("higgs");
    await expectText(dialog(page), /the server cannot be reached/);
    expect(await dialog(page).textContent()).not.toContain("Nothing is called");
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
  });

  test("below a path of a proxy: pages, deep links, reload and live events", async () => {
    const base = await startProxy(URL_OF_SERVER, { prefix: "/tools/wms2" });
    const page = await open("/requests/higgs-4l-signal", { base });
    await expectText(requestPage(page).sentence(), /It is completed/);
    await page.reload();
    await page.getByRole("link", { name: "Requests" }).click();
    await page.waitForURL("**/tools/wms2/desk/requests");
    await requestsPage(page).rows().first().waitFor();
    await page.getByText(/Live\.$/).waitFor({ state: "attached" });
  });

  test("off this machine it asks for a token first, refuses a wrong one, and remembers by a cookie no script can read", async () => {
    const base = await startProxy(URL_OF_SERVER, { host: "wms2.example" });
    const page = await open("/requests", { base, mayComplain: /401/ });
    await dialog(page).getByLabel("Operator token").fill("a guess");
    await dialog(page).getByRole("button", { name: "Sign in" }).click();
    await expectText(dialog(page).getByRole("alert"), /this token is not known here/);
    await dialog(page).getByLabel("Operator token").fill(inject("token"));
    await dialog(page).getByRole("button", { name: "Sign in" }).click();
    await requestsPage(page).rows().first().waitFor();
    await page.reload();
    await requestsPage(page).rows().first().waitFor();
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(page.url()).not.toContain(inject("token"));
  });
});
