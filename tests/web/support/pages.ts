import type { Locator, Page } from "playwright-core";

/** The pages by what a person reads on them. */
export const requestsPage = (page: Page) => ({
  row: (name: string): Locator => page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) }),
  rows: (): Locator =>
    page
      .getByRole("grid", { name: "Requests" })
      .getByRole("row")
      .filter({ has: page.getByRole("link") }),
  status: (word: string): Locator => page.getByRole("group", { name: "Status" }).getByRole("button", { name: word }),
  text: (): Locator => page.getByRole("searchbox", { name: /Find in names/ }),
  bulk: (): Locator => page.getByRole("region", { name: "Selected requests" }),
});

export const requestPage = (page: Page) => ({
  sentence: (): Locator => page.getByRole("region", { name: "In one sentence" }),
  action: (word: string): Locator =>
    page.getByRole("group", { name: "Actions" }).getByRole("button", { name: word, exact: true }),
});

export const dialog = (page: Page): Locator => page.getByRole("dialog");
