import { describe, expect, inject, test } from "vitest";
import { expectText, isThere, open, theServer, useBrowser } from "./support/browser.ts";
import { dialog } from "./support/pages.ts";
import { madeRequest } from "./support/seed.ts";

useBrowser();

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
      ["f", "no seats until Monday"],
      ["f", "the geometry is wrong"],
    ] as const) {
      await page.keyboard.press("j");
      await page.keyboard.press(key);
      await expectText(dialog(page), /Preview:/);
      await page.keyboard.type(reason);
      await page.keyboard.press("Tab");
      await dialog(page)
        .getByRole("button", { name: /^fail \d$/ })
        .click();
      await dialog(page).waitFor({ state: "detached" });
    }
    await page.getByText("none waits for a decision").waitFor();
    expect((await server.get("/requests/twelve/unclassified")).open).toBe(0);
  });

  test("says which came first, which is most, and what may not be classified says why", async () => {
    const page = await open("/requests/muons-reco-2026A/failures");
    const sentence = page.getByRole("region", { name: "In one sentence" });
    await expectText(sentence, /8 of 14 work units failed.*First: mg_\d+\/proc_\d+ at T\d_.*Most: 3: .*\(5 of 8\)/s);
    const retry = page.getByRole("button", { name: "Retry" }).first();
    expect(await retry.getAttribute("title")).toContain("a rule knows these already");
    await page
      .getByText(/mg_\d+\/proc_\d+ at T/)
      .nth(1)
      .click();
    await page.getByText("licence server").first().waitFor();
  });
});
