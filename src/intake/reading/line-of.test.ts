import { expect, test } from "vitest";
import { makeLineFinder, problemsAtLines } from "./line-of.ts";

const YAML = `name: x
jobs:
  - name: a
    run: a
  - { name: b,
      after: [a,
        c] }
"odd key": 1
`;

test.each([
  ["name", 1],
  ["jobs", 2],
  ["jobs[0]", 3],
  ["jobs[0].run", 4],
  ["jobs[0].after", 3],
  ["jobs[1].after[1]", 7],
  ["jobs[1].after", 6],
  ["jobs[9].run", 2],
  ['["odd key"]', 8],
  ["nowhere", null],
  ["", null],
])("%s is in line %s", (path, line) => expect(makeLineFinder(YAML)(path)).toBe(line));

test("JSON has lines, too, and a text that is neither has none", () => {
  expect(makeLineFinder('{\n  "jobs": [\n    {"run": 1}]}')("jobs[0].run")).toBe(3);
  expect(makeLineFinder("{[}: *a\n\u0000")("jobs")).toBeNull();
});

test("problems get the lines they stand at; those of the syntax say theirs, and some have none", () => {
  const problems = ["jobs[0].run", "", "", "nowhere"].map((path) => ({ path, message: "is wrong", allowed: null }));
  const [first, second, ...rest] = problems;
  const said = { ...second!, message: "line 7, column 3: no colon" };
  expect(problemsAtLines(YAML, [first!, said, ...rest]).map(({ line }) => line ?? null)).toEqual([4, 7, null, null]);
});
