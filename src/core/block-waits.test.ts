import { expect, test } from "vitest";
import { explainBlock } from "./block-waits.ts";
import type { OutputBlockFacts } from "./output-block.ts";

const BEGUN = new Date("2026-01-01T00:00:00Z");
const block = (over: Partial<OutputBlockFacts>, units: Partial<OutputBlockFacts["units"]> = {}): OutputBlockFacts =>
  ({
    ...{ status: "open", isFirm: true, hasAllUnits: false, createdAt: BEGUN },
    units: { owed: 0, replicated: 0, registered: 0, withdrawn: 0, ...units },
    ...over,
  }) as OutputBlockFacts;

test.each([
  ["owed", block({}, { owed: 1 }), /^its next step$/, BEGUN],
  ["told, and firm", block({}, { replicated: 1 }), /^its next step$/, BEGUN],
  ["told, and small", block({ isFirm: false }, { replicated: 1 }), /more work units of its site: it is small/, null],
  ["small, at the end", block({ isFirm: false, hasAllUnits: true }, { replicated: 1 }), /^its next step$/, BEGUN],
  ["registered", block({}, { registered: 1 }), /^work units that are still to come$/, null],
  ["registered at once, and small", block({ isFirm: false }, { registered: 1 }), /still to come$/, null],
  ["failed", block({ status: "failed" }, { owed: 1 }), /^a person$/, BEGUN],
  ["withdrawing", block({ status: "withdrawing" }), /taken back$/, null],
])("a block that is %s", (_state, facts, words, since) => {
  const { waitsFor, waitingSince } = explainBlock(facts);
  expect([waitsFor, waitingSince]).toEqual([expect.stringMatching(words), since]);
});

test("what is over waits for nothing", () => {
  for (const status of ["done", "merged", "withdrawn"] as const)
    expect(explainBlock(block({ status }))).toEqual({ waitsFor: null, waitingSince: null });
});
