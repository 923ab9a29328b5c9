import { describe, expect, inject, test } from "vitest";
import { expectText, isThere, open, theServer, useBrowser } from "./support/browser.ts";
import { dialog, requestPage } from "./support/pages.ts";
import { madeRequest } from "./support/seed.ts";

useBrowser();

describe.skipIf(!isThere)("one request", () => {
  test("a physicist opens the link and learns what it is at, what comes next, and when", async () => {
    const page = await open("/requests/minbias-summer-2026");
    const { sentence } = requestPage(page);
    await expectText(sentence(), /It runs round 0: .*8 of 14 .*done/);
    await expectText(sentence(), /Next: .*When: this round: (in|between|about|overdue)/s);
    await page.getByRole("img", { name: "Work units: 8 done, 6 running of 14" }).waitFor();
  });

  test("a held one says why, and what may not be done now stays and says why not", async () => {
    const page = await open("/requests/muons-reco-2026A");
    const { sentence, action } = requestPage(page);
    await expectText(sentence(), /It is held, because 8 of 14 units failed.*Next: it waits for an operator: release/s);
    expect(await action("stop").getAttribute("aria-disabled")).toBe("true");
    expect(await action("stop").getAttribute("title")).toBe("it is held already; nothing would change");
    await action("stop").focus();
    await page.keyboard.press("Enter");
    expect(await dialog(page).count()).toBe(0);
  });

  test("signs in, sees the effect, says why, and the page shows it within a second", async () => {
    const server = theServer();
    await server.submit(madeRequest(inject("inputs"), "to-be-held", { slow: 1 }));
    const page = await open("/requests/to-be-held");
    const { sentence, action } = requestPage(page);
    await page.getByRole("button", { name: "Sign in" }).click();
    await dialog(page).getByLabel("Operator token").fill(inject("token"));
    await dialog(page).getByRole("button", { name: "Sign in" }).click();
    await dialog(page).waitFor({ state: "detached" });
    await action("abort").click();
    await expectText(dialog(page), /Preview:/);
    await dialog(page)
      .getByRole("textbox", { name: /Reason/ })
      .fill("wrong geometry");
    const shownMs = page.evaluate<number>(SHOWN_AFTER_CLICK);
    await dialog(page).getByRole("button", { name: "abort", exact: true }).click();
    expect(await shownMs).toBeLessThan(1000);
    await expectText(sentence(), /It was cancelled/);
  });

  test("somebody else was faster: the page says that it moved on", async () => {
    const server = theServer();
    await server.submit(madeRequest(inject("inputs"), "two-hands", { slow: 1 }));
    const page = await open("/requests/two-hands", { signedIn: true, mayComplain: /412|409|ERR_FAILED/ });
    await requestPage(page).action("hold").waitFor();
    // The page is kept from hearing of it.
    await page.route("**/api/v1/requests/two-hands", (route) => route.abort());
    await page.route("**/api/v1/events**", (route) => route.abort());
    await requestPage(page).action("hold").click();
    await dialog(page)
      .getByRole("textbox", { name: /Reason/ })
      .fill("me too");
    await server.send("PATCH", "/requests/two-hands", { priority: 7 });
    await dialog(page).getByRole("button", { name: "hold", exact: true }).click();
    await expectText(dialog(page).getByRole("alert").first(), /changed since it was shown/);
  });

  test("a name nobody knows leads to the list", async () => {
    const page = await open("/requests/nobody", { mayComplain: /404/ });
    await page.getByRole("heading", { name: "There is no request nobody" }).waitFor();
    await page.getByRole("link", { name: "All requests" }).click();
    await page.waitForURL("**/desk/requests");
  });
});

/** As the page itself measures it: from the click until the sentence says so. */
const SHOWN_AFTER_CLICK = `new Promise((done) => {
  let begun = 0;
  addEventListener("click", () => { begun = performance.now(); }, { once: true, capture: true });
  new MutationObserver(() => {
    const told = document.querySelector("[aria-label='In one sentence']")?.textContent ?? "";
    if (begun > 0 && /asked to abort it|It was cancelled/.test(told)) done(performance.now() - begun);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
})`;
