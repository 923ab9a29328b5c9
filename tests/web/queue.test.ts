import type { Page } from "playwright-core";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { expectText, isThere, open, theServer, useBrowser } from "./support/browser.ts";
import { dialog } from "./support/pages.ts";
import { madeRequest } from "./support/seed.ts";

useBrowser();

/** Before all others that wait; nothing starts meanwhile. */
const PRIORITIES = { "wait-a": 930_000, "wait-b": 920_000, "wait-c": 910_000 };
const NAMES = Object.keys(PRIORITIES);

async function threeWait() {
  const server = theServer();
  await server.send("PATCH", "/admission/config", { max_active_dags: 0 });
  for (const [name, priority] of Object.entries(PRIORITIES))
    await server.submit(madeRequest(inject("inputs"), name, { good: 1 }, { priority }));
  for (const name of NAMES) await server.until(name, ["queued"]);
  onTestFinished(async () => {
    for (const name of NAMES) await server.send("POST", `/requests/${name}/abort`, { reason: "the story is over" });
    for (const name of NAMES) await server.until(name, ["aborted"]);
    await server.send("PATCH", "/admission/config", { max_active_dags: 20 });
  });
  const order = async (): Promise<string[]> =>
    (await server.get("/admission/queue")).entries
      .map((entry: { request_name: string }) => entry.request_name)
      .filter((name: string) => NAMES.includes(name));
  return { server, order };
}
const shownOrder = (page: Page) =>
  page
    .locator("table.queue tbody th a")
    .allTextContents()
    .then((names) => names.filter((name) => NAMES.includes(name)));

describe.skipIf(!isThere)("what if it had another priority?", () => {
  test("by keyboard, by number and by pointer the new order is seen before it is so; then it is set, with a reason", {
    timeout: 90_000,
  }, async () => {
    const { server, order } = await threeWait();
    const page = await open("/queue", { signedIn: true });
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await expectText(row("wait-a"), /admission is closed, max_active is 0/);

    await page.getByRole("button", { name: "Move wait-c up" }).focus();
    await page.keyboard.press("Enter");
    await expectText(page.locator("p[role=status]"), /wait-c would be number 2 with 920001/);
    await page.waitForURL("**/queue?if=wait-c%3A920001");
    await page.keyboard.press("Enter");
    await expect.poll(() => shownOrder(page)).toEqual(["wait-c", "wait-a", "wait-b"]);

    await page.getByLabel("Priority of wait-b").fill("950000");
    await page.keyboard.press("Enter");
    await expect.poll(() => shownOrder(page)).toEqual(["wait-b", "wait-c", "wait-a"]);

    const from = (await row("wait-a").locator(".handle").boundingBox())!;
    const to = (await row("wait-b").locator(".handle").boundingBox())!;
    await page.mouse.move(from.x + 10, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + 10, to.y + 10, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => shownOrder(page)).toEqual(["wait-a", "wait-b", "wait-c"]);
    expect(await order()).toEqual(NAMES);

    await page.getByRole("button", { name: "Forget it" }).click();
    await page.getByRole("button", { name: "Move wait-b up" }).click();
    await expect.poll(() => shownOrder(page)).toEqual(["wait-b", "wait-a", "wait-c"]);
    expect(await order()).toEqual(NAMES);
    await page.getByRole("button", { name: "Set …" }).click();
    await expectText(
      dialog(page),
      /wait-b: place \d+ → \d+, priority 920,000 → 930,001.*1 other would make room:.*wait-a/s,
    );
    await dialog(page)
      .getByLabel(/^Reason/)
      .fill("for the conference");
    await dialog(page).getByRole("button", { name: "Set 1 priority" }).click();
    await dialog(page).waitFor({ state: "detached" });
    await page.getByText("What if: nothing is set yet.").waitFor({ state: "detached" });
    expect(await order()).toEqual(["wait-b", "wait-a", "wait-c"]);
    const { items } = await server.get("/audit?subject=wait-b&limit=1");
    expect(items[0]).toMatchObject({ action: "priority", reason: "priority 920,000 → 930,001: for the conference" });
  });
});
