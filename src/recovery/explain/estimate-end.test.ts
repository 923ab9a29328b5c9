import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateEnd } from "./estimate-end.ts";

const NOW = new Date("2026-11-16T12:00:00Z");
const ago = (minutes: number, done: number) => ({ at: new Date(NOW.getTime() - minutes * 60_000), done });
const minutes = (at: Date | null | undefined) => at && Math.round((at.getTime() - NOW.getTime()) / 60_000);

describe("when the rest will be done", () => {
  test("at a steady pace the range is as wide as the units done are few", () => {
    const many = estimateEnd([ago(3000, 0)], ago(0, 10_000), 200, NOW);
    expect([many?.earliest, many?.at, many?.latest].map(minutes)).toEqual([59, 60, 61]);
    expect(many?.text).toBe("in 59 to 61 min");
    const few = estimateEnd([ago(60, 0)], ago(0, 16), 16, NOW);
    expect([few?.earliest, few?.at, few?.latest].map(minutes)).toEqual([40, 60, 120]);
    expect(few?.text).toBe("in 40 min to 2 h");
    expect(estimateEnd([ago(8, 0)], ago(0, 4), 4, NOW)).toMatchObject({ latest: null, text: "in at least 4 min" });
  });

  test("a run that became slower has a range from the one pace to the other", () => {
    const end = estimateEnd([ago(30, 3700), ago(120, 1000)], ago(0, 4000), 600, NOW);
    expect([end?.earliest, end?.at, end?.latest].map(minutes)).toEqual([23, 60, 68]);
  });

  test("the end that was expected does not move on with the clock: it is overdue", () => {
    const at = (minutesAgo: number) => estimateEnd([ago(minutesAgo + 60, 0)], ago(minutesAgo, 100), 5, NOW);
    expect(at(0)).toMatchObject({ overdue: false, text: "in 3 to 4 min" });
    expect(at(3)).toMatchObject({ overdue: false, text: "in about a minute" });
    expect(at(60)).toMatchObject({ overdue: true, text: "overdue: it was expected 57 min ago" });
  });

  test("what a clock two hours ahead noted does not put the end off by two hours", () => {
    const steady = estimateEnd([ago(60, 0)], ago(0, 60), 30, NOW);
    expect(estimateEnd([ago(60, 0), ago(-90, 50)], ago(-120, 60), 30, NOW)).toEqual(steady);
  });

  test.each([
    ["nothing was done yet", [ago(30, 0)], 0, 20],
    ["two are too few", [ago(30, 0)], 2, 20],
    ["nothing is left", [ago(30, 0)], 20, 0],
    ["it has only just begun", [ago(0.001, 0)], 5, 20],
    ["nobody looked before", [], 5, 20],
    ["it would be done when there is no calendar any more", [ago(1e9, 0)], 3, 1e15],
  ] as const)("nobody knows: %s", (_, past, done, left) =>
    expect(estimateEnd(past, ago(0, done), left, NOW)).toBeNull(),
  );

  test("law: work at any steady pace ends within the range that was told, at any moment", () => {
    const pace = fc.integer({ min: 1000, max: 100_000 });
    fc.assert(
      fc.property(pace, fc.integer({ min: 3, max: 2000 }), fc.integer({ min: 1, max: 2000 }), (ms, done, left) => {
        const begun = { at: new Date(NOW.getTime() - ms * done), done: 0 };
        const end = estimateEnd([begun], { at: NOW, done }, left, NOW);
        const real = NOW.getTime() + ms * left;
        expect(end?.earliest.getTime()).toBeLessThanOrEqual(real + 1000);
        if (end?.latest) expect(end.latest.getTime()).toBeGreaterThanOrEqual(real);
      }),
    );
  });

  test("law: the range holds the answer and does not lie in the past, whatever went before", () => {
    // A clock that has been set back since has noted some of it later than now.
    const look = fc.record({ minutes: fc.integer({ min: -1500, max: 2000 }), done: fc.nat(500) });
    const last = fc.record({ minutes: fc.integer({ min: -1500, max: 500 }), done: fc.nat(500) });
    fc.assert(
      fc.property(fc.array(look), last, fc.integer({ min: 1, max: 10_000 }), (looks, { minutes, done }, left) => {
        const past = looks.map((one) => ago(one.minutes, one.done));
        const end = estimateEnd(past, ago(minutes, done), left, NOW);
        if (!end) return;
        expect(end.earliest.getTime()).toBeGreaterThanOrEqual(NOW.getTime());
        expect(end.at.getTime()).toBeGreaterThanOrEqual(end.earliest.getTime());
        if (end.latest) expect(end.latest.getTime()).toBeGreaterThanOrEqual(end.at.getTime());
        expect(end.text).not.toBe("");
      }),
    );
  });
});
