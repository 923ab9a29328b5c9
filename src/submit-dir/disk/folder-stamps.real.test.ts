import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { cksum } from "../../core/base/cksum.ts";
import { folderStamps } from "./folder-stamps.ts";

function folder(): string {
  const dir = tempDir("folders");
  mkdirSync(join(dir, "data/deep/er"), { recursive: true });
  for (const name of ["b", "a b", "ü\nline", "deep/er/c"]) writeFileSync(join(dir, "data", name), name);
  symlinkSync("/etc", join(dir, "data/out"));
  return dir;
}
const look = async (directory: string, { without = [] as string[], byContents = false } = {}) =>
  (await folderStamps({ directory, folders: ["data"], without: new Set(without), byContents })).get("data")!;

test("the sum is that of cksum", () => {
  for (const text of ["", "a", "x".repeat(70_000)])
    expect(execFileSync("cksum", { input: text, encoding: "utf8" })).toMatch(
      new RegExp(`^${cksum(Buffer.from(text))} `),
    );
});

test.each<[string, (at: (name: string) => string) => void]>([
  ["changed in its size", (at) => writeFileSync(at("deep/er/c"), "more")],
  ["changed in its time", (at) => utimesSync(at("b"), 1, 1)],
  ["added", (at) => writeFileSync(at("deep/new"), "")],
  ["removed", (at) => rmSync(at("a b"))],
  ["renamed", (at) => renameSync(at("b"), at("z"))],
  ["a folder", (at) => mkdirSync(at("empty"))],
  [
    "a link that leads elsewhere",
    (at) => {
      rmSync(at("out"));
      symlinkSync("/usr", at("out"));
    },
  ],
])("a folder in which something is %s is another; else it is the same", async (_, change) => {
  const dir = folder();
  const before = await look(dir);
  expect(before).toMatchObject({ path: "data", sizeBytes: 20, listing: expect.stringMatching(/^\d+$/) });
  expect(await look(dir)).toEqual(before);
  change((name) => join(dir, "data", name));
  expect((await look(dir)).listing).not.toBe(before.listing);
});

test("by contents times do not count, bytes do; what is made there is no part of it", async () => {
  const dir = folder();
  const before = await look(dir, { byContents: true });
  utimesSync(join(dir, "data/b"), 1, 1);
  expect((await look(dir, { byContents: true })).checksum).toBe(before.checksum);
  writeFileSync(join(dir, "data/b"), "B");
  expect((await look(dir, { byContents: true })).checksum).not.toBe(before.checksum);
  const whole = await look(dir);
  mkdirSync(join(dir, "data/made"));
  for (const name of ["made/x", "result"]) writeFileSync(join(dir, "data", name), "x");
  expect(await look(dir, { without: ["data/made", join(dir, "data/result")] })).toEqual(whole);
});

test("a folder of more entries than anybody looks at says so, and nobody waits for the rest", async () => {
  const directory = folder();
  const most = async (mostEntries: number) =>
    folderStamps({ directory, folders: ["data"], without: new Set(), byContents: false, mostEntries });
  expect((await most(7)).get("data")).toEqual(await look(directory));
  expect((await most(6)).get("data")).toEqual({ path: "data", sizeBytes: 0, mtime: 0, listing: "" });
});
