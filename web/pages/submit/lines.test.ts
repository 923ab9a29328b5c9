import { expect, test } from "vitest";
import { inOrder, marksOf, placeOfLine } from "./lines.ts";
import { specLines } from "./spec-lines.ts";

test.each([
  [1, "one"],
  [2, ""],
  [3, "three"],
  [99, "three"],
  [0, "one"],
])("line %s is %j", (line, text) => {
  const whole = "one\n\nthree";
  const { from, to } = placeOfLine(whole, line);
  expect(whole.slice(from, to)).toBe(text);
});

test("problems of one line are one mark; those without a line come first", () => {
  const problem = (path: string, line?: number) => ({
    path,
    message: "is wrong",
    allowed: null,
    ...(line && { line }),
  });
  const problems = [problem("steps", 7), problem("name", 1), problem("steps[0].run", 7), problem("")];
  expect([...marksOf(problems)]).toEqual([
    [7, "steps is wrong; steps[0].run is wrong"],
    [1, "name is wrong"],
  ]);
  expect(inOrder(problems).map(({ line }) => line)).toEqual([undefined, 1, 7, 7]);
});

test("what is meant is written the same, whatever order and words it came in", () => {
  const work = {
    kind: "process",
    summary: "6 files",
    total_events: 5,
    input: { from: "glob", at: "/d/*" },
    jobs: [{ name: "a", run: ["x"] }],
  };
  const spec = { input: { at: "again" }, sites: { allow: [], deny: ["B"], trust: false }, cms: null, steps: [] };
  expect(specLines({ work, spec })).toEqual([
    "input:",
    '  at: "/d/*"',
    '  from: "glob"',
    "jobs:",
    "  -",
    '    name: "a"',
    '    run: ["x"]',
    'kind: "process"',
    "sites:",
    '  deny: ["B"]',
    "  trust: false",
    "total_events: 5",
  ]);
});
