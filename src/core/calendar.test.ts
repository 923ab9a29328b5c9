import fc from "fast-check";
import { expect, test } from "vitest";
import {
  daysIn,
  type Frequency,
  type Interval,
  monthOf,
  parseInterval,
  parseMonths,
  parsePoint,
  timeLevels,
  writeDate,
  writeDuration,
  writeInterval,
  writeMonth,
} from "./calendar.ts";

const years = (first: number, last: number): Interval => ({ from: monthOf(first), to: monthOf(last + 1) });

test.each<[string, number | null]>([
  ["5y", 60],
  ["6mo", 6],
  ["18 months", 18],
  ["1 year", 12],
  ["1y 6mo", 18],
  ["20yr", 240],
  ["12 Months", 12],
  ["0y", null],
  ["5", null],
  ["5m", null],
  ["", null],
  ["-1y", null],
  ["1.5y", null],
  ["1001y", null],
])("a duration: %j is %s months", (text, months) => expect(parseMonths(text)).toBe(months));

test.each<[string, number, number, number]>([
  ["0001", monthOf(1), 12, 1],
  ["1982", monthOf(1982), 12, 1],
  ["12345", monthOf(12_345), 12, 1],
  ["000106", monthOf(1, 6), 1, 1],
  ["1234506", monthOf(12_345, 6), 1, 1],
  ["0001-06", monthOf(1, 6), 1, 1],
  ["19820715", monthOf(1982, 7), 1, 15],
])("a point: %s", (text, from, months, day) => expect(parsePoint(text)).toEqual({ from, to: from + months, day }));

test.each(["1", "001", "000100", "000113", "19820700", "x", "0001-0002", ""])("no point: %j", (text) =>
  expect(parsePoint(text)).toBeNull(),
);

test.each<[Interval, string]>([
  [years(1, 5), "0001-0005"],
  [years(13, 13), "0013"],
  [{ from: monthOf(1, 7), to: monthOf(2, 7) }, "000107-000206"],
  [{ from: monthOf(1, 7), to: monthOf(1, 8) }, "000107"],
  [{ from: monthOf(1), to: monthOf(2, 7) }, "000101-000206"],
])("an interval: %j is %s", (interval, text) => {
  expect(writeInterval(interval)).toBe(text);
  expect(parseInterval(text)).toEqual(interval);
});

test("every interval is written in one way, and read back", () => {
  const interval = fc
    .tuple(fc.nat(1_199_000), fc.integer({ min: 1, max: 900 }))
    .map(([from, months]) => ({ from, to: from + months }));
  fc.assert(
    fc.property(interval, fc.integer({ min: 1, max: 12_000 }), (one, months) => {
      expect(parseInterval(writeInterval(one))).toEqual(one);
      expect(parseMonths(writeDuration(months))).toBe(months);
    }),
  );
  expect([writeMonth(monthOf(1, 6)), writeDate(monthOf(1982, 7), 15)]).toEqual(["000106", "19820715"]);
  expect(parseInterval("0005-0001")).toBeNull();
});

test("days, against another calendar", () => {
  const month = fc.record({ from: fc.integer({ min: 0, max: 36_000 }), months: fc.integer({ min: 1, max: 500 }) });
  const day = (at: number): number => new Date(0).setUTCFullYear(Math.floor(at / 12), at % 12, 1) / 86_400_000;
  fc.assert(
    fc.property(month, ({ from, months }) => {
      const interval = { from, to: from + months };
      expect(daysIn(interval, "gregorian")).toBe(day(interval.to) - day(from));
      expect(daysIn(interval, "360_day")).toBe(months * 30);
    }),
  );
  expect([daysIn(years(2000, 2000), "noleap"), daysIn(years(1900, 1900), "gregorian")]).toEqual([365, 365]);
  expect(daysIn({ from: monthOf(2024, 2), to: monthOf(2024, 3) }, "noleap")).toBe(28);
  expect([1900, 1901, 1904].map((year) => daysIn(years(year, year), "julian"))).toEqual([366, 365, 366]);
  expect(daysIn(years(1, 400), "julian")).toBe(400 * 365 + 100);
});

test.each<[Frequency, number, number, number]>([
  ["annual", 5, 5, 5],
  ["seasonal", 20, 20, 20],
  ["monthly", 60, 60, 60],
  ["daily", 1826, 1825, 1800],
  ["12hr", 3652, 3650, 3600],
  ["6hr", 7304, 7300, 7200],
  ["3hr", 14_608, 14_600, 14_400],
  ["hourly", 43_824, 43_800, 43_200],
])("time levels of five years, %s", (frequency, gregorian, noleap, days360) => {
  const interval = years(2001, 2005);
  expect(timeLevels(frequency, interval, "gregorian")).toBe(gregorian);
  expect(timeLevels(frequency, interval, "noleap")).toBe(noleap);
  expect(timeLevels(frequency, interval, "360_day")).toBe(days360);
});
