import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { saveEntry } from "../dag/registry.ts";
import { holdsRun, identityOf } from "./identity.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "identity-"));
});
afterEach(() => rm(root, { recursive: true }));

test("an engine directory is given a name at its first use, and keeps it; another one has another", async () => {
  const name = identityOf(join(root, "a/engine"));
  expect(name).toMatch(/^local:[0-9a-f]{8}$/);
  expect(identityOf(join(root, "a/engine"))).toBe(name);
  expect(identityOf(join(root, "b/engine"))).not.toBe(name);
  expect(`local:${await readFile(join(root, "a/engine/id"), "utf8")}`).toBe(`${name}\n`);
});

test("a run from before is its own where it is under way, or where its files lie", () => {
  const [a, b] = [join(root, "a/engine"), join(root, "ab/engine")];
  const run = { batchName: "wms2-d1", submitDir: join(root, "a/spool/r/d1") };
  expect([holdsRun(a, run), holdsRun(b, run)]).toEqual([true, false]);
  const elsewhere = { batchName: "wms2-d2", submitDir: "/shared/spool/r/d2" };
  expect([holdsRun(a, elsewhere), holdsRun(b, elsewhere)]).toEqual([false, false]);
  saveEntry(b, { ...elsewhere, id: 1, priority: 0, submittedAt: 0, held: false });
  expect([holdsRun(a, elsewhere), holdsRun(b, elsewhere)]).toEqual([false, true]);
});
