import fc from "fast-check";
import { expect, test } from "vitest";
import { busyText, columnsOf, faultText, sumOf } from "./hours.ts";

const hour = (time: string, done: number, failed: number, blamed: number, running = 0) => ({
  hour: `2026-11-15T${time}:00.000Z`,
  done,
  failed,
  blamed,
  running,
});
const SINCE = "2026-11-15T09:20:00.000Z";

test("hours without attempts have a bar, too, and the one that has begun is the last", () => {
  const bars = columnsOf([hour("10:00", 5, 3, 2, 2.34)], SINCE, { hours: 3, step: 1, zone: "utc" });
  expect(bars.map(({ label }) => label)).toEqual([
    "2026-11-15 09:00:00 UTC, 1 hour, 0 at a time",
    "2026-11-15 10:00:00 UTC, 1 hour, 2.3 at a time",
    "2026-11-15 11:00:00 UTC, 1 hour, 0 at a time",
    "2026-11-15 12:00:00 UTC, 1 hour, 0 at a time",
  ]);
  expect(bars[1]?.parts.map(({ count }) => count)).toEqual([5, 1, 2]);
});

test("law: no attempt is lost, however many hours are in a bar", () => {
  const some = fc.record({ at: fc.nat(23), done: fc.nat(9), blamed: fc.nat(9), other: fc.nat(9) });
  fc.assert(
    fc.property(fc.array(some), fc.integer({ min: 1, max: 8 }), (rows, step) => {
      const hours = rows.map(({ at, done, blamed, other }) =>
        hour(`${String(at).padStart(2, "0")}:00`, done, blamed + other, blamed),
      );
      const bars = columnsOf(hours, "2026-11-15T00:00:00.000Z", { hours: 24, step, zone: "utc" });
      const total = bars.flatMap(({ parts }) => parts).reduce((sum, { count }) => sum + count, 0);
      const { done, failed } = sumOf(hours);
      expect(total).toBe(done + failed);
    }),
  );
});

test.each([
  [{ done: 0, failed: 0, blamed: 0 }, "no attempt ended here"],
  [{ done: 1, failed: 0, blamed: 0 }, "1 attempt ended well, none failed"],
  [{ done: 7, failed: 4, blamed: 0 }, "7 attempts ended well, 4 failed, none of them possibly because of the site"],
  [{ done: 7, failed: 4, blamed: 3 }, "7 attempts ended well, 4 failed, 3 of them possibly because of the site"],
  [{ done: 0, failed: 8, blamed: 8 }, "0 attempts ended well, 8 failed, all of them possibly because of the site"],
])("%o", (sums, text) => {
  expect(faultText(sums)).toBe(text);
});

test.each([
  [[], "no job that ended ran longer than a moment"],
  [
    [hour("10:00", 5, 0, 0, 12.6), hour("11:00", 1, 0, 0, 0.25)],
    "13 jobs ran at a time in its busiest hour, 13 hours of jobs in all",
  ],
])("how busy it was", (hours, text) => {
  expect(busyText(hours)).toBe(text);
});
