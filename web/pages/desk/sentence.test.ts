import { expect, test } from "vitest";
import { deskSentence } from "./sentence.ts";

test.each([
  [
    { held: 37, causes: 2, alerts: 1, requests: { active: 200, queued: 63, held: 37 } },
    "37 requests wait for a person, from 2 causes; 1 other alert. Running normally: 200, queued: 63.",
  ],
  [{ held: 1, causes: 0, alerts: 0, requests: { held: 1 } }, "1 request waits for a person. "],
  [{ held: 0, causes: 3, alerts: 0, requests: { active: 2 } }, "No request waits for a person. Running normally: 2."],
])("%j", (facts, text) => {
  const { needs, rest } = deskSentence(facts);
  expect(`${needs} ${rest}`).toBe(text);
});
