import { expect, test } from "vitest";
import { deskSentence } from "./sentence.ts";

test.each([
  [
    { held: 37, causes: 2, alerts: 1, requests: { active: 200, queued: 63, held: 37 } },
    "37 requests wait for a person, behind them 2 causes; 1 alert besides. Without you: 200 at work, 63 in the queue.",
  ],
  [{ held: 1, causes: 0, alerts: 0, requests: { held: 1 } }, "1 request waits for a person. "],
  [
    { held: 0, causes: 3, alerts: 0, requests: { active: 2 } },
    "No request waits for a person. Without you: 2 at work.",
  ],
])("%j", (facts, text) => {
  const { needs, rest } = deskSentence(facts);
  expect(`${needs} ${rest}`).toBe(text);
});
