import { expect, test } from "vitest";
import { statusInterval } from "./options.ts";

test.each([
  [8, 15, 2],
  [400, 15, 2],
  [1000, 15, 5],
  [5000, 15, 15],
  [100_000, 15, 301],
  [8, 1, 1],
])("the state of %d nodes, at most every %d s, is written every %d s", (nodes, statusIntervalSec, seconds) => {
  expect(statusInterval(nodes, { statusIntervalSec })).toBe(seconds);
});
