import fc from "fast-check";
import { expect, test } from "vitest";
import { generateSpec } from "../../../tests/support/sample-facts.ts";
import type { PlannedRange } from "../../core/plan.ts";
import type { GenerateWork } from "../../core/work.ts";
import { abandonedEvents, rangesBetween } from "./abandoned.ts";

const abandoned = (ranges: readonly PlannedRange[], finished: ReadonlySet<string>): bigint =>
  abandonedEvents({
    work: generateSpec().work as GenerateWork,
    round: 0,
    nextFirstEvent: 1n,
    units: ranges.map((range) => ({ unit: range.unit, ranges: [range] })),
    finished,
  });

test("failed ranges are abandoned", () => {
  const ranges = Array.from({ length: 10 }, (_, at) => ({
    unit: `mg_${at}`,
    firstEvent: BigInt(at * 1000 + 1),
    lastEvent: BigInt(at * 1000 + 1000),
  }));
  const finishedUnits = new Set([0, 1, 2, 3, 4, 5, 7, 9].map((at) => `mg_${at}`));
  expect(abandoned(ranges, finishedUnits)).toBe(2000n);
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
      const abandonedEvents = abandoned(ranges, finishedUnits);
      const done = units.reduce((sum, [size, isDone]) => sum + (isDone ? size : 0), 0);
      expect(abandonedEvents + BigInt(done)).toBe(next - first);
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
