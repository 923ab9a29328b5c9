import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fillEmbedded } from "../support/many-requests.ts";
import { ServerUnderTest } from "../support/server.ts";
import { expectText, isThere, open, useBrowser } from "./support/browser.ts";
import { requestsPage } from "./support/pages.ts";

useBrowser();
const REQUESTS = 10_000;
let server: ServerUnderTest;

describe.skipIf(!isThere)("ten thousand requests, on a server of their own", { timeout: 90_000 }, () => {
  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "wms2-server-"));
    await fillEmbedded(dataDir, REQUESTS, ["completed", "new"]);
    server = new ServerUnderTest({}, dataDir);
    await server.start();
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    await server?.remove();
  });

  test("are all counted, and only those in sight exist; the end of what was read brings more; a word finds one", async () => {
    const page = await open("/requests", { base: server.url });
    const list = requestsPage(page);
    await list.row("bench-9999").waitFor();
    await page.getByText("10,000 requests").waitFor();
    const grid = page.getByRole("grid", { name: "Requests" });
    expect(await grid.getAttribute("aria-rowcount")).toBe("10001");
    expect(await list.rows().count()).toBeLessThan(60);
    await list.row("bench-9999").focus();
    await page.keyboard.press("End");
    await list.row("bench-9800").waitFor();
    expect(await list.rows().count()).toBeLessThan(60);
    // More was read behind it: the list goes on.
    await page.keyboard.press("ArrowDown");
    await list.row("bench-9799").waitFor();
    await list.text().fill("bench-1234");
    await expectText(page.locator("main .title"), /Requests1 request(?!s)/);
    expect(await list.rows().count()).toBe(1);
  });

  test("the server is killed: the page says so and greys its numbers; it comes back: live again, nothing typed or chosen is lost", async () => {
    const page = await open("/requests?text=bench-777", { base: server.url, mayComplain: /ERR_|Failed to load/ });
    const list = requestsPage(page);
    await page.clock.install();
    await page.reload();
    await list.row("bench-7777").waitFor();
    await page.getByText(/Live\.$/).waitFor({ state: "attached" });
    await list.row("bench-7777").getByRole("checkbox").check();
    const port = Number(new URL(server.url).port);
    await server.kill("SIGKILL");
    await page.clock.runFor(45_000);
    await page.getByText("The server has been silent for more than 30 s.").waitFor();
    expect(await page.locator("main").getAttribute("class")).toContain("is-stale");
    server = new ServerUnderTest({ "listen.port": port }, server.dataDir);
    await server.start();
    await page.clock.runFor(20_000);
    await page.getByText("The server has been silent").waitFor({ state: "detached" });
    await expectText(list.bulk(), /1 request selected/);
    await list.row("bench-7777").waitFor();
    expect(await list.text().inputValue()).toBe("bench-777");
    expect(await page.locator("main.is-stale").count()).toBe(0);
  });
});
