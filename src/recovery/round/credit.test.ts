import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DATA, failing, filesOfUnits } from "../../../tests/support/rounds.ts";
import { creditRound, rangesBetween } from "./credit.ts";
import type { RoundFile } from "./settle.ts";
import { EMPTY_ROUND, tallyRound } from "./tally.ts";

const NO_FILES = { tally: EMPTY_ROUND, filesOf: new Map() };
const file = (lfn: string, ...units: string[]): RoundFile => ({ lfn, path: lfn, units });

test("the example of 000 §5.1: failed ranges are abandoned", () => {
  const ranges = Array.from({ length: 10 }, (_, at) => ({
    unit: `mg_${at}`,
    firstEvent: BigInt(at * 1000 + 1),
    lastEvent: BigInt(at * 1000 + 1000),
  }));
  const finishedUnits = new Set([0, 1, 2, 3, 4, 5, 7, 9].map((at) => `mg_${at}`));
  expect(creditRound({ ...NO_FILES, finishedUnits }, ranges).abandonedEvents).toBe(2000n);
});

describe("files (000 §5.2)", () => {
  const tally = tallyRound([failing("mg_1", DATA("/bad")), failing("mg_3", {})]);
  const facts = {
    finishedUnits: new Set(["mg_0", "mg_2"]),
    tally,
    filesOf: filesOfUnits([
      file("/done", "mg_0"),
      file("/split", "mg_0", "mg_2"),
      file("/bad", "mg_1"),
      file("/beside", "mg_1"),
      file("/tried", "mg_3"),
      file("/torn", "mg_2", "mg_3"),
      file("/never", "mg_4"),
      file("/cut", "mg_2", "mg_4"),
    ]),
  };
  test("each file of an unfinished unit ends in one state; files nobody has looked at stay as they are", () => {
    expect(creditRound(facts, [])).toMatchObject({
      exclude: [{ lfn: "/bad", evidence: { units: ["mg_1"] } }],
      attempted: ["/beside", "/tried"],
      torn: ["/torn", "/cut"],
    });
  });
  test("a unit that finished in a rescue is credited, whatever was said of it before", () => {
    const credit = creditRound({ ...facts, finishedUnits: new Set(["mg_0", "mg_1", "mg_2", "mg_3", "mg_4"]) }, []);
    expect([credit.exclude, credit.attempted, credit.torn]).toEqual([[], [], []]);
  });
});

test("no event is lost: done and abandoned are all that was planned", () => {
  const sizes = fc.array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.boolean()), { minLength: 1, maxLength: 30 });
  const start = fc.bigInt({ min: 1n, max: 2n ** 60n });
  fc.assert(
    fc.property(sizes, start, (units, first) => {
      let next = first;
      const ranges = units.map(([size], at) => {
        const firstEvent = next;
        next += BigInt(size);
        return { unit: `mg_${at}`, firstEvent, lastEvent: next - 1n };
      });
      const finishedUnits = new Set(units.flatMap(([, done], at) => (done ? [`mg_${at}`] : [])));
      const credit = creditRound({ ...NO_FILES, finishedUnits }, ranges);
      const done = units.reduce((sum, [size, isDone]) => sum + (isDone ? size : 0), 0);
      expect(credit.abandonedEvents + BigInt(done)).toBe(next - first);
    }),
    { numRuns: 1000 },
  );
});

test.each<[string, (string | null)[], bigint | null, bigint, string]>([
  ["in the middle", ["1-10", null, "21-30"], 1n, 30n, "u1 11-20"],
  ["two beside each other", ["1-10", null, null, "31-40"], 1n, 40n, "u1 11-30"],
  ["at the ends", [null, "11-20", null], 1n, 30n, "u0 1-10, u2 21-30"],
  ["the first of a later round", [null, "11-20"], null, 20n, ""],
  ["none", ["1-10", "11-20"], 1n, 20n, ""],
])("what lost units were to make lies between their neighbours: %s", (_, units, start, end, expected) => {
  const planned = units.map((text, at) => {
    const [first = "0", last = "0"] = text?.split("-") ?? [];
    const unit = `u${at}`;
    return { unit, ranges: text && [{ unit, firstEvent: BigInt(first), lastEvent: BigInt(last) }] };
  });
  const found = rangesBetween(planned as Parameters<typeof rangesBetween>[0], start, end);
  expect(found.map(({ unit, firstEvent, lastEvent }) => `${unit} ${firstEvent}-${lastEvent}`).join(", ")).toBe(
    expected,
  );
});
