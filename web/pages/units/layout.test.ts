import fc from "fast-check";
import { expect, test } from "vitest";
import { layOut, unitAt, unitsWithin } from "./layout.ts";

const sizes = [fc.integer({ min: 1, max: 120_000 }), fc.integer({ min: 280, max: 3800 })] as const;

test("every unit has a place of its own, and is found there", () => {
  fc.assert(
    fc.property(...sizes, fc.nat(), (count, width, pick) => {
      const layout = layOut(count, width, 600);
      const index = pick % count;
      const [x, y] = [(index % layout.columns) * layout.pitch, Math.floor(index / layout.columns) * layout.pitch];
      expect(unitAt(layout, count, x, y)).toBe(index);
      expect(layout.columns * layout.pitch).toBeLessThanOrEqual(Math.max(width, layout.pitch));
    }),
  );
});

test("a rectangle over everything has everything", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), (count) => {
      const layout = layOut(count, 800, 400);
      expect(unitsWithin(layout, count, { x: -5, y: 9999 }, { x: 9999, y: -5 })).toHaveLength(count);
    }),
  );
});

test.each([
  [14, 30],
  [10_000, 8],
  [100_000, 2],
])("%i units on a screen get cells of %i pixels", (count, pitch) => {
  expect(layOut(count, 1200, 600).pitch).toBe(pitch);
});
