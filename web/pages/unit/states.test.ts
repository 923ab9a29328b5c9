import { expect, test } from "vitest";
import { stateOf, unitSentence } from "./states.ts";

const node = (state: string, more: object = {}) =>
  ({ state, held: false, idle: false, retries: 0, ...more }) as Parameters<typeof stateOf>[0];

test.each([
  [node("waiting"), "waiting"],
  [node("ready"), "waiting"],
  [node("ready", { retries: 1 }), "retrying"],
  [node("queued", { idle: true }), "idle"],
  [node("queued", { idle: true, retries: 2 }), "retrying"],
  [node("queued"), "running"],
  [node("queued", { retries: 2 }), "running"],
  [node("queued", { held: true, idle: true }), "held"],
  [node("post"), "running"],
  [node("futile"), "blocked"],
  [node("failed", { retries: 3 }), "failed"],
  [node("done", { retries: 3 }), "done"],
])("%o is %s", (facts, state) => {
  expect(stateOf(facts)).toBe(state);
});

test("worst first, in the colour of the worst", () => {
  expect(unitSentence([node("done"), node("failed"), node("futile"), node("done")])).toEqual({
    tone: "failed",
    text: "4 jobs: 1 failed, 1 blocked, 2 done",
  });
  expect(unitSentence([])).toEqual({ tone: "waiting", text: "0 jobs: " });
});
