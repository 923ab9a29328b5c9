import type { Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { expectText, isThere, open, theServer, useBrowser } from "./support/browser.ts";
import { dialog } from "./support/pages.ts";
import { liftBans, SOUTH_ONLY, untilAlert } from "./support/seed-sites.ts";

useBrowser();

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const menu = (page: Page, name: RegExp) => page.getByRole("navigation").getByRole("link", { name }).first().click();
const WHY = "its storage does not answer";

describe.skipIf(!isThere)("a shift begins", () => {
  test("reads the hand-over, finds the bad site, sees whom a drain would hurt, bans it, hands that over, and undoes it", {
    timeout: 120_000,
  }, async () => {
    const server = theServer();
    await liftBans(server);
    onTestFinished(() => liftBans(server));
    await eventually(
      "the ledgers of the site were read",
      async () =>
        (await server.get("/causes?site=T2_DE_South&code=8020")).items.some(
          (item: { failures: number }) => item.failures === 6,
        ),
      { deadlineSec: 60 },
    );

    const page = await open("/handover", { signedIn: true });
    await expectText(region(page, "Open now"), new RegExp(`${SOUTH_ONLY} held, since`));
    await expectText(region(page, "Requests"), /completed.*higgs-4l-signal/s);

    await menu(page, /^Sites/);
    const site = page.getByRole("listitem").filter({ hasText: "T2_DE_South" });
    await expectText(site, /enabled.*failed, .*possibly because of the site/s);
    await site.getByRole("link", { name: "T2_DE_South" }).click();
    await expectText(page.locator("main"), /What fails here.*Exit 8020.*6 failures in 1 request/s);

    await page.getByRole("button", { name: "drain", exact: true }).click();
    await expectText(region(page, "Preview"), new RegExp(`1 has no other site: ${SOUTH_ONLY}`, "s"));
    await dialog(page)
      .getByRole("button", { name: /^drain: leaves \d+ requests? without a site/ })
      .waitFor();
    await dialog(page).getByRole("button", { name: "Cancel" }).click();

    await page.getByRole("button", { name: "ban", exact: true }).click();
    await expectText(region(page, "Preview"), new RegExp(SOUTH_ONLY));
    await dialog(page)
      .getByLabel(/how many days/)
      .fill("2");
    await dialog(page)
      .getByLabel(/^Reason/)
      .fill(WHY);
    await dialog(page)
      .getByRole("button", { name: /^ban: leaves/ })
      .click();
    await dialog(page).waitFor({ state: "detached" });
    await expectText(page.locator("main"), new RegExp(`Banned for another 1 d 23 h, until .*${WHY}`));

    await menu(page, /^Hand-over/);
    await expectText(region(page, "What was done"), new RegExp(`ban T2_DE_South.*by operator.*${WHY}`));
    await expectText(
      region(page, "Shift report"),
      new RegExp(`site {3}T2_DE_South, since .*: banned until .*: ${WHY}`),
    );

    await page.goBack();
    await page.getByRole("button", { name: "Undo …" }).click();
    await dialog(page)
      .getByLabel(/^Reason/)
      .fill("it answers again");
    await dialog(page).getByRole("button", { name: "unban", exact: true }).click();
    await dialog(page).waitFor({ state: "detached" });
    await page.getByText("Banned for another").waitFor({ state: "detached" });
    expect((await server.get("/sites/T2_DE_South")).bans).toEqual([]);
  });

  test("the report is the same text that a terminal gets, and what is asked for stands in the address", async () => {
    const server = theServer();
    const page = await open(`/handover?since=7d&subject=noise-study`);
    const text = await fetch(`${server.url}/api/v1/handover?since=7d&subject=noise-study`, {
      headers: { accept: "text/plain" },
    }).then((answer) => answer.text());
    const body = text.split("\n").slice(1).join("\n");
    expect(body).toContain("the new thresholds are not agreed on yet");
    await eventually("the page shows the same", async () =>
      ((await region(page, "Shift report").locator("pre").textContent()) ?? "").endsWith(body),
    );
    await page.getByRole("button", { name: "What was done" }).click();
    await page.waitForURL("**/handover?since=7d&subject=noise-study&kind=action");
    await region(page, "Requests").waitFor({ state: "detached" });
    await expectText(region(page, "What was done"), /hold noise-study/);
  });

  test("an alert says what to do, and is taken care of by name", { timeout: 120_000 }, async () => {
    await untilAlert(theServer(), "noise-study");
    const page = await open("/alerts?text=noise-study", { signedIn: true });
    const alert = page.getByRole("listitem").filter({ hasText: "noise-study" });
    await expectText(alert, /warning, since .*held.*What to do: look at why/s);
    await alert.getByRole("button", { name: "I take care of it …" }).click();
    await dialog(page)
      .getByLabel(/What is done/)
      .fill("asked marco");
    await dialog(page).getByRole("button", { name: "I take care of it" }).click();
    await expectText(alert, /operator takes care of it/);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("link", { name: "Audit" }).click();
    await expectText(region(page, "Audit"), /acknowledge.*noise-study.*asked marco/s);
  });
});
