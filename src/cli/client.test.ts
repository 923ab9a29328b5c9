import { expect, test } from "vitest";
import { joined } from "./client.ts";

const NUMBERS = [1, 2, 3, 4, 5];

/** Two numbers a page, or fewer when fewer are asked for. */
async function ask(cursor: string | undefined, left: number) {
  const from = Number(cursor ?? 0);
  const to = from + Math.min(2, left);
  const odd = NUMBERS.slice(from, to).filter((number) => number % 2 === 1);
  return { items: NUMBERS.slice(from, to), odd, open: to, next_cursor: to < NUMBERS.length ? String(to) : null };
}

test("pages as one: their lists one after another, all else as the last page says it", async () => {
  expect(await joined(ask)).toEqual({ items: NUMBERS, odd: [1, 3, 5], open: 6, next_cursor: null });
});

test("there are more when it was enough before the last page", async () => {
  expect(await joined(ask, 3)).toEqual({ items: [1, 2, 3], odd: [1, 3], open: 3, next_cursor: "3" });
  expect(await joined(ask, 5)).toMatchObject({ items: NUMBERS, next_cursor: null });
});
