import { expect, test } from "vitest";
import type { FillPlanView } from "../../../src/operations/fill.ts";
import { cliFill, fillSentence, sectionsOf, storyOf } from "./words.ts";

const plan = (changes: Partial<FillPlanView>): FillPlanView => ({
  experiment: "cm5",
  range: { from: 12, to: 60 },
  choice: { component: null, from: null, to: null, mode: "failed", recurse: true },
  rows: [],
  actions: [],
  obstacles: [],
  done: 0,
  holes: 0,
  ...changes,
});
const make = { node: "atmos/ts/0001", kind: "make" as const, reason: "was never made", after: [], retries: 0 };
const held = { node: "ocean/ts/0001", kind: "held", reason: "failed twice", causes: ["exit 3"], until: null };

test.each<[Partial<FillPlanView>, string, string]>([
  [{}, "waiting", "Nothing is due in this selection."],
  [{ done: 4 }, "done", "All 4 products in 0001-0004 are there."],
  [{ done: 3, holes: 1, actions: [make] }, "failed", "1 hole and 3 done in 0001-0004; 1 would be made now."],
  [
    { holes: 1, obstacles: [held] },
    "held",
    "1 hole and 0 done in 0001-0004; nothing can be made now; 1 held, which need a person.",
  ],
])("how %j stands", (changes, tone, text) => expect(fillSentence(plan(changes))).toEqual({ tone, text }));

test("the command says what the address says", () => {
  expect(cliFill("cm5", { mode: "failed", recurse: true })).toBe("wms2 fill cm5");
  expect(cliFill("cm5", { component: "atmos", from: "0011", to: "0020", mode: "all", recurse: false })).toBe(
    "wms2 fill cm5 --component atmos --from 0011 --to 0020 --mode all --no-recurse",
  );
});

test("each chunk says why, and what comes first", () => {
  const after = { ...make, after: ["a", "b", "c", "d", "e"] };
  const of = plan({ actions: [after], obstacles: [held, { ...held, node: "x", until: "2026-11-16T10:00:00Z" }] });
  expect(storyOf(of, make.node)).toEqual(["make, after 5 others (a, b, c and 2 more): was never made"]);
  expect(storyOf(of, held.node)).toEqual(["held: failed twice (exit 3)"]);
  expect(sectionsOf(of).map(({ title, lines }) => [title, lines.length])).toEqual([
    ["1 to do", 1],
    ["2 held", 2],
  ]);
});
