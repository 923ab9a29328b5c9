import { expect, test } from "vitest";
import { keyed, nameAt } from "./keys.ts";

const map = {
  dag_id: "d",
  total: 5,
  runs: [
    ["mg_", 0, 3],
    ["mg_", 7, 2],
  ] as [string, number, number][],
  states: "ddfrw",
  ledgers_read: 4,
  sites: { legend: ["", "north", "south"], of: [1, 1, 2, 1, 0] },
  codes: { legend: ["", "0", "8021"], of: [1, 1, 2, 1, 0] },
  tries: [1, 1, 3, 1, 0],
  ages: [30, 4000, 90_000, 10, -1],
};

test.each([
  ["states", ["2 done", "1 failed", "1 running", "1 waiting"]],
  ["sites", ["3 north", "1 south", "1 not read"]],
  ["codes", ["3 no failure", "1 exit 8021", "1 not read"]],
  ["tries", ["3 1", "1 3", "1 none, or not read"]],
  ["ages", ["2 less than 10 min", "1 less than 6 h", "1 older", "1 never tried"]],
] as const)("painted by %s", (by, expected) => {
  const { legend, colours } = keyed(map, by);
  expect(legend.map(({ count, label }) => `${count} ${label}`)).toEqual(expected);
  expect(new Set(colours).size).toBe(expected.length);
});

test("names come from runs of numbers", () => {
  expect([0, 2, 3, 4].map((index) => nameAt(map.runs, index))).toEqual([
    "mg_000000",
    "mg_000002",
    "mg_000007",
    "mg_000008",
  ]);
});
