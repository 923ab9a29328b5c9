import { describe, expect, inject, test } from "vitest";
import { expectText, isThere, open, theServer, useBrowser } from "./support/browser.ts";
import { dialog, requestPage, requestsPage } from "./support/pages.ts";
import { madeRequest } from "./support/seed.ts";

useBrowser();

describe.skipIf(!isThere)("under all circumstances", () => {
  test("a session ends in the middle: nothing is done, what was typed stays, signing in goes on from there", async () => {
    const server = theServer();
    await server.submit(madeRequest(inject("inputs"), "late-night", { slow: 1 }));
    const page = await open("/requests/late-night", { signedIn: true, mayComplain: /401/ });
    await requestPage(page).action("hold").click();
    await expectText(dialog(page), /Preview:/);
    await dialog(page)
      .getByRole("textbox", { name: /Reason/ })
      .fill("until tomorrow");
    await page.context().clearCookies();
    await dialog(page).getByRole("button", { name: "hold", exact: true }).click();
    await dialog(page).getByRole("alert").getByRole("button", { name: "Sign in" }).click();
    const signIn = page.getByRole("dialog", { name: "Sign in" });
    await signIn.getByLabel("Operator token").fill(inject("token"));
    await signIn.getByRole("button", { name: "Sign in" }).click();
    await signIn.waitFor({ state: "detached" });
    expect(
      await dialog(page)
        .getByRole("textbox", { name: /Reason/ })
        .inputValue(),
    ).toBe("until tomorrow");
    await dialog(page).getByRole("button", { name: "hold", exact: true }).click();
    await expectText(requestPage(page).sentence(), /asked to hold it|It is held/);
  });

  test("at 200 %: an action can be read, filled in and done", async () => {
    const page = await open("/requests/muons-reco-2026A", { signedIn: true, width: 640, height: 430, scale: 2 });
    await requestPage(page).action("release").click();
    await expectText(dialog(page), /Preview:/);
    const button = dialog(page).getByRole("button", { name: "release", exact: true });
    await button.scrollIntoViewIfNeeded();
    const box = (await button.boundingBox())!;
    expect(box.x >= 0 && box.x + box.width <= 640 && box.y >= 0 && box.y + box.height <= 430).toBe(true);
    expect(await page.evaluate("document.querySelector('dialog').scrollWidth <= innerWidth")).toBe(true);
  });

  test.each([
    ["/requests/muons-reco-2026A", "What was decided"],
    ["/requests?sort=oldest", "muons-reco-2026A"],
  ])("on paper: all of %s that is there, no bars, nothing cut off", async (path, sign) => {
    const page = await open(path);
    await page.getByText(sign).first().waitFor();
    await page.emulateMedia({ media: "print" });
    await page.locator("header.top").waitFor({ state: "hidden" });
    await page.getByText(sign).first().waitFor();
    expect(await page.evaluate(CUT_OFF)).toEqual([]);
  });

  test("in two time zones a time is the same in UTC, and differs when each sees their own", async () => {
    const told = async (zone: string) => {
      const page = await open("/requests/higgs-4l-signal", { zone });
      const decided = page.locator("section", { has: page.getByRole("heading", { name: "What was decided" }) });
      const first = decided.getByText(/\d\d:\d\d:\d\d/).first();
      await expectText(first, /UTC/);
      const utc = clockOf(await first.textContent());
      await page.getByRole("button", { name: "Times are in UTC: switch" }).click();
      await expectText(first, /GMT/);
      return { utc, local: clockOf(await first.textContent()) };
    };
    const [kolkata, tokyo] = [await told("Asia/Kolkata"), await told("Asia/Tokyo")];
    expect(kolkata.utc).toBe(tokyo.utc);
    expect(kolkata.local).not.toBe(tokyo.local);
  });

  test("the list is left by a link and found again as it was", async () => {
    const page = await open("/requests?status=held&sort=name");
    const list = requestsPage(page);
    await list.row("muons-reco-2026A").getByRole("link").click();
    await expectText(requestPage(page).sentence(), /It is held/);
    await page.goBack();
    await list.row("muons-reco-2026A").waitFor();
    expect(page.url()).toContain("status=held&sort=name");
  });
});

const clockOf = (text: string | null): string => /\d\d:\d\d:\d\d/.exec(text ?? "")?.[0] ?? "";

/** What has more in it than it shows. */
const CUT_OFF = `[...document.querySelectorAll("main *")].filter((one) => one.scrollHeight > one.clientHeight + 2 &&
  one.className !== "visually-hidden" && getComputedStyle(one).overflowY !== "visible").map((one) => one.className || one.tagName)`;
