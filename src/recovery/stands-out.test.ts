import fc from "fast-check";
import { expect, test } from "vitest";
import { comparePlaces, compareRates } from "./stands-out.ts";

test.each([
  ["all failed here, none of as many elsewhere", [4, 4], [0, 26], "stands-out"],
  ["few, but all of them, and none elsewhere", [3, 3], [0, 4], "stands-out"],
  ["two of two prove little against two good ones", [2, 2], [0, 2], "alike"],
  ["a healthy site with the failures that all have", [30, 1195], [30, 1200], "alike"],
  ["the same failures at a site where little else ran", [30, 30], [30, 1195], "stands-out"],
  ["most failures, because most jobs run there", [80, 1000], [8, 100], "alike"],
  ["everywhere bad: it is the work", [50, 60], [40, 60], "alike"],
  ["nothing ran elsewhere", [9, 9], [0, 0], "alone"],
  ["nothing failed here", [0, 9], [4, 9], "alike"],
] as const)("%s", (_what, [failed, ran], [others, all], is) => {
  expect(compareRates({ failed, ran }, { failed: others, ran: all })).toBe(is);
});

test("of places that fail alike none stands out, however many there are", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 50 }),
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 0, max: 500 }),
      (places, failed, good) => {
        const alike = Array.from({ length: places }, (_, place) => ({ place, failed, ran: failed + good }));
        expect(comparePlaces(alike).filter(({ is }) => is === "stands-out")).toEqual([]);
      },
    ),
  );
});

test("at most as many stand out as can: two never both", () => {
  const count = fc.integer({ min: 0, max: 300 });
  fc.assert(
    fc.property(count, count, count, count, (a, b, c, d) => {
      const both = comparePlaces([
        { place: "a", failed: a, ran: a + b },
        { place: "b", failed: c, ran: c + d },
      ]);
      expect(both.filter(({ is }) => is === "stands-out").length).toBeLessThan(2);
    }),
  );
});
