import { execFileSync } from "node:child_process";
import { chmodSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";

const onHost = resolve(import.meta.dirname, "../../scripts/on-host");

/** Does what ssh does with its words: joins them and hands them to a shell elsewhere. */
function fakeSsh(dir: string): string {
  const ssh = join(dir, "ssh");
  writeFileSync(ssh, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift 2\ncd / && exec sh -c "$*"\n');
  chmodSync(ssh, 0o755);
  return ssh;
}

test.each([
  ["blanks and quotes", ["a b", "it's", '"x"', ""]],
  ["shell words that must stay words", ["$HOME", "$(touch /tmp/no)", "`id`", "a;b", "*", "a&&b", "\\"]],
  ["line breaks", ["one\ntwo", "end\n"]],
  ["a ClassAd expression", ['JobBatchName == "wms2-1" && JobUniverse == 7']],
])("%s reach the other side as they are", (_story, words) => {
  const dir = tempDir("on-host");
  const program = [
    "node",
    "-e",
    "console.log(JSON.stringify([process.cwd(), ...process.argv.slice(1)]))",
    "--",
    ...words,
  ];
  const env = { ...process.env, WMS2_SSH: fakeSsh(dir) };
  const told = execFileSync(onHost, ["host", ...program], { cwd: dir, env, encoding: "utf8" });
  expect(JSON.parse(told)).toEqual([realpathSync(dir), ...words]);
});

test("the exit code comes back", () => {
  const env = { ...process.env, WMS2_SSH: fakeSsh(tempDir("on-host")) };
  expect(() => execFileSync(onHost, ["host", "sh", "-c", "exit 7"], { env })).toThrow(
    expect.objectContaining({ status: 7 }),
  );
});
