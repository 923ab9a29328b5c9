import { expect, test } from "vitest";
import { explainChanges } from "./explain-changes.ts";

test("what was asked for has changed: a line for each key", () => {
  const before = { Memory: 2000, Step1: { Multicore: 1, GlobalTag: "a" }, SiteWhitelist: ["A"], Gone: 1 };
  const now = { Memory: 4000, Step1: { GlobalTag: "a", Multicore: 4 }, SiteWhitelist: ["A", "B"], New: { b: 1, a: 2 } };
  expect(explainChanges(before, now)).toEqual([
    "Gone: 1 → nothing",
    "Memory: 2000 → 4000",
    'New: nothing → {"a":2,"b":1}',
    'SiteWhitelist: ["A"] → ["A","B"]',
    "Step1.Multicore: 1 → 4",
  ]);
});

test("what ReqMgr2 writes by itself, null for nothing and another order are no changes", () => {
  const before = { RequestStatus: "assigned", A: { x: 1, y: 2 } };
  expect(explainChanges(before, { A: { y: 2, x: 1 }, RequestStatus: "acquired", B: null, _rev: "2-x" })).toEqual([]);
});

test("a document that was rewritten fills no screen", () => {
  const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`Key${index}`, "x".repeat(500)]));
  const lines = explainChanges({}, many);
  expect(lines).toHaveLength(51);
  expect(lines.at(-1)).toBe("and 30 more changes");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(140);
});
