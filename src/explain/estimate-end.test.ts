import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateEnd } from "./estimate-end.ts";

const NOW = new Date("2026-11-16T12:00:00Z");
const ago = (minutes: number, done: number) => ({ at: new Date(NOW.getTime() - minutes * 60_000), done });
const now = (done: number) => ({ at: NOW, done });
const minutes = (at: Date | null | undefined) => at && (at.getTime() - NOW.getTime()) / 60_000;

describe("when the rest will be done", () => {
  test("at a steady pace there is one answer", () => {
    const end = estimateEnd([ago(30, 70), ago(120, 40)], now(80), 20);
    expect([end?.earliest, end?.at, end?.latest].map(minutes)).toEqual([60, 60, 60]);
  });

  test("a run that became slower has a range", () => {
    const end = estimateEnd([ago(30, 75), ago(120, 40)], now(80), 20);
    expect([end?.earliest, end?.at, end?.latest].map(minutes)).toEqual([60, 120, 120]);
  });

  test("a run that stands still of late may never end", () => {
    const end = estimateEnd([ago(30, 80), ago(120, 40)], now(80), 20);
    expect(minutes(end?.earliest)).toBe(60);
    expect(end?.latest).toBeNull();
  });

  test.each([
    ["nothing was done yet", [ago(30, 0)], 0, 20],
    ["nothing is left", [ago(30, 0)], 20, 0],
    ["it has only just begun", [ago(0.5, 0)], 5, 20],
    ["nobody looked before", [], 5, 20],
    ["it would be done when there is no calendar any more", [ago(1e9, 0)], 1, 1e15],
  ] as const)("nobody knows: %s", (_, past, done, left) => expect(estimateEnd(past, now(done), left)).toBeNull());

  test("the range holds the answer and lies in the future, whatever went before", () => {
    const look = fc.record({ minutes: fc.integer({ min: 0, max: 2000 }), done: fc.nat(500) });
    fc.assert(
      fc.property(fc.array(look), fc.nat(500), fc.integer({ min: 1, max: 10_000 }), (looks, done, left) => {
        const end = estimateEnd(
          looks.map((one) => ago(one.minutes, one.done)),
          now(done),
          left,
        );
        if (!end) return;
        expect(end.earliest.getTime()).toBeGreaterThan(NOW.getTime());
        expect(end.at.getTime()).toBeGreaterThanOrEqual(end.earliest.getTime());
        if (end.latest) expect(end.latest.getTime()).toBeGreaterThanOrEqual(end.at.getTime());
      }),
    );
  });
});
