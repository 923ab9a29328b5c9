import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readReport, run } from "../../../../tests/support/payload-scratch.ts";
import { HITS, sh, unit } from "../../../../tests/support/working-unit.ts";

describe("a step that fails", () => {
  test.each([
    ["exit 3", { exitCode: 3, status: 3, signal: null }, 3],
    ["exit 42", { exitCode: 42, status: 42, signal: null }, 1],
    ["exit 137", { exitCode: 137, status: 137, signal: null }, 137],
    ["exit 143", { exitCode: 143, status: 143, signal: null }, 143],
    ["kill -9 $$", { exitCode: 137, status: 137, signal: 9 }, 137],
    ["kill -15 $$", { exitCode: 143, status: 143, signal: 15 }, 143],
    ["kill -11 $$", { exitCode: 139, status: 139, signal: 11 }, 139],
    ["echo exit_code=8021 >>$WMS2_STEP_REPORT; exit 85", { exitCode: 8021, status: 85, signal: null }, 1],
    ["echo exit_code=8021 >>$WMS2_STEP_REPORT", { exitCode: 8021, status: 0, signal: null }, 1],
    ["echo exit_code=0 >>$WMS2_STEP_REPORT; exit 5", { exitCode: 5, status: 5, signal: null }, 5],
    ["echo 'exit_code=$(reboot)' >>$WMS2_STEP_REPORT; exit 5", { exitCode: 5 }, 5],
  ])("%s keeps its true code", async (script, step, code) => {
    const job = await unit([sh(script), sh("touch second", "second")]).work("processing", "proc_000000");
    expect(job.report.steps).toEqual([expect.objectContaining(step)]);
    expect(job.report).toMatchObject({ state: "finished", exitCode: step.exitCode });
    expect(job.report.error).toContain("in step select");
    expect(job.code).toBe(code);
    expect(existsSync(join(job.dir, "second"))).toBe(false);
  });

  test("a missing program is 127 and one that may not be executed is 126, with the shell's words", async () => {
    const missing = await unit([{ name: "select", argv: ["./no such"] }]).work("processing", "proc_000000");
    expect(missing).toMatchObject({
      code: 127,
      report: { exitCode: 127, error: expect.stringMatching(/not found|No such file/) },
    });
    const u = unit([{ name: "select", argv: ["./plain.txt"] }]);
    u.write("payload/plain.txt", "hello\n");
    const refused = await u.work("processing", "proc_000000");
    expect(refused).toMatchObject({ code: 126, report: { exitCode: 126 } });
    expect(refused.report.error).toMatch(/[Pp]ermission denied/);
    const empty = await unit([{ name: "select", argv: [] }]).work("processing", "proc_000000");
    expect(empty.report).toMatchObject({ exitCode: 127, error: expect.stringContaining("no command") });
  });

  test("huge output stays in the log; its end is repeated on stderr", async () => {
    const script = "head -c 30000000 /dev/zero | tr '\\0' x; echo the last words >&2; exit 9";
    const job = await unit([sh(script)]).work("processing", "proc_000000");
    expect(job.code).toBe(9);
    expect(statSync(join(job.dir, "select.stdout.log")).size).toBe(30_000_000);
    expect(job.stderr).toContain("the last words");
    expect(job.stderr.length).toBeLessThan(10_000);
    expect(job.stdout).toBe("");
  });

  test("a step that ended well leaves the end of its output on stdout, for whoever looks at the log", async () => {
    const job = await unit([sh("echo 41 hits found; echo one odd line >&2; echo x >hits.csv")], [HITS]).work(
      "processing",
      "proc_000000",
    );
    expect(job.code).toBe(0);
    expect(job.stdout).toContain("the end of stdout of step select:\n41 hits found\n");
    expect(job.stdout).toContain("one odd line");
    expect(job.stderr).toBe("");
  });

  test("a declared output that is missing is 60302, and nothing is staged", async () => {
    const u = unit([sh("echo x >hits.csv; mkdir dir")], [HITS, { name: "more", file: "dir" }]);
    const job = await u.work("processing", "proc_000000");
    expect(job).toMatchObject({ code: 1, report: { exitCode: 60302, error: expect.stringContaining("dir") } });
    expect(existsSync(u.unmerged)).toBe(false);
  });

  test("storage that cannot be written is 60307 with the reason", async () => {
    const u = unit([sh("echo x >hits.csv")], [HITS]);
    u.write("storage/unmerged", "a file where a directory should be");
    const job = await u.work("processing", "proc_000000");
    expect(job).toMatchObject({ code: 1, report: { exitCode: 60307, outputs: [] } });
    expect(job.report.error).toMatch(/Not a directory|File exists/);
  });

  test("a target that cannot be replaced is 60307 and leaves no temporary file", async () => {
    const u = unit([sh("echo x >hits.csv")], [HITS]);
    mkdirSync(join(u.unmerged, "proc_000000.hits.csv.sum/in the way"), { recursive: true });
    mkdirSync(join(u.unmerged, "proc_000000.hits.csv/in the way"), { recursive: true });
    const job = await u.work("processing", "proc_000000");
    expect(job.report).toMatchObject({ exitCode: 60307 });
    expect(readdirSync(u.unmerged).filter((name) => name.startsWith(".wms2-tmp"))).toEqual([]);
  });
});

describe("a manifest that cannot be used is 50113", () => {
  const good = () => unit([sh("touch ran")], [HITS], { proc_000000: {}, proc_000001: {} });
  test.each([
    ["no such node", "proc_000009", (text: string) => text, "no node proc_000009"],
    ["empty", "proc_000000", () => "", "empty"],
    ["garbage", "proc_000000", () => "\u0000\u0001 not json", "not readable"],
    ["cut short", "proc_000000", (text: string) => text.slice(0, -20), "not readable"],
    ["no steps", "proc_000000", (text: string) => text.replace(/"steps":.*/, '"steps":[],'), "no steps"],
    ["no unit", "proc_000000", (text: string) => text.replace(/"unit":.*/, '"unit":"a b",'), "no unit"],
    [
      "a dangerous unmerged",
      "proc_000000",
      (text: string) => text.replace(/"unmerged":.*/, '"unmerged":"/x/../mg_000000",'),
      "unmerged",
    ],
    [
      "an output that leads away",
      "proc_000000",
      (text: string) => text.replace('"hits.csv"', '"../../hits.csv"'),
      "relative",
    ],
    ["a node name that is none", "../x", (text: string) => text, "not the name of a node"],
  ])("%s", async (_what, node, spoil, words) => {
    const u = good();
    u.manifest = spoil(u.manifest);
    const job = await u.work("processing", node);
    expect(job.code).toBe(1);
    expect(job.report).toMatchObject({ state: "finished", exitCode: 50113 });
    expect(job.report.error).toContain(words);
  });

  test("a bad role and a missing manifest leave a report too", async () => {
    const u = good();
    expect((await u.work("dance", "proc_000000")).report).toMatchObject({
      exitCode: 50113,
      error: "unknown role: dance",
    });
    const dir = u.job();
    const ended = await run(["sh", "-c", "rm manifest.json; exec ./condor_exec.exe processing proc_000000"], dir);
    expect(ended.code).toBe(1);
    expect(readReport(dir)).toMatchObject({ exitCode: 50113, error: "manifest.json is missing" });
  });
});

test("a scratch directory that cannot hold a report ends the job with 1", async () => {
  const u = unit([sh("exit 0")]);
  const dir = u.job();
  mkdirSync(join(dir, "report.json")); // in the way
  expect((await run(["./condor_exec.exe", "processing", "proc_000000"], dir)).code).toBe(1);
});
