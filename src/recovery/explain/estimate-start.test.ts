import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateStarts } from "./estimate-start.ts";

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 15, 12, minute));

test.each<[string, number, (number | null)[], number, (number | null)[]]>([
  ["the first in the queue takes the first slot", 2, [30, 10], 2, [10, 30]],
  ["one without an estimate comes after all others", 2, [null, 10], 2, [10, null]],
  ["more run than may: the first end frees nothing", 2, [10, 20, 30], 2, [20, 30]],
  ["admission is closed", 1, [10], 0, [null]],
  ["nobody waits", 0, [10], 1, []],
])("%s", (_name, waiting, ends, maxActive, expected) => {
  const asDates = (minutes: (number | null)[]) => minutes.map((minute) => (minute === null ? null : at(minute)));
  expect(estimateStarts(waiting, asDates(ends), maxActive)).toEqual(asDates(expected));
});

test("nobody further back starts sooner", () => {
  const end = fc.option(fc.integer({ min: 0, max: 59 }).map(at));
  fc.assert(
    fc.property(fc.nat(20), fc.array(end), fc.nat(30), (waiting, ends, most) => {
      const starts = estimateStarts(waiting, ends, most).map((date) => date?.getTime() ?? Number.POSITIVE_INFINITY);
      expect(starts).toHaveLength(waiting);
      expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    }),
  );
});
