import { expect, test } from "vitest";
import { mayReload } from "./reload.ts";

test.each([
  ["never loaded again so far", null, true],
  ["another page was", { at: "/sites", time: 9_990_000 }, true],
  ["this one was, just now", { at: "/queue", time: 9_990_000 }, false],
  ["this one was, long ago", { at: "/queue", time: 9_000_000 }, true],
  ["the clock was set back meanwhile", { at: "/queue", time: 20_000_000 }, true],
])("%s", (_, last, expected) => expect(mayReload(last, "/queue", 10_000_000)).toBe(expected));
