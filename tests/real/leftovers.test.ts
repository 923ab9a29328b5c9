import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";

const program = resolve(import.meta.dirname, "../../scripts/leftovers.mjs");

function look(dir: string): { status: number | null; stdout: string } {
  return spawnSync(process.execPath, [program, dir, "0"], { encoding: "utf8" });
}

test("a test run that left nothing behind passes", () => {
  expect(look(tempDir("leftovers"))).toMatchObject({ status: 0, stdout: "" });
});

test("a folder and a process that a test run left behind are named, removed and ended", async () => {
  const dir = tempDir("leftovers");
  mkdirSync(join(dir, "wms2-forgotten"));
  const child = spawn("sleep", ["60"], { env: { ...process.env, TMPDIR: dir }, detached: true });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  const { status, stdout } = look(dir);
  expect(status).toBe(1);
  expect(stdout).toContain(`process ${child.pid}: sleep 60`);
  expect(stdout).toContain(`${dir}/wms2-forgotten`);
  expect(existsSync(join(dir, "wms2-forgotten"))).toBe(false);
  expect(await ended).toEqual([null, "SIGKILL"]);
});
