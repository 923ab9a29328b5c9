import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ServerUnderTest } from "../support/server.ts";
import { expectText, isThere, open, theServer, useBrowser } from "./support/browser.ts";
import { dialog, requestPage } from "./support/pages.ts";
import { madeRequest } from "./support/seed.ts";

useBrowser();
interface Area {
  readonly value: string;
  readonly selectionStart: number;
  readonly selectionEnd: number;
}

describe.skipIf(!isThere)("on a fresh server", () => {
  const server = new ServerUnderTest();
  beforeAll(() => server.start(), 120_000);
  afterAll(async () => {
    await server.stop();
    await server.remove();
  }, 120_000);

  test("a newcomer runs the example from the page itself", { timeout: 90_000 }, async () => {
    const page = await open("/", { base: server.url });
    await page.getByRole("link", { name: "Run the example" }).click();
    await page.waitForURL("**/submit?example=generate.yaml");
    await page.getByText("need an operator").waitFor();
    await page.getByRole("button", { name: "Sign in" }).last().click();
    await dialog(page).getByLabel("Operator token").fill(server.token);
    await dialog(page).getByRole("button", { name: "Sign in" }).click();
    await expectText(page.getByRole("region", { name: "What it would do" }), /Work units2.*1,600/s);
    await page.getByRole("button", { name: "Submit minbias-example" }).click();
    await page.waitForURL("**/desk/requests/minbias-example");
    await expectText(requestPage(page).sentence(), /It runs round 0|work units? done/);
    expect((await server.get("/requests/minbias-example")).kind).toBe("generate");
  });
});

const MISTAKE = `name: with-a-mistake
kind: generate
events: 100
split: { by: events, events_per_job: 10 }
steps: [{ name: gen, run: [/bin/true] }]
outputs: [{ name: gen, file: gen.out }]
resources: { cores: many }
`;

describe.skipIf(!isThere)("submitting", () => {
  test("a mistake in line 7 is shown at line 7; without it the plan is shown, and it can be submitted", async () => {
    const page = await open("/submit", { signedIn: true, mayComplain: /422/ });
    const editor = page.getByRole("textbox", { name: /as YAML/ });
    await editor.fill(MISTAKE);
    const problems = page.getByRole("region", { name: "Problems" });
    await expectText(problems, /1 problem.*Line 7.*resources\.cores/s);
    expect(await page.locator(".gutter .marked").allTextContents()).toEqual(["7"]);
    await problems.getByRole("button", { name: "Line 7" }).click();
    const selected = () =>
      editor.evaluate((box) => {
        const { value, selectionStart, selectionEnd } = box as unknown as Area;
        return value.slice(selectionStart, selectionEnd);
      });
    await expect.poll(selected).toBe("resources: { cores: many }");
    await editor.fill(MISTAKE.replace("many", "1"));
    await expectText(page.getByRole("region", { name: "What it would do" }), /Jobs.*10 processing/s);
    await page.getByRole("button", { name: "Submit with-a-mistake" }).waitFor();
  });

  test("a request is cloned into the editor, corrected, and submitted as its next version", {
    timeout: 90_000,
  }, async () => {
    const server = theServer();
    await server.submit(madeRequest(inject("inputs"), "to-clone", { good: 1 }));
    await server.send("POST", "/requests/to-clone/abort", { reason: "too little memory" });
    await server.until("to-clone", ["aborted"]);
    const page = await open("/requests/to-clone", { signedIn: true });
    await page.getByRole("group", { name: "Actions" }).getByRole("link", { name: "clone" }).click();
    const editor = page.getByRole("textbox", { name: /as YAML/ });
    await expect.poll(() => editor.inputValue()).toMatch(/name: to-clone/);
    await editor.fill((await editor.inputValue()).replace("100 MB", "200 MB"));
    await expectText(page.getByRole("region", { name: "What is different" }), /memory_mb: 200/);
    await page.getByLabel(/^Reason/).fill("more memory");
    await page.getByRole("button", { name: "Submit as the next version of to-clone" }).click();
    await page.waitForURL("**/desk/requests/to-clone-v2");
    expect((await server.get("/requests/to-clone-v2")).memory_mb).toBe(200);
  });

  test("a name that is taken: the page says so, and what is different from the request that has it", async () => {
    const more = { resources: { cores: 1, memory: "200 MB", time: "90 min" } };
    const changed = madeRequest(inject("inputs"), "higgs-4l-signal", { good: 5 }, more);
    const page = await open("/submit", { signedIn: true });
    await page.getByRole("textbox", { name: /as YAML/ }).fill(JSON.stringify(changed));
    const different = page.getByRole("region", { name: "What is different" });
    await expectText(
      different,
      /2 lines different from higgs-4l-signal.*removed: +memory_mb: 100.*added: +memory_mb: 200/s,
    );
    expect(await page.getByRole("button", { name: "Submit", exact: true }).getAttribute("aria-disabled")).toBe("true");
  });
});
