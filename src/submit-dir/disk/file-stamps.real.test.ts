import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { fileStamps } from "./file-stamps.ts";

/** `stat` notes what it is asked about. */
function watched(dir: string): () => string[] {
  const [bin, log] = [join(dir, "bin"), join(dir, "asked")];
  mkdirSync(bin);
  writeFileSync(
    join(bin, "stat"),
    `#!/bin/sh\nfor name; do echo "$name"; done >>${log}\nPATH=${process.env.PATH} exec stat "$@"\n`,
  );
  chmodSync(join(bin, "stat"), 0o755);
  const before = process.env.PATH;
  process.env.PATH = `${bin}${delimiter}${before}`;
  onTestFinished(() => {
    process.env.PATH = before;
  });
  return () =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .split("\n")
          .filter((name) => name.startsWith(`${dir}/h`))
      : [];
}

test("of many files of a folder those that are not there cost no look; links are followed", async () => {
  const dir = tempDir("stamps");
  mkdirSync(join(dir, "here"));
  symlinkSync("here", join(dir, "history"));
  const names = Array.from({ length: 40 }, (_, year) => `history/${year}.tar`);
  for (const name of names.slice(0, 30)) writeFileSync(join(dir, name), "data");
  symlinkSync("nowhere", join(dir, "history/35.tar"));
  const asked = watched(dir);
  const found = await fileStamps(
    dir,
    names.flatMap((name) => [name, `${name}.gcp`]),
  );
  expect([...found.keys()]).toEqual(names.slice(0, 30));
  expect(found.get("history/0.tar")).toMatchObject({ sizeBytes: 4, mtime: expect.any(Number) });
  expect(asked()).toHaveLength(31);
});

test("a folder that is not there has none of them; few files are looked at one by one", async () => {
  const dir = tempDir("stamps");
  const asked = watched(dir);
  const names = Array.from({ length: 40 }, (_, year) => `history/${year}.tar`);
  expect((await fileStamps(dir, names)).size).toBe(0);
  writeFileSync(join(dir, "h1"), "x");
  expect([...(await fileStamps(dir, ["h1", "h2"])).keys()]).toEqual(["h1"]);
  expect(asked().slice(-2)).toEqual([`${dir}/h1`, `${dir}/h2`]);
});
