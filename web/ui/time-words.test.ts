import { expect, test } from "vitest";
import { absolute, duration, exactDuration, expected, relative } from "./time-words.ts";

test.each([
  [0, "0 s"],
  [59, "59 s"],
  [61, "1 min"],
  [3600, "1 h"],
  [7500, "2 h 5 min"],
  [200_000, "2 d 7 h"],
])("%i seconds are %s", (seconds, text) => expect(duration(seconds)).toBe(text));

test.each([
  [0, "0"],
  [90, "1 min 30 s"],
  [129_600, "1 d 12 h"],
])("%i seconds are exactly %s", (seconds, text) => expect(exactDuration(seconds)).toBe(text));

test("relative to now", () => {
  expect([relative(-125_000), relative(400), relative(7_500_000)]).toEqual(["2 min ago", "now", "in 2 h 5 min"]);
});

test("a guess is told as one", () => {
  expect([expected(44_000), expected(-3000)]).toEqual(["in about 44 s", "any moment"]);
  const at = new Date("2026-11-16T02:10:07Z");
  expect(absolute(at, "utc", at.getTime(), true)).toBe("02:10 UTC");
});

test("the zone is always written, the day where it is another", () => {
  const at = new Date("2026-11-16T02:10:07Z");
  expect(absolute(at, "utc", at.getTime())).toBe("02:10:07 UTC");
  expect(absolute(at, "utc", at.getTime() + 86_400_000)).toBe("2026-11-16 02:10:07 UTC");
});
