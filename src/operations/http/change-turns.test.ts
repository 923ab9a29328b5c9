import { setImmediate } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { makeChangeTurns } from "./change-turns.ts";

const { signal } = new AbortController();

test("a few changes at a time, in the order they came; others are answered in between", async () => {
  const enter = makeChangeTurns();
  const begun: number[] = [];
  const leaves: (() => void)[] = [];
  for (let i = 0; i < 20; i++) void enter(signal).then((leave) => [begun.push(i), leaves.push(leave)]);
  expect(begun).toEqual([]);
  for (let turn = 0; turn < 40; turn++) await setImmediate();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  leaves[3]!();
  leaves[3]!();
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  expect(begun.at(-1)).toBe(8);
  for (let at = 0; at < 20; at++) {
    leaves[at]!();
    for (let turn = 0; turn < 10; turn++) await setImmediate();
  }
  expect(begun).toHaveLength(20);
});

test("who takes long keeps nobody waiting, and who left does not begin", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const enter = makeChangeTurns();
    await Promise.all(Array.from({ length: 8 }, () => enter(signal)));
    const ninth = enter(signal);
    vi.advanceTimersByTime(300);
    await ninth;
    await expect(enter(AbortSignal.abort(new Error("the caller left")))).rejects.toThrow("the caller left");
  } finally {
    vi.useRealTimers();
  }
});
