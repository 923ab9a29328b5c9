import { expect, test } from "vitest";
import { makePace, retryDelayMs } from "./pace.ts";

test("a second's worth may begin at once, then one by one, and a pause fills up again", async () => {
  let nowMs = 1_000_000;
  const waits: number[] = [];
  const clock = { now: () => new Date(nowMs) };
  const pace = makePace(10, clock, async (ms) => void waits.push(ms));
  for (let call = 0; call < 13; call += 1) await pace();
  expect(waits).toEqual([100, 200, 300]);
  nowMs += 10_000;
  for (let call = 0; call < 10; call += 1) await pace();
  expect(waits).toHaveLength(3);
});

test("repetitions come later and later, and not all together", () => {
  expect([0, 1, 2].map((attempt) => retryDelayMs(attempt, 0.5))).toEqual([250, 500, 1000]);
  expect([0, 1].map((random) => retryDelayMs(0, random))).toEqual([125, 375]);
});
