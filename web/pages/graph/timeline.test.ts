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
});

test("a clock that jumped back makes a bar of no length", () => {
  const rows = [row("a", 20, 10), row("b", 0, 40)];
  expect(spanOf(rows[0]!, axisOf(rows)!)).toEqual({ left: 50, width: 0 });
});

test.each([
  [4, "0 +1 s +2 s +3 s"],
  [100, "0 +30 s +1 min"],
  [130, "0 +30 s +1 min +1 min 30 s"],
  [300, "0 +2 min +4 min"],
  [7 * 3600, "0 +2 h +4 h"],
  [90 * 86_400, "0 +20 d +40 d +60 d"],
])("marks along %i seconds stand at round times", (seconds, texts) => {
  const { marks } = marksOf({ from: 0, to: seconds * 1000 });
  expect(marks.map(({ text }) => text).join(" ")).toBe(texts);
});

test("law: every mark is where its text says", () => {
  const unit = { d: 86_400, h: 3600, min: 60, s: 1 } as Readonly<Record<string, number>>;
  const secondsIn = (text: string) =>
    [...text.matchAll(/(\d+) (\w+)/g)].reduce((sum, [, number, word]) => sum + Number(number) * unit[word!]!, 0);
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 30_000_000 }), (span) => {
      const { step, marks } = marksOf({ from: 0, to: span * 1000 });
      expect(marks.length).toBeGreaterThan(1);
      expect(step).toBeGreaterThan(20);
      for (const { place, text } of marks) expect((place * span) / 100).toBeCloseTo(secondsIn(text), 3);
    }),
  );
});
