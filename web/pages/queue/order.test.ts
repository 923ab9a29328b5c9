import fc from "fast-check";
import { expect, test } from "vitest";
import { type Entry, movesBetween, priorityFor, readWhatIf, withPriority, writeWhatIf } from "./order.ts";

const entry = (request_name: string, place: number, priority: number, urgent = false): Entry => ({
  request_name,
  place,
  priority,
  urgent,
  queued_since: "2026-11-15T10:00:00.000Z",
  verdict: "wait",
  reason: "",
  expected_at: null,
});
const QUEUE = [entry("u", 1, 5, true), entry("a", 2, 300), entry("b", 3, 200), entry("c", 4, 0)];

test.each<[string, string, number, object]>([
  ["up: one more than the one it passes", "c", 2, { priority: 301 }],
  ["up, not before an urgent one", "c", 1, { whyNot: "urgent ones go first" }],
  ["down: one less than the one it passes", "a", 3, { priority: 199 }],
  ["down, not below nothing", "a", 4, { whyNot: "no priority is lower than 0" }],
  ["down, an urgent one", "u", 2, { whyNot: "an urgent one goes before all that are not" }],
  ["where it is", "b", 3, { priority: 200 }],
  ["beyond the end is the end", "b", 99, { whyNot: "no priority is lower than 0" }],
  ["one that has started meanwhile", "x", 1, { whyNot: "x waits no more" }],
])("%s", (_name, request, place, expected) => {
  expect(priorityFor(QUEUE, request, place)).toEqual(expected);
});

test("what the address says is read, what it cannot mean is left out, and comes back as it was", () => {
  expect([...readWhatIf(["a:7", "b", "c:-1", "d:99999999999", "e.v2:4294967296"])]).toEqual([
    ["a", 7],
    ["e.v2", 999_999],
  ]);
  const name = fc.stringMatching(/^[A-Za-z0-9][\w.-]{0,20}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.nat(999_999))), (pairs) => {
      const whatIf = new Map(pairs);
      expect(readWhatIf(writeWhatIf(whatIf))).toEqual(whatIf);
    }),
  );
});

test("a priority as it was is no change", () => {
  const changed = withPriority(new Map(), QUEUE, "b", 400);
  expect(writeWhatIf(changed)).toEqual(["b:400"]);
  expect(withPriority(changed, QUEUE, "b", 200).size).toBe(0);
});

test("who moves by it, and who only makes room", () => {
  const then = [entry("u", 1, 5, true), entry("c", 2, 301), entry("a", 3, 300), entry("b", 4, 200)];
  const { chosen, others } = movesBetween(QUEUE, then);
  expect(chosen).toEqual([{ name: "c", place: [4, 2], priority: [0, 301] }]);
  expect(others.map(({ name, place }) => [name, ...place])).toEqual([
    ["a", 2, 3],
    ["b", 3, 4],
  ]);
});
