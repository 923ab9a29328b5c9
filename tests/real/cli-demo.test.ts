import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { wms2 } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Processes that name the directory on their command line. */
const processesOf = (dir: string): string[] =>
  readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return "";
      }
    })
    .filter((line) => line.includes(dir));

test("the demo proves itself within a minute, keeps its outputs and leaves no process", async () => {
  const cwd = tempDir("demo");
  const began = Date.now();
  const answer = await wms2(["demo"], { cwd });
  expect(answer.stdout).toContain("all as it should be");
  expect(answer.code).toBe(0);
  expect(Date.now() - began).toBeLessThan(60_000);
  for (const words of ["exit 8021 in step RECO", "killed by signal 9", "the same for every station"])
    expect(answer.stdout).toContain(words);
  const folder = /^ +(\/.*totals)\/$/m.exec(answer.stdout)?.[1] ?? "";
  expect(readdirSync(folder)).toHaveLength(4);
  expect(readdirSync(cwd)).toEqual([".wms2"]);
  expect(processesOf(cwd)).toEqual([]);
}, 120_000);

test("interrupted, it cleans up after itself", async () => {
  const cwd = tempDir("demo");
  let sent = false;
  const answer = await wms2(["demo"], {
    cwd,
    onOutput: (text, kill) => {
      if (sent || !/ active /.test(text)) return;
      sent = true;
      kill("SIGINT");
    },
  });
  expect(answer.code).toBe(130);
  expect(processesOf(cwd)).toEqual([]);
}, 120_000);

test("--keep leaves a server that can be asked and stopped; a second demo does not run over it", async () => {
  const cwd = tempDir("demo");
  const answer = await wms2(["demo", "--keep"], { cwd });
  expect(answer.code).toBe(0);
  const pid = Number(/kill (\d+)/.exec(answer.stderr)?.[1]);
  try {
    const dataDir = join(cwd, ".wms2/demo/server");
    const listed = JSON.parse((await wms2(["list", "--json", "--data-dir", dataDir])).stdout);
    expect(listed.items.map((item: { status: string }) => item.status)).toEqual(["completed", "completed"]);
    const again = await wms2(["demo"], { cwd });
    expect(again.code).toBe(3);
    expect(again.stderr).toContain(`kill ${pid}`);
  } finally {
    process.kill(pid, "SIGTERM");
  }
  await eventually("server and engine are gone", () => processesOf(cwd).length === 0, { deadlineSec: 15 });
}, 120_000);

test("a directory that is not the demo's own is left alone", async () => {
  const dir = tempDir("mine");
  const answer = await wms2(["demo", "--data-dir", join(dir, "..")]);
  expect(answer.code).toBe(3);
  expect(existsSync(dir)).toBe(true);
});
