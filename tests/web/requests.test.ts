import { describe, expect, inject, test } from "vitest";
import { expectText, isThere, open, theServer, useBrowser } from "./support/browser.ts";
import { dialog, requestsPage } from "./support/pages.ts";
import { madeRequest } from "./support/seed.ts";

useBrowser();
/** Only rows in sight exist, and other stories may have put theirs on top. */
const TALL = { height: 4000 };

describe.skipIf(!isThere)("the list of requests", () => {
  test("what is chosen stands in the address, in the list and in the CLI line; back undoes it; a link keeps it", async () => {
    const page = await open("/requests", TALL);
    const list = requestsPage(page);
    await list.row("muons-reco-2026A").waitFor();
    await list.status("held").click();
    await list.row("higgs-4l-signal").waitFor({ state: "detached" });
    await list.text().fill("muons");
    await page.waitForURL("**/desk/requests?status=held&text=muons");
    await list.row("jets-open-data").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "CLI · curl · JSON" }).click();
    await page.getByText("wms2 list --filter status=held text=muons", { exact: true }).waitFor();
    await page.reload();
    await list.row("muons-reco-2026A").waitFor();
    expect(await list.rows().count()).toBe(1);
    await page.goBack();
    await list.row("higgs-4l-signal").waitFor();
  });

  test("every row says in words why it is not further", async () => {
    const list = requestsPage(await open("/requests", TALL));
    await expectText(list.row("muons-reco-2026A"), /8 of 14 units failed/);
    await expectText(list.row("noise-study"), /held by operator: the new thresholds are not agreed on yet/);
  });

  test("by keyboard alone: down two rows, select, open, find another, list the keys", async () => {
    const page = await open("/requests?text=calibration");
    const list = requestsPage(page);
    await list.row("calibration-2026d").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await expectText(list.bulk(), /1 request selected/);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/desk/requests/calibration-2026c");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("higgs");
    await dialog(page)
      .getByRole("option", { name: /higgs-4l-signal/, selected: true })
      .waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/desk/requests/higgs-4l-signal");
    await page.keyboard.press("?");
    await expectText(dialog(page), /find a request or a page/);
  });

  test("many at once: preview, reason, a result for each; who was refused stays selected", async () => {
    const server = theServer();
    for (const name of ["bulk-one", "bulk-two"])
      await server.submit(madeRequest(inject("inputs"), name, { slow: 1 }, { requestor: "bulk" }));
    await server.send("POST", "/requests/bulk-two/abort", { reason: "to have one that is over" });
    await server.until("bulk-two", ["aborted"]);
    const page = await open("/requests?requestor=bulk", { signedIn: true });
    const list = requestsPage(page);
    await list.row("bulk-two").waitFor();
    await page.getByRole("checkbox", { name: "select all that are shown" }).check();
    await list.bulk().getByRole("combobox", { name: "Action" }).selectOption("hold");
    await expectText(dialog(page), /1 refused, 1 would be done/);
    const button = dialog(page).getByRole("button", { name: "hold 1 request" });
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await expectText(dialog(page), /enter a reason/);
    await dialog(page)
      .getByRole("textbox", { name: /Reason/ })
      .fill("the detector is off");
    await button.click();
    await expectText(dialog(page), /What happened: .*1 refused, 1 done/);
    await dialog(page).getByRole("button", { name: "Close" }).last().click();
    await expectText(list.bulk(), /1 request selected/);
    await expectText(list.row("bulk-one"), /held/);
    expect((await server.get("/requests/bulk-one/audit")).items[0]).toMatchObject({ reason: "the detector is off" });
  });

  test("nothing matches: it says so, and leads back", async () => {
    const page = await open("/requests?text=nowhere", TALL);
    await page.getByRole("heading", { name: "No request matches" }).waitFor();
    await page.getByRole("button", { name: "Show all" }).last().click();
    await requestsPage(page).row("higgs-4l-signal").waitFor();
  });
});
