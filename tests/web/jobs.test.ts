import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { expectText, isThere, open, theServer, useBrowser } from "./support/browser.ts";
import { dialog } from "./support/pages.ts";

useBrowser();

describe.skipIf(!isThere)("around one unit and one job", () => {
  test("from a red unit on the map to the line of its log that says why, by keyboard alone", async () => {
    const page = await open("/requests/muons-reco-2026A/units");
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await page.getByRole("application").focus();
    await press(...Array(7).fill("ArrowRight"));
    await page.getByText("mg_000006: failed").waitFor();
    await press("Enter");
    await page.waitForURL("**/units/mg_000006");
    await page.getByRole("link", { name: "landing: done" }).focus();
    await press("ArrowDown");
    await expect.poll(() => page.locator(":focus").getAttribute("aria-label")).toBe("proc_000006: failed");
    await press("Enter");
    await page.waitForURL("**/nodes/mg_000006:proc_000006");
    await expectText(page.getByRole("region", { name: "In one sentence" }), /1 failed with exit 3 at T\d_/);
    await page.getByRole("link", { name: /Log of the last attempt/ }).press("Enter");
    await page.getByText("connecting to the licence server").waitFor();
    await press("/");
    await page.keyboard.type("REFUSED");
    await press("Enter");
    await page.waitForURL(/at=\d+/);
    const line = page.getByRole("region", { name: "The chosen line" });
    await expectText(line, /licence \d+ refused: no seat is free/);
    await expectText(line, /The same line is in 4 other attempts/);
    const address = page.url();
    await page.goto("about:blank");
    await page.goto(address);
    await expectText(line, /no seat is free/);
    expect(await page.locator("li[aria-current] mark").textContent()).toBe("refused");
  });

  test("a job is found by the name that the terminal prints, too, with its slash as %2F", async () => {
    const page = await open("/requests/muons-reco-2026A/nodes/mg_000006%2Fproc_000006");
    await page.getByRole("heading", { name: "mg_000006/proc_000006 of muons-reco-2026A" }).waitFor();
    await expectText(page.getByRole("region", { name: "In one sentence" }), /1 failed with exit 3 at T\d_/);
  });

  test("a unit would run again: the effect is shown first", async () => {
    const page = await open("/requests/muons-reco-2026A/units/mg_000006", { signedIn: true });
    await page.getByRole("button", { name: "Resubmit …" }).click();
    await expectText(dialog(page), /Preview:.*1/s);
  });

  test("the log of a failed job stands beside one of a successful job", async () => {
    const page = await open("/requests/muons-reco-2026A/nodes/mg_000006:proc_000006");
    await page.getByRole("button", { name: "Logs side by side" }).press("Enter");
    const logs = page.getByRole("region", { name: "Logs side by side" });
    await expectText(logs, /failed: mg_000006\/proc_000006.*no seat is free.*successful: mg_\d+\/proc_\d+/s);
    const [left, right] = await Promise.all(
      ["failed:", "successful:"].map((text) => logs.getByText(text).boundingBox()),
    );
    expect(left!.y).toBe(right!.y);
    expect(right!.x).toBeGreaterThan(left!.x + 200);
    await logs.getByRole("button", { name: "Output" }).click();
    await logs.getByText("successful:").waitFor();
  });

  test("a graph of many jobs is drawn by groups of them, each a way to its jobs", { timeout: 90_000 }, async () => {
    const server = theServer();
    await server.send("PATCH", "/admission/config", { max_active_dags: 20 });
    const directory = join(inject("inputs"), "many-jobs");
    mkdirSync(directory, { recursive: true });
    await server.submit({
      ...{ name: "many-jobs", kind: "graph", directory, parameters: { i: "1..120" } },
      ...{ resources: { cores: 1, memory: "50 MB", time: "5 min" }, retries: { job: 0 }, recovery: { max_rescues: 0 } },
      jobs: [
        { name: "fit-{i}", each: ["i"], run: ["sh", "-c", "[ {i} != 7 ]"] },
        { name: "sum", after: "fit-*", run: ["true"] },
      ],
    });
    await server.until("many-jobs", ["held"]);
    const page = await open("/requests/many-jobs/graph?as=drawing");
    await page.getByText("121 jobs, drawn by their templates").waitFor();
    await page.getByRole("link", { name: "fit-{i} (120): 119 of 120 done, 1 failed" }).click();
    await page.waitForURL("**/graph?text=fit-");
    await page.getByRole("grid", { name: "Jobs" }).getByRole("row").filter({ hasText: "fit-7" }).waitFor();
  });

  test("a job of a graph that failed is found in the list, along the time and in the drawing", async () => {
    const page = await open("/requests/alignment-graph");
    await page.getByRole("link", { name: "Graph", exact: true }).press("Enter");
    const rows = page.getByRole("grid", { name: "Jobs" }).getByRole("row");
    await rows.filter({ hasText: "report" }).waitFor();
    await page.getByRole("button", { name: "failed" }).click();
    await page.waitForURL("**/graph?state=failed");
    await rows.filter({ hasText: "report" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Timeline" }).click();
    await rows.filter({ hasText: "strip" }).waitFor();
    await page.getByRole("button", { name: "Drawing" }).click();
    await page.getByRole("link", { name: "strip: failed" }).click();
    await page.waitForURL("**/nodes/job_000002");
    await page.getByRole("link", { name: "Log of the last attempt" }).click();
    await page.getByText("FATAL: no survey for module 17").first().waitFor();
  });
});
