import { describe, expect, test } from "vitest";
import { expectText, isThere, open, theServer, useBrowser } from "./support/browser.ts";

useBrowser();

describe.skipIf(!isThere)("policy, simulate and outputs", () => {
  test("an exit code is typed: what would happen, by which row, and the address keeps the question", async () => {
    const page = await open("/policy");
    await page.getByLabel("Exit code").fill("8021");
    await page.getByLabel("Execution").fill("2");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/policy?code=8021&attempt=2");
    await expectText(page.getByRole("region", { name: "Preview" }), /It would be retried.*By the row read-failed/s);
    await page.reload();
    await expectText(page.getByRole("region", { name: "Preview" }), /read-failed/);
    await expectText(page.getByRole("region", { name: "Rows in force" }), /Built in: \d+ rows/);
  });

  test("an attempt is decided again: what was decided then, and what would be now", async () => {
    const { items } = await theServer().get("/requests/muons-reco-2026A/attempts?limit=1000");
    const failed = items.find(({ exit_code }: { exit_code: number }) => exit_code === 41);
    const page = await open("/policy");
    await page.getByLabel("Request", { exact: true }).fill("muons-reco-2026A");
    await page.getByLabel("Node").fill(`${failed.unit}/${failed.node}`);
    await page.getByRole("button", { name: "Decide again" }).click();
    await expectText(
      page.getByRole("region", { name: "Decide again" }),
      /The same would be decided now.*Exit 41.*Then.*Now/s,
    );
  });

  test("a scenario is run, and told moment by moment", async () => {
    const page = await open("/simulate?scenario=memory", { signedIn: true });
    await page.route("**/api/v1/simulate", (route) => {
      expect(route.request().postDataJSON().scenario).toContain("expect:");
      return route.fulfill({ json: { ok: true, text: "    +0:00:00 » submitted\n   +2:00:00   done\n\nall is well" } });
    });
    await page.getByRole("button", { name: "Run it" }).click();
    await expectText(page.getByRole("region", { name: "Timeline" }), /2 moments.*submitted.*\+2:00:00.*done/s);
    await expectText(page.getByRole("region", { name: "Summary" }), /all is well/);
  });

  test("the outputs of a request: its block, its files, and how far they are known", async () => {
    const page = await open("/requests/higgs-4l-signal");
    // By key: while parts of the page still come in, a pointer may miss what has just moved.
    await page.getByRole("link", { name: "All files and blocks" }).press("Enter");
    await page.waitForURL("**/higgs-4l-signal/outputs");
    await expectText(
      page.getByRole("region", { name: "In one sentence" }),
      /5 files .* in \d blocks?, all registered in the catalog and closed/,
    );
    await expect.poll(() => page.getByRole("grid", { name: "Files" }).getAttribute("aria-rowcount")).toBe("6");
  });
});
