import { expect, test } from "vitest";
import { ageOf, type Seen } from "./age.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const seen = (ageSec: number | null, everySec: number | null, ok = true): Seen => ({
  what: "x",
  ok,
  read_at: ageSec === null ? null : new Date(NOW - ageSec * 1000).toISOString(),
  every_sec: everySec,
  text: "",
});

test.each<[string, Seen, string]>([
  ["just now", seen(1, 5), "fresh"],
  ["a short rhythm is not old at once", seen(50, 5), "fresh"],
  ["three times too late", seen(901, 300), "old"],
  ["asked when somebody looks", seen(5000, null), "fresh"],
  ["never", seen(null, 5), "not read yet"],
  ["trouble is told before its age", seen(1, 5, false), "trouble"],
])("%s", (_name, item, word) => {
  expect(ageOf(item, NOW)[2]).toBe(word);
});
