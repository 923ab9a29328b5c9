import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectText, isThere, open, theServer, useBrowser } from "./support/browser.ts";
import { dialog } from "./support/pages.ts";

useBrowser();
type Scrolls = { readonly scrollTo: (left: number, top: number) => void };
const grid = (page: Page) => page.getByRole("grid");
const chunk = (page: Page, node: string, words: string) =>
  grid(page).getByRole("gridcell", { name: `${node}: ${words}`, exact: true });

describe.skipIf(!isThere)("products of a model run", () => {
  test("a climate modeller sees a grid of holes, fills one component, and sees it filled", {
    timeout: 60_000,
  }, async () => {
    await theServer().send("PATCH", "/admission/config", { max_active_dags: 20 });
    const page = await open("/requests/cm5-historical", { signedIn: true });
    await page.getByRole("link", { name: "Grid of products" }).press("Enter");
    await chunk(page, "atmos/ts-monthly-2y/0001-0002", "missing, will be made").waitFor();
    await chunk(page, "ocean/ts-monthly-2y/0007-0008", "history missing").waitFor();
    await page.getByLabel("Component").selectOption("atmos");
    await page.waitForURL("**/fill?component=atmos");
    await expect.poll(() => grid(page).getByRole("rowheader").allTextContents()).toHaveLength(2);

    await page.getByRole("button", { name: /^Fill 4 products/ }).click();
    await expectText(dialog(page), /4 products to be made.*was never made/s);
    await dialog(page)
      .getByRole("textbox", { name: /Reason/ })
      .fill("the paper needs it");
    await dialog(page).getByRole("button", { name: "Fill", exact: true }).click();
    await chunk(page, "atmos/ts-monthly-4y/0001-0004", "done").waitFor({ timeout: 45_000 });
    await chunk(page, "atmos/ts-monthly-2y/0005-0006", "done").waitFor();
    await page.getByLabel("Component").selectOption("");
    await chunk(page, "land/ts-monthly-2y/0001-0002", "missing, will be made").waitFor();
  });

  test("by keyboard from chunk to chunk, each with its reason; a component that is not there is refused by name", async () => {
    const page = await open("/requests/cm5-historical/fill?component=land", { signedIn: true, mayComplain: /422/ });
    await chunk(page, "land/ts-monthly-2y/0001-0002", "missing, will be made").focus();
    const chosen = page.getByRole("region", { name: "The chunk that is chosen" });
    await page.keyboard.press("ArrowRight");
    await expectText(chosen, /land\/ts-monthly-2y\/0003-0004.*make: /s);
    await page.keyboard.press("ArrowDown");
    await expectText(chosen, /land\/ts-monthly-4y\/0001-0004.*make, after 2 others/s);
    await page.goto(page.url().replace("component=land", "component=sky"));
    await page.getByText("there is no component sky").first().waitFor();
    await page.getByText("allowed: atmos, land, ocean").waitFor();
  });

  test("two hundred years of fifty components are there at once, and only what is in sight is drawn", async () => {
    const page = await open("/requests");
    await page.route("**/requests/cm5-historical/fill?**", (route) => route.fulfill({ json: largePlan() }));
    await page.goto(page.url().replace(/requests$/, "requests/cm5-historical/fill"));
    await chunk(page, "c000/ts-1y/0001", "done").waitFor();
    expect(await grid(page).getAttribute("aria-rowcount")).toBe("101");
    expect(await grid(page).getByRole("gridcell").count()).toBeLessThan(3000);
    await grid(page).evaluate((box) => (box as unknown as Scrolls).scrollTo(1e6, 1e6));
    await chunk(page, "c049/ts-5y/0196-0200", "held: needs a release").click();
    await expectText(page.getByRole("region", { name: "The chunk that is chosen" }), /c049.*held/s);
  });
});

/** Fifty components with a product of one year and one of five. */
function largePlan() {
  const year = (number: number) => String(number).padStart(4, "0");
  const rows = Array.from({ length: 50 }, (_, at) => `c${String(at).padStart(3, "0")}`).flatMap((component) =>
    [1, 5].map((years) => ({
      component,
      product: `ts-${years}y`,
      length_months: 12 * years,
      cells: Array.from({ length: 200 / years }, (_, at) => {
        const [first, last] = [at * years + 1, (at + 1) * years];
        const span = years === 1 ? year(first) : `${year(first)}-${year(last)}`;
        const state = last > 190 ? (years === 5 ? "held" : "no-history") : "done";
        return { node: `${component}/ts-${years}y/${span}`, due: 12 * (last + 1), state };
      }),
    })),
  );
  return {
    experiment: "cm5",
    range: { from: 12, to: 2412 },
    choice: { component: null, from: null, to: null, mode: "failed", recurse: true },
    rows,
    actions: [],
    obstacles: [],
    done: 11_400,
    holes: 600,
  };
}
