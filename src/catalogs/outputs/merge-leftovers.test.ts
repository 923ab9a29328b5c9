import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeLeftovers } from "./merge-leftovers.ts";

const LIMITS = { blockTargetBytes: 100, maxUnitsPerBlock: 10 };
const block = (name: string, bytes: number, over = {}) => ({
  ...{ name, bytes, units: 1, isFirm: false, isRegistered: false, isRefused: false },
  ...over,
});
const FIRM = { isFirm: true };

test.each([
  ["nothing is left over", [block("a", 50, FIRM)], []],
  ["one alone stands alone", [block("a", 5)], [{ into: "a", from: [] }]],
  ["small ones go to the largest", [block("a", 5), block("b", 9), block("c", 7)], [{ into: "b", from: ["c", "a"] }]],
  ["into what is firm and has room", [block("a", 5), block("b", 60, FIRM)], [{ into: "b", from: ["a"] }]],
  ["not into what has none", [block("a", 15), block("b", 90, FIRM)], [{ into: "a", from: [] }]],
  ["nor beyond the most units", [block("a", 5), block("b", 60, { ...FIRM, units: 10 })], [{ into: "a", from: [] }]],
  [
    "registered ones stay, and take others",
    [block("a", 5, { isRegistered: true }), block("b", 9)],
    [{ into: "a", from: ["b"] }],
  ],
  [
    "what is refused stands alone, and nothing waits with it",
    [block("a", 5, { isRefused: true }), block("b", 9, { ...FIRM, isRefused: true }), block("c", 3), block("d", 4)],
    [
      { into: "a", from: [] },
      { into: "d", from: ["c"] },
    ],
  ],
  [
    "two that are registered stay both",
    [block("a", 5, { isRegistered: true }), block("b", 9, { isRegistered: true })],
    [
      { into: "b", from: [] },
      { into: "a", from: [] },
    ],
  ],
])("%s", (_story, open, merges) => expect(mergeLeftovers(open, LIMITS)).toEqual(merges));

const blocks = fc
  .array(
    fc.tuple(
      fc.integer({ min: 1, max: 99 }),
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom({}, {}, FIRM, { isRegistered: true }, { isRefused: true }),
    ),
  )
  .map((all) => all.map(([bytes, units, over], at) => block(`b${at}`, bytes, { units, ...over })));

const stays = (one: ReturnType<typeof block>) => one.isFirm || one.isRegistered || one.isRefused;

test("each that is left over is settled once, none beyond its limits, and no two of what is left would fit together", () => {
  fc.assert(
    fc.property(blocks, (open) => {
      const merges = mergeLeftovers(open, LIMITS);
      const settled = merges.flatMap(({ into, from }) => [into, ...from]);
      expect(new Set(settled).size).toBe(settled.length);
      const left = open.filter(({ isFirm }) => !isFirm).map(({ name }) => name);
      expect(settled).toEqual(expect.arrayContaining(left));
      const moved = new Set(merges.flatMap(({ from }) => from));
      for (const { name, isFirm, isRegistered } of open)
        if (isFirm || isRegistered) expect(moved.has(name)).toBe(false);
      const sum = (names: readonly string[], of: "bytes" | "units") =>
        open.filter(({ name }) => names.includes(name)).reduce((total, one) => total + one[of], 0);
      for (const { into, from } of merges.filter((merge) => merge.from.length > 0)) {
        expect(sum([into, ...from], "bytes")).toBeLessThanOrEqual(LIMITS.blockTargetBytes);
        expect(sum([into, ...from], "units")).toBeLessThanOrEqual(LIMITS.maxUnitsPerBlock);
      }
      const kept = new Set(open.filter(stays).map(({ name }) => name));
      const alone = merges.filter(({ into, from }) => from.length === 0 && !kept.has(into)).map(({ into }) => into);
      for (const [at, one] of alone.entries())
        for (const other of alone.slice(at + 1))
          expect(sum([one, other], "bytes") <= 100 && sum([one, other], "units") <= 10).toBe(false);
    }),
  );
});
