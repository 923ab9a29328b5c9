import fc from "fast-check";
import { expect, test } from "vitest";
import { fit, openPlace, type Place, START, sealPlace } from "./fit.ts";

const items = (count: number, width = 40) => Array.from({ length: count }, (_, at) => `${at}`.padEnd(width, "x"));

test.each([
  ["what fits comes whole", { a: 1 }, START, 100, { text: '{"a":1}', rest: null, isCut: false }],
  ["an empty list is an answer", { items: [], total: 0 }, START, 100, { rest: null, isCut: false }],
  ["a list ends between items", { items: items(5) }, START, 100, { rest: { page: null, items: 2, chars: 0 } }],
  ["its rest begins there", { items: items(5) }, { page: null, items: 4, chars: 0 }, 100, { rest: null, isCut: false }],
  [
    "after the last item comes the operation's own next page",
    { items: items(2), next_cursor: "p2" },
    START,
    200,
    { rest: { page: "p2", items: 0, chars: 0 } },
  ],
  ["an item larger than an answer is cut", { items: items(1, 300) }, START, 100, { rest: { chars: 100 }, isCut: true }],
  ["so is an answer without a list", { text: "y".repeat(300) }, START, 100, { rest: { chars: 100 }, isCut: true }],
  ["so is what stands beside an empty list", { items: [], t: "y".repeat(300) }, START, 100, { rest: { chars: 100 } }],
  ["past the end there is nothing", { items: items(2) }, { page: null, items: 9, chars: 0 }, 100, { rest: null }],
])("%s", (_, answer, from, most, expected) => {
  const fitted = fit(answer, "items", from, most);
  expect(fitted).toMatchObject(expected);
  expect(fitted.text.length).toBeLessThanOrEqual(most);
});

test("a sign of two halves is not parted", () => {
  const { text, rest } = fit({ t: "😀😀" }, "items", START, 7);
  expect(text).toBe('{"t":"');
  expect(fit({ t: "😀😀" }, "items", rest ?? START, 7).text).toBe('😀😀"}');
});

test("law: the parts of an answer, joined, are the answer; none is too long, and they come to an end", () => {
  const item = fc.oneof(fc.string({ maxLength: 30 }), fc.string({ minLength: 60, maxLength: 200 }), fc.object());
  const pages = fc.array(fc.array(item, { maxLength: 8 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(pages, fc.integer({ min: 50, max: 300 }), fc.string({ maxLength: 80 }), (all, most, head) => {
      const seen: unknown[] = [];
      let pieces = "";
      let from: Place | null = START;
      for (let turns = 0; from; turns += 1) {
        expect(turns).toBeLessThan(2000);
        const at: number = from.page === null ? 0 : Number(from.page);
        const next_cursor = at + 1 < all.length ? String(at + 1) : null;
        const fitted = fit({ head, items: all[at], next_cursor }, "items", openPlace(sealPlace(from)) as Place, most);
        expect(fitted.text.length).toBeLessThanOrEqual(most);
        pieces += fitted.text;
        if (!fitted.isCut || fitted.rest?.chars === 0 || fitted.rest === null) {
          seen.push(...JSON.parse(pieces).items);
          pieces = "";
        }
        from = fitted.rest;
      }
      expect(seen).toEqual(JSON.parse(JSON.stringify(all.flat())));
    }),
  );
});

test.each(["", "e30", "not a cursor", sealPlace({ page: null, items: -1, chars: 0 }), "W10"])(
  "%j is no cursor",
  (text) => {
    expect(openPlace(text)).toBeNull();
  },
);
