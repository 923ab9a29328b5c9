import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectText, isThere, open, useBrowser } from "./support/browser.ts";
import { dialog } from "./support/pages.ts";

useBrowser();
const map = (page: Page) => page.getByRole("application");

describe.skipIf(!isThere)("the units of a round", () => {
  test("painted by state, then by another fact; the failed ones are selected and would run again", async () => {
    const page = await open("/requests/muons-reco-2026A/units", { signedIn: true });
    await expect.poll(() => map(page).getAttribute("aria-label")).toContain("14 work units: 8 failed, 6 done.");
    await page.getByRole("button", { name: "Last failure" }).click();
    await page.waitForURL("**/units?by=codes");
    await page.getByRole("button", { name: /exit 3/ }).click();
    const bulk = page.getByRole("region", { name: "Selected units" });
    await expectText(bulk, /5 units selected/);
    await bulk.getByRole("button", { name: "Resubmit …" }).click();
    await expectText(dialog(page), /Preview:.*5/s);
  });

  test("by keyboard: arrows move and tell, space selects", async () => {
    const page = await open("/requests/minbias-summer-2026/units");
    await map(page).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.getByText("mg_000001: done").waitFor();
    await page.keyboard.press(" ");
    await expectText(page.getByRole("region", { name: "Selected units" }), /1 unit selected.*mg_000001/s);
  });

  test("a hundred thousand units are painted at once, and each can be pointed at", async () => {
    const total = 100_000;
    const page = await open("/requests");
    await page.route("**/api/v1/dags/*/map**", (route) =>
      route.fulfill({
        json: {
          dag_id: "d",
          total,
          runs: [["mg_", 0, total]],
          states: "ddddddrfww".repeat(total / 10),
          ledgers_read: 5000,
        },
      }),
    );
    await page.goto(page.url().replace(/requests$/, "requests/minbias-summer-2026/units"));
    await expect.poll(() => map(page).getAttribute("aria-label")).toContain("100,000 work units: 60000 done");
    const box = (await page.locator("canvas").boundingBox())!;
    await page.mouse.move(box.x + 3, box.y + 1);
    await page.getByText("mg_000001: done").waitFor();
  });
});
