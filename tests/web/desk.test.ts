import { describe, expect, inject, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { expectText, isThere, open, theServer, useBrowser } from "./support/browser.ts";
import { dialog } from "./support/pages.ts";
import { madeRequest } from "./support/seed.ts";

useBrowser();

describe.skipIf(!isThere)("the desk", () => {
  test("a site breaks: the operator finds it, leaves it out and releases every request in five clicks", {
    timeout: 90_000,
  }, async () => {
    const server = theServer();
    await server.send("PATCH", "/admission/config", { max_active_dags: 20 });
    const names = ["storm-a", "storm-b", "storm-c"];
    for (const name of names) await server.submit(madeRequest(inject("inputs"), name, { "fails-south": 8 }));
    for (const name of names) await server.until(name, ["held"]);

    await eventually("the ledgers of all three were read", async () =>
      (await server.get("/causes?code=8028")).items.some((item: { held: number }) => item.held === 3),
    );

    const page = await open("/", { signedIn: true });
    let clicks = 0;
    const click = async (label: RegExp) => {
      clicks++;
      await page.getByRole("button", { name: label }).last().click();
    };
    const cause = page.getByRole("listitem").filter({ hasText: "Exit 8028 at T2_DE_South" });
    await expectText(
      cause,
      /3 requests, 3 held.*release: (the site is the likely cause|most were at T2_DE_South, which is banned)/s,
    );
    // Failures of several requests may have banned it for everybody by now: then there is nothing to leave out.
    const isBanned = /which is banned/.test((await cause.textContent()) ?? "");
    clicks++;
    await cause.getByRole("button", { name: /^Decide for (these )?3 requests …/ }).click();
    await expectText(
      dialog(page),
      isBanned ? /3 would be done/ : /also leaves out T2_DE_South for a week.*3 would be done/s,
    );
    const ban = isBanned ? "" : " --ban T2_DE_South";
    await expectText(dialog(page), new RegExp(`wms2 release --filter .*site=T2_DE_South${ban} --reason '…'Copy`));
    await dialog(page)
      .getByRole("textbox", { name: /Reason/ })
      .fill("storage of the site is down");
    await click(/^release 3 requests$/);
    await expectText(dialog(page), /What happened: .*3 done/);
    await click(/^Close$/);
    for (const name of names) await server.until(name, ["completed"]);
    await cause.waitFor({ state: "detached" });
    expect(clicks).toBeLessThanOrEqual(5);
  });

  test("held requests are grouped by reason, each with what may be done about all of them", async () => {
    const page = await open("/");
    const group = page.getByRole("listitem").filter({ hasText: "held-by-operator" });
    await expectText(group, /a person held it.*noise-study/s);
    await group.getByRole("link", { name: "noise-study" }).click();
    await page.waitForURL("**/desk/requests/noise-study");
    await page.goBack();
    await expectText(
      page.getByRole("region", { name: "In one sentence" }),
      /requests wait for a person, from \d+ causes/,
    );
  });
});
