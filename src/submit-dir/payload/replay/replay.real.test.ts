import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SHELL, start } from "../../../../tests/support/payload-scratch.ts";

const REPLAY = fileURLToPath(new URL("./replay.sh", import.meta.url));
let here = "";
beforeEach(() => {
  here = mkdtempSync(join(tmpdir(), "wms2-replay-"));
});
afterEach(() => rmSync(here, { recursive: true, force: true }));

const replay = (...words: readonly string[]) => start([...SHELL, REPLAY, ...words], here).ended;

test("files have the sizes that were asked for, whatever their names", async () => {
  const sizes = { "a b#1:x": 1, "whole*": 65_536, more: 65_537, large: 200_000 };
  const { code } = await replay(
    "0.010",
    ...Object.entries(sizes).map(([name, bytes]) => `out:${bytes}:replay-files/${name}`),
  );
  expect(code).toBe(0);
  const found = readdirSync(join(here, "replay-files")).map((name) => [
    name,
    statSync(join(here, "replay-files", name)).size,
  ]);
  expect(Object.fromEntries(found)).toEqual(sizes);
});

test("it takes its time", async () => {
  expect((await replay("0.300")).ms).toBeGreaterThanOrEqual(300);
});

test("an input that is not there is a failure, before anything is made", async () => {
  writeFileSync(join(here, "there"), "x");
  const { code, stderr } = await replay("0", "in:there", "in:not there", "out:5:made");
  expect([code === 0, /not there/.test(stderr), readdirSync(here)]).toEqual([false, true, ["there"]]);
});

test("a file that cannot be written is a failure that says which", async () => {
  writeFileSync(join(here, "folder"), "");
  const { code, stderr } = await replay("0", "out:5:folder/x");
  expect([code === 0, stderr.includes("folder")]).toEqual([false, true]);
});
