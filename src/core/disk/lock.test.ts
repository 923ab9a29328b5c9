import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { WorldError } from "../base/errors.ts";
import { lockDirectory } from "./lock.ts";
import { startedTicks } from "./processes.ts";

const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
const owner = (change: object) => ({
  token: "t1",
  pid: process.pid,
  startedTicks: "1",
  bootId,
  host: hostname(),
  command: "wms2 serve",
  purpose: "the embedded database",
  since: "2026-01-01T00:00:00.000Z",
  ...change,
});

describe("the lock of a directory", () => {
  it("is for one at a time, and names the one who has it", async () => {
    const dir = tempDir("lock");
    const lock = await lockDirectory(dir, "testing");
    const refused = await lockDirectory(dir, "more testing").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WorldError);
    expect(refused).toMatchObject({ code: "store-locked", subject: dir });
    expect(String(refused)).toContain(`process ${process.pid} on ${hostname()} since 20`);
    expect(String(refused)).toContain("for testing (");
    await lock.release();
    await lock.release();
    const again = await lockDirectory(dir, "testing");
    expect(readdirSync(dir)).toEqual(["lock"]);
    await again.release();
    expect(readdirSync(dir)).toEqual([]);
  });

  it("is given to exactly one of many, also when a stale one is in the way", async () => {
    for (const stale of [false, true]) {
      const dir = tempDir("lock");
      if (stale) writeFileSync(join(dir, "lock"), JSON.stringify(owner({})));
      const all = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(dir, "testing")));
      expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(readdirSync(dir)).toEqual(["lock"]);
    }
  });

  it.each([
    ["whose pid was given to another process", owner({})],
    ["from before the machine was restarted", owner({ bootId: "another" })],
    ["of a process that is gone", owner({ pid: 2 ** 22 + 1 })],
    ["cut short by a power cut", ""],
  ])("is taken over from a lock %s", async (_, left) => {
    const dir = tempDir("lock");
    writeFileSync(join(dir, "lock"), left === "" ? "" : JSON.stringify(left));
    await lockDirectory(dir, "testing");
    expect(JSON.parse(readFileSync(join(dir, "lock"), "utf8"))).toMatchObject({ pid: process.pid, purpose: "testing" });
  });

  it("is taken over although somebody died while taking it over", async () => {
    const dir = tempDir("lock");
    writeFileSync(join(dir, "lock"), JSON.stringify(owner({})));
    writeFileSync(join(dir, "lock.t1.taken"), JSON.stringify(owner({ token: "t2" })));
    await lockDirectory(dir, "testing");
    expect(readdirSync(dir)).toEqual(["lock"]);
  });

  it("is respected while its process lives, and on another machine always", async () => {
    const child = spawn("sleep", ["60"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const ticks = startedTicks(child.pid ?? 0);
    for (const left of [owner({ pid: child.pid, startedTicks: ticks }), owner({ host: "elsewhere" })]) {
      const dir = tempDir("lock");
      writeFileSync(join(dir, "lock"), JSON.stringify(left));
      await expect(lockDirectory(dir, "testing")).rejects.toThrow("is in use by process");
    }
  });

  it("says when the directory cannot be written", async () => {
    const file = join(tempDir("lock"), "file");
    writeFileSync(file, "");
    await expect(lockDirectory(file, "testing")).rejects.toMatchObject({ code: "disk-unwritable" });
  });
});
