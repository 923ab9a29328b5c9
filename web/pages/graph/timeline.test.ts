import fc from "fast-check";
import { expect, test } from "vitest";
import { axisOf, byBeginning, marksOf, spanOf } from "./timeline.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 16) + seconds * 1000).toISOString();
const row = (name: string, begin: number | null, end: number | null) => ({
  name,
  started_at: begin === null ? null : at(begin),
  ended_at: end === null ? null : at(end),
});

test("every bar lies on the axis, from the first beginning to the last end", () => {
  const times = fc.tuple(fc.nat(100_000), fc.nat(5000)).map(([begin, wall]) => row("a", begin, begin + wall));
  fc.assert(
    fc.property(fc.array(times, { minLength: 1, maxLength: 30 }), (rows) => {
      const axis = axisOf(rows)!;
      const spans = rows.map((each) => spanOf(each, axis)!);
      for (const { left, width } of spans) {
        expect(left).toBeGreaterThanOrEqual(0);
        expect(width).toBeGreaterThanOrEqual(0);
        expect(left + width).toBeLessThanOrEqual(100.000001);
      }
      expect(Math.min(...spans.map(({ left }) => left))).toBe(0);
    }),
  );
});

test("who has not ended has no bar, and comes last", () => {
  const rows = [row("late", 50, 100), row("runs", null, null), row("b", 0, 10), row("a", 0, 50)];
  expect(byBeginning(rows).map(({ name }) => name)).toEqual(["a", "b", "late", "runs"]);
  const axis = axisOf(rows)!;
  expect(spanOf(rows[0]!, axis)).toEqual({ left: 50, width: 50 });
  expect(spanOf(rows[1]!, axis)).toBeNull();
  expect(axisOf([rows[1]!])).toBeNull();
  expect(marksOf(axis)).toEqual(["0", "+25 s", "+50 s", "+1 min"]);
});

test("a clock that jumped back makes a bar of no length", () => {
  const rows = [row("a", 20, 10), row("b", 0, 40)];
  expect(spanOf(rows[0]!, axisOf(rows)!)).toEqual({ left: 50, width: 0 });
});
