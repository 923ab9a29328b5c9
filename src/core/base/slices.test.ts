import fc from "fast-check";
import { expect, test } from "vitest";
import { eachInSlices, inSlices, mapInSlices, sortInSlices, toEnd } from "./slices.ts";

test("sorted as the language sorts, equals as they were", () => {
  const byTens = (a: number, b: number) => Math.floor(a / 10) - Math.floor(b / 10);
  fc.assert(
    fc.property(fc.array(fc.nat(300), { maxLength: 3000 }), (numbers) => {
      expect(toEnd(sortInSlices(numbers, byTens))).toEqual(numbers.toSorted(byTens));
    }),
    { numRuns: 50 },
  );
});

test("a pause is offered after every few items, sooner where an item counts for many", () => {
  const pauses = (slices: Generator<undefined>) => [...slices].length;
  const items = Array.from({ length: 10_000 }, (_, index) => index);
  expect(pauses(eachInSlices(items, () => {}))).toBe(20);
  expect(
    pauses(
      eachInSlices(
        items,
        () => {},
        () => 100,
      ),
    ),
  ).toBe(2000);
  expect(toEnd(mapInSlices(items, (item, index) => item - index)).every((difference) => difference === 0)).toBe(true);
});

test("however much long work there is, others come in between, and all of it ends", async () => {
  /** So much work that each has to pause often. */
  function* busy(): Generator<undefined, string> {
    for (let step = 0; step < 5; step++) {
      for (const end = performance.now() + 21; performance.now() < end; );
      yield;
    }
    return "done";
  }
  const order: string[] = [];
  const other = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) {
      await new Promise((resume) => setImmediate(resume));
      order.push("other");
    }
  };
  const long = Array.from({ length: 4 }, () =>
    inSlices(busy()).then((word) => {
      order.push("long");
      return word;
    }),
  );
  await Promise.all([other(), ...long]);
  expect(await Promise.all(long)).toEqual(["done", "done", "done", "done"]);
  // With a turn for each of them, all would be over after five rounds of the event loop.
  expect(order.slice(0, 10)).toEqual(Array(10).fill("other"));
});
