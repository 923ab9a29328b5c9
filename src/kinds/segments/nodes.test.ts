import { describe, expect, test } from "vitest";
import {
  sampleComponent,
  sampleFamily,
  sampleSegments,
  TRANSFER,
  years,
} from "../../../tests/support/sample-segments.ts";
import { monthOf, yearOf } from "../../core/calendar.ts";
import type { Product, SegmentsWork } from "../../core/segments.ts";
import { segmentNodes } from "./nodes.ts";
import { fillCommand, levelsOf, productValues } from "./texts.ts";

const nodesOf = (work: SegmentsWork) => segmentNodes(work, work.end ?? work.start);

/** Years in which something falls due, and the years that each of them needs, without the chunk that ends in the same year. */
function byYear(products: readonly Product[], last: number, first = 1): Record<number, number[]> {
  const start = monthOf(first);
  const work = sampleSegments({
    start,
    end: monthOf(last + 1),
    components: [sampleComponent("atmos", products, start)],
  });
  const yearOfId = new Map(nodesOf(work).map(({ id, interval }) => [id, yearOf(interval.to - 1)]));
  const years: Record<number, Set<number>> = {};
  for (const { id, needs } of nodesOf(work)) {
    const year = yearOfId.get(id)!;
    years[year] ??= new Set();
    for (const need of needs) if (yearOfId.get(need) !== year) years[year].add(yearOfId.get(need)!);
  }
  return Object.fromEntries(Object.entries(years).map(([year, set]) => [year, [...set].sort((a, b) => a - b)]));
}
const upTo = (last: number, needs: Record<number, number[]>) =>
  Object.fromEntries(Array.from({ length: last }, (_, index) => [index + 1, needs[index + 1] ?? []]));
const ts = (...lengths: number[]) => sampleFamily(years(...lengths));
const ta = (...lengths: number[]) => sampleFamily(years(...lengths), {}, "ta");

describe("what is due, and what it needs: the table of frepp's rules", () => {
  test.each<[string, readonly Product[], number, number, Record<number, number[]>]>([
    ["ts 5, 10; ta 20", [...ts(5, 10), ...ta(20)], 1, 20, { 5: [], 10: [5], 15: [], 20: [15] }],
    ["ts 5, 10, 20", ts(5, 10, 20), 1, 20, { 5: [], 10: [5], 15: [], 20: [10, 15] }],
    [
      "ts 1, 5, 10, 20",
      ts(1, 5, 10, 20),
      1,
      20,
      upTo(20, { 5: [1, 2, 3, 4], 10: [5, 6, 7, 8, 9], 15: [11, 12, 13, 14], 20: [10, 15, 16, 17, 18, 19] }),
    ],
    [
      "ts 5, 20; ta 1, 5, 20",
      [...ts(5, 20), ...ta(1, 5, 20)],
      1,
      20,
      upTo(20, { 5: [1, 2, 3, 4], 10: [6, 7, 8, 9], 15: [11, 12, 13, 14], 20: [5, 10, 15, 16, 17, 18, 19] }),
    ],
    ["ts 4, 10", ts(4, 10), 1, 20, { 4: [], 8: [], 10: [], 12: [], 16: [], 20: [] }],
    [
      "ts 5, 6, 30",
      ts(5, 6, 30),
      1,
      30,
      { 5: [], 6: [], 10: [], 12: [], 15: [], 18: [], 20: [], 24: [], 25: [], 30: [6, 12, 18, 24] },
    ],
    ["ts 5, 10, 20 from 1982", ts(5, 10, 20), 1982, 2001, { 1986: [], 1991: [1986], 1996: [], 2001: [1991, 1996] }],
  ])("%s", (_, products, first, last, expected) => expect(byYear(products, last, first)).toEqual(expected));
});

describe("a last chunk that is too short", () => {
  const lastOf = (tails: readonly Product["tail"][], lastYear: number, isOngoing = false) => {
    const products = ts(5, 10).map((product, index) => ({ ...product, tail: tails[index]! }));
    const end = monthOf(lastYear + 1);
    const work = sampleSegments({ end: isOngoing ? null : end, components: [sampleComponent("atmos", products)] });
    return segmentNodes(work, end)
      .filter(({ interval }) => interval.to === end)
      .map(({ id, needs, history }) => [id.slice(6), needs.map((need) => need.slice(6)).join(" "), history.length]);
  };
  const [five, ten] = ["ts-monthly-5y", "ts-monthly-10y"];
  test.each<[string, Product["tail"][], number, unknown[]]>([
    ["is not made", ["skip", "skip"], 13, []],
    [
      "is made of chunks, the last of them short itself",
      ["emit", "emit"],
      17,
      [
        [`${five}/0016-0017`, "", 2],
        [`${ten}/0011-0017`, `${five}/0011-0015 ${five}/0016-0017`, 0],
      ],
    ],
    [
      "is made of one that is as short",
      ["emit", "emit"],
      13,
      [
        [`${five}/0011-0013`, "", 3],
        [`${ten}/0011-0013`, `${five}/0011-0013`, 0],
      ],
    ],
    [
      "is made of whole chunks that make it up",
      ["skip", "emit"],
      15,
      [
        [`${five}/0011-0015`, "", 5],
        [`${ten}/0011-0015`, `${five}/0011-0015`, 0],
      ],
    ],
    [
      "is made straight from history where chunks do not make it up",
      ["skip", "emit"],
      17,
      [[`${ten}/0011-0017`, "", 7]],
    ],
  ])("%s", (_, tails, last, expected) => expect(lastOf(tails, last)).toEqual(expected));
  test("is not made while the model runs", () => expect(lastOf(["emit", "emit"], 13, true)).toEqual([]));
});

test("segments of six months, chunks in months, a component that starts later", () => {
  const products = sampleFamily([6, 18]);
  const start = monthOf(1982, 7);
  const work = sampleSegments({
    start,
    segmentMonths: 6,
    end: start + 30,
    components: [sampleComponent("atmos", products, start), sampleComponent("ocean", products, start + 6)],
    history: { ...sampleSegments().history, transfer: TRANSFER },
  });
  const nodes = nodesOf(work);
  expect(nodes.filter(({ component }) => component === null).map(({ id }) => id)).toEqual([
    "history/198207-198212",
    "history/198301-198306",
    "history/198307-198312",
    "history/198401-198406",
    "history/198407-198412",
  ]);
  expect(nodes.filter(({ product }) => product === "ts-monthly-18mo")).toMatchObject([
    { id: "atmos/ts-monthly-18mo/198207-198312", needs: { length: 3 }, history: [] },
    { id: "ocean/ts-monthly-18mo/198301-198406", needs: { length: 3 }, history: [] },
  ]);
  expect(nodes[0]!.outputs).toEqual(["history/19820701.nc.tar"]);
  expect(nodes[1]).toMatchObject({
    id: "atmos/ts-monthly-6mo/198207-198212",
    history: [{ from: start, to: start + 6 }],
    outputs: ["pp/atmos/ts-monthly-6mo/198207-198212.nc"],
  });
});

test("segments of five years", () => {
  const work = sampleSegments({ segmentMonths: 60, components: [sampleComponent("atmos", ts(5, 10))] });
  expect(nodesOf(work).map(({ id, history }) => [id, history.length])).toEqual([
    ["atmos/ts-monthly-5y/0001-0005", 1],
    ["atmos/ts-monthly-5y/0006-0010", 1],
    ["atmos/ts-monthly-10y/0001-0010", 0],
    ["atmos/ts-monthly-5y/0011-0015", 1],
    ["atmos/ts-monthly-5y/0016-0020", 1],
    ["atmos/ts-monthly-10y/0011-0020", 0],
  ]);
});

test("a command with its values: files are words, whatever is in their names", () => {
  const work = sampleSegments();
  const [component] = work.components;
  const product = component!.products[0]!;
  const values = productValues(work, component!, product, { from: monthOf(6), to: monthOf(11) });
  const argv = ["./pp", "{component}-{length}", "{year:06d}", "{date}", "n={levels}", "{{x}}", "{output}", "{inputs}"];
  expect(fillCommand(argv, values, { inputs: ["a b", "{c}"], outputs: ["o"] })).toEqual([
    "./pp",
    "atmos-5y",
    "000010",
    "00060101",
    "n=60",
    "{x}",
    "o",
    "a b",
    "{c}",
  ]);
  expect(levelsOf(work, { ...product, family: "ta" }, { from: monthOf(1), to: monthOf(21) })).toBe(12);
});
