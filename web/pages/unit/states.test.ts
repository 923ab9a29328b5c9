import { expect, test } from "vitest";
import { unitSentence } from "./states.ts";

test("all states with their numbers, in the colour of the worst", () => {
  expect(unitSentence([{ state: "done" }, { state: "failed" }, { state: "blocked" }, { state: "done" }])).toEqual({
    tone: "failed",
    text: "4 jobs: 2 done, 1 failed, 1 blocked",
  });
  expect(unitSentence([])).toEqual({ tone: "waiting", text: "0 jobs: " });
});
