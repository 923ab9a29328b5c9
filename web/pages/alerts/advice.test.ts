import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { adviceFor } from "./advice.ts";

test("every family of alerts that is documented says what to do", () => {
  const guide = readFileSync(resolve(import.meta.dirname, "../../../docs/guides/alerts.md"), "utf8");
  const keys = [...guide.matchAll(/^\| `([\w-]+):/gm)].map(([, family]) => family!);
  expect(keys.length).toBeGreaterThan(8);
  const unknown = adviceFor("something:new", "x").todo;
  expect(keys.filter((family) => adviceFor(`${family}:x`, "x").todo === unknown)).toEqual([]);
});

test.each([
  ["held:muons", "muons", "/requests/muons"],
  ["stuck:muons:queued", "muons", "/requests/muons"],
  ["disk:spool", "spool", "/system"],
  ["sink:chat", "chat", null],
  ["something:new", "x", null],
])("%s leads to %s", (key, subject, href) => {
  expect(adviceFor(key, subject).href).toBe(href);
});
