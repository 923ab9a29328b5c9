import fc from "fast-check";
import { expect, test } from "vitest";
import type { RequestName } from "../core/names.ts";
import { type Candidate, decideAdmission } from "./decide-admission.ts";

const candidate = (name: string, over: Partial<Candidate> = {}): Candidate => ({
  requestName: name as RequestName,
  urgent: false,
  priority: 100,
  createdAt: new Date(1000),
  queuedSince: new Date(2000),
  ...over,
});

test.each([
  ["the higher priority goes first", [candidate("a"), candidate("b", { priority: 200 })], ["b", "a"]],
  [
    "urgent goes before any priority",
    [candidate("a", { priority: 999 }), candidate("b", { urgent: true, priority: 1 })],
    ["b", "a"],
  ],
  [
    "age decides among equals",
    [candidate("a", { createdAt: new Date(9) }), candidate("b", { createdAt: new Date(8) })],
    ["b", "a"],
  ],
])("%s", (_story, queued, order) => {
  expect(decideAdmission(queued, 0, { maxActive: 10 }).entries.map((entry) => entry.requestName)).toEqual(order);
});

test("as many start as there are places; the rest say why they wait and where", () => {
  const queue = decideAdmission([candidate("a"), candidate("b"), candidate("c"), candidate("d")], 1, { maxActive: 3 });
  expect(queue.entries.map((entry) => [entry.requestName, entry.verdict, entry.reason])).toEqual([
    ["a", "start", "slot 2 of 3 is free"],
    ["b", "start", "slot 3 of 3 is free"],
    ["c", "wait", "next in the queue: 3 of 3 slots are taken"],
    ["d", "wait", "number 2 in the queue: 3 of 3 slots are taken"],
  ]);
});

test("a limit lowered below what runs starts nobody and evicts nobody", () => {
  expect(decideAdmission([candidate("a")], 5, { maxActive: 2 }).entries[0]?.verdict).toBe("wait");
  expect(decideAdmission([candidate("a")], 0, { maxActive: 0 }).entries[0]?.reason).toBe(
    "admission is closed, max_active is 0: wms2 queue --max-active N opens it",
  );
});

test("law: never more than the limit, and nobody overtakes", () => {
  const anyCandidate = fc
    .record({ urgent: fc.boolean(), priority: fc.integer({ min: 0, max: 3 }), age: fc.integer({ min: 0, max: 3 }) })
    .map(({ urgent, priority, age }) => ({ urgent, priority, createdAt: new Date(age), queuedSince: new Date(age) }));
  fc.assert(
    fc.property(fc.array(anyCandidate, { maxLength: 30 }), fc.nat(10), fc.nat(20), (rows, active, maxActive) => {
      const queued = rows.map((row, index) => ({ ...row, requestName: `r${index}` as RequestName }));
      const { entries } = decideAdmission(queued, active, { maxActive });
      const started = entries.filter((entry) => entry.verdict === "start");
      expect(started.length).toBe(Math.min(queued.length, Math.max(0, maxActive - active)));
      expect(entries.slice(0, started.length)).toEqual(started);
    }),
  );
});
