import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readJobEvents } from "./job-events.ts";

const log = readFileSync(join(import.meta.dirname, "../../tests/support/sample-events.log"), "utf8");

test("a kill, a hold with removal, and a good end, in one log", () => {
  expect(readJobEvents(log, 36)?.events).toMatchObject({
    site: "T2_XX_Beta",
    host: "localhost",
    executions: 1,
    terminated: { code: null, signal: 9 },
    held: null,
    peakMemoryMb: 5,
  });
  expect(readJobEvents(log, 37)?.events).toMatchObject({
    site: "T2_XX_Alpha",
    terminated: null,
    held: { code: 3, subcode: 50660, reason: "WMS2 memory" },
    aborted: expect.stringContaining("PeriodicRemove"),
  });
  expect(readJobEvents(log, 38)?.events).toMatchObject({ terminated: { code: 0, signal: null }, aborted: null });
  expect(readJobEvents(log, 3)).toBeNull();
});

test("a hold that was released is none; an eviction is counted; a half-written event waits", () => {
  const event = (head: string, ...lines: string[]) =>
    `${head} (1005.000.000) 2026-11-15 19:37:25 x\n${lines.map((line) => `\t${line}\n`).join("")}...\n`;
  const held = event("012", "x", "Code 13 Subcode 2");
  expect(readJobEvents(held + event("013", "released"), 1005)?.events.held).toBeNull();
  expect(readJobEvents(held + event("004", "evicted") + event("001"), 1005)?.events).toMatchObject({
    evictions: 1,
    held: null,
  });
  expect(readJobEvents(held.slice(0, -5), 1005)).toBeNull();
  expect(readJobEvents(event("024", "gone"), 1005)?.events.lost).toBe("gone");
  expect(readJobEvents(held, 100)).toBeNull();
});

test("times are of the last execution, and a removal after a hold only confirms it", () => {
  const event = (kind: string, second: number) => `${kind} (007.000.000) 2026-11-15 10:00:0${second} x\n...\n`;
  const text =
    event("000", 0) + event("001", 1) + event("004", 2) + event("001", 3) + event("012", 4) + event("009", 5);
  expect(readJobEvents(text, 7)).toMatchObject({
    startedAt: new Date("2026-11-15T10:00:03"),
    endedAt: new Date("2026-11-15T10:00:04"),
  });
  expect(readJobEvents(event("000", 0), 7)).toMatchObject({ startedAt: null, endedAt: null });
});

test("is quick in a log of many siblings", () => {
  const long = log.repeat(1000);
  const started = performance.now();
  readJobEvents(long, 999);
  expect(performance.now() - started).toBeLessThan(200);
});

test("a blank column of used memory is not what was asked for", () => {
  const ended = (columns: string) =>
    `005 (007.000.000) 2026-11-15 20:50:50 Job terminated.\n\t(0) Abnormal termination (signal 9)\n\t   Memory (MB)          : ${columns} \n...\n`;
  expect(readJobEvents(ended("             100       100"), 7)?.events.peakMemoryMb).toBeNull();
  expect(readJobEvents(ended("   7      150       150"), 7)?.events.peakMemoryMb).toBe(7);
});

test("a job that was held told its peak when its size was last looked at", () => {
  const sizes = [12, 290, 280].map(
    (peak) =>
      `006 (007.000.000) 2026-11-18 04:00:39 Image size of job updated: 298240\n\t${peak}  -  MemoryUsage of job (MB)\n\t296308  -  ResidentSetSize of job (KB)\n...\n`,
  );
  const held = "012 (007.000.000) 2026-11-18 04:00:39 Job was held.\n\tWMS2 memory\n\tCode 3 Subcode 50660\n...\n";
  expect(readJobEvents(sizes.join("") + held, 7)?.events).toMatchObject({
    peakMemoryMb: 290,
    held: { subcode: 50660 },
  });
});
