import type { Page } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import { expectText, isThere, open, theServer, useBrowser } from "./support/browser.ts";
import { dialog } from "./support/pages.ts";
import { madeRequest } from "./support/seed.ts";

useBrowser();

/** Presses a key and tells which dialog is open then. */
async function press(page: Page, key: string): Promise<string> {
  if ((await dialog(page).count()) === 0) await page.keyboard.press(key);
  // Before the page knows what may be done, the key does nothing.
  return (await dialog(page).count()) === 0 ? "" : ((await dialog(page).getAttribute("aria-label")) ?? "");
}

describe.skipIf(!isThere)("what failed", () => {
  test("12 unclassified failures are 2 decisions, made by keyboard", { timeout: 90_000 }, async () => {
    const server = theServer();
    await server.send("PATCH", "/admission/config", { max_active_dags: 20 });
    const more = { recovery: { max_rescues: 0, pending_classification: true }, retries: { processing: 1 } };
    await server.submit(madeRequest(inject("inputs"), "twelve", { licence: 8, geometry: 4 }, more));
    await server.until("twelve", ["held"]);
    const page = await open("/requests/twelve/failures", { signedIn: true });
    await page.getByText("2 decisions to make").waitFor();
    for (const [key, reason] of [
      ["g", "no seats until Monday"],
      ["g", "the geometry is wrong"],
    ] as const) {
      await page.keyboard.press("j");
      await page.keyboard.press(key);
      await expectText(dialog(page), /Preview:/);
      // Without a reason Enter does nothing but say what is missing.
      await page.keyboard.press("Enter");
      await expect.poll(() => page.locator(":focus").getAttribute("title")).toContain("enter a reason");
      await dialog(page).getByRole("textbox", { name: "Reason" }).focus();
      await page.keyboard.type(reason);
      await page.keyboard.press("Enter");
      await dialog(page).waitFor({ state: "detached" });
    }
    await page.getByText("none waits for a decision").waitFor();
    expect((await server.get("/requests/twelve/unclassified")).open).toBe(0);
  });

  test("f runs what failed again, as in wms2 top; recover says what each job would get; both only after a preview", async () => {
    const page = await open("/requests/muons-reco-2026A/failures", { signedIn: true });
    await page.getByRole("region", { name: "What to try" }).waitFor();
    await expect.poll(() => press(page, "f"), { timeout: 10_000 }).toMatch(/^resubmit muons-reco-2026A/);
    await expectText(dialog(page), /Preview:.*8/s);
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("link", { name: "muons-reco-2026A" }).click();
    await page.getByRole("group", { name: "Actions" }).getByRole("button", { name: "recover" }).click();
    await expectText(dialog(page), /Nothing would change:.*wms2 recover muons-reco-2026A --reason/s);
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => press(page, "f"), { timeout: 10_000 }).toMatch(/^resubmit muons-reco-2026A/);
  });

  test("says which came first, which is most, and what may not be classified says why", async () => {
    const page = await open("/requests/muons-reco-2026A/failures");
    const sentence = page.getByRole("region", { name: "In one sentence" });
    await expectText(sentence, /8 of 14 work units failed.*First: mg_\d+\/proc_\d+ at T\d_.*Most: 3: .*\(5 of 8\)/s);
    const retry = page.getByRole("button", { name: "Retry" }).first();
    expect(await retry.getAttribute("title")).toContain("a rule knows these");
    await page
      .getByText(/mg_\d+\/proc_\d+ at T/)
      .nth(1)
      .click();
    await page.getByText("licence server").first().waitFor();
  });
});
