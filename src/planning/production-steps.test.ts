import { expect, test } from "vitest";
import { coarseSteps } from "./production-steps.ts";

test.each([
  [[0.1, 0.5], 100, []],
  [[0.1], 4, ["production step 10 % can only be met at 25 %: there are only 4 units"]],
  [[0.1, 0.2], 4, [/10 %.*25 %/, /20 % comes together with the one before it/]],
  [[0.5], 1, ["production step 50 % comes only when all 1 units are done"]],
  [[0.5], 0, []],
])("steps %j of %i units", (fractions, units, words) => {
  const steps = fractions.map((fraction, index) => ({ fraction, priority: 100 - index }));
  const found = coarseSteps(steps, units);
  expect(found).toHaveLength(words.length);
  words.forEach((expected, index) => {
    expect(found[index]).toMatch(expected);
  });
});
