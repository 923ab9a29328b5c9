import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";

const scripts = resolve(import.meta.dirname, "../../scripts");
type Outcome = "passed" | "failed" | "skipped";

/** A folder of reports: project → file → test → how it went. A file without tests could not be loaded. */
function reports(of: Record<string, Record<string, Record<string, Outcome>>>): string {
  const folder = tempDir("tally");
  for (const [project, files] of Object.entries(of)) {
    const testResults = Object.entries(files).map(([name, tests]) => {
      const assertionResults = Object.entries(tests).map(([fullName, status]) => ({
        ...{ fullName, status, failureMessages: status === "failed" ? [`why ${fullName} failed`] : [] },
      }));
      const isBad = assertionResults.length === 0 || assertionResults.some(({ status }) => status === "failed");
      return {
        name: resolve(name),
        status: isBad ? "failed" : "passed",
        message: "cannot be loaded",
        assertionResults,
      };
    });
    writeFileSync(join(folder, `${project}.json`), JSON.stringify({ testResults }));
  }
  return folder;
}

const program = (name: string, ...words: string[]) =>
  spawnSync(process.execPath, [join(scripts, name), ...words], { encoding: "utf8" });
const lines = (text: string) => text.trim().split("\n");

test("adds up all suites, and says last how many passed and failed", () => {
  const folder = reports({
    fast: { "a.test.ts": { one: "passed", two: "skipped" } },
    real: { "b.test.ts": { three: "failed", four: "passed" } },
  });
  const { status, stdout } = program("tally.mjs", "1", folder);
  expect(status).toBe(1);
  expect(lines(stdout)).toEqual([
    "── failed: b.test.ts > three",
    "   why three failed",
    "2 passed, 1 failed, 1 skipped",
  ]);
});

test("what passes only when it runs again is named, and counts once", () => {
  const folder = reports({
    real: { "a.test.ts": { one: "passed", two: "failed" }, "b.test.ts": { three: "passed" } },
    "real.again": { "a.test.ts": { one: "passed", two: "passed" } },
  });
  const { status, stdout } = program("tally.mjs", "0", folder);
  expect(status).toBe(0);
  expect(lines(stdout)).toEqual([
    "── flaky: passed when run again: a.test.ts > two",
    "   why two failed",
    "3 passed, 0 failed",
  ]);
});

test("what fails again has failed, also when it is another test of the file", () => {
  const folder = reports({
    pool: { "a.test.ts": { one: "failed", two: "passed" } },
    "pool.again": { "a.test.ts": { one: "passed", two: "failed" } },
  });
  const { status, stdout } = program("tally.mjs", "1", folder);
  expect(status).toBe(1);
  expect(stdout).toContain("flaky: passed when run again: a.test.ts > one");
  expect(stdout).toContain("── failed: a.test.ts > two");
  expect(lines(stdout).at(-1)).toBe("1 passed, 1 failed");
});

test("a file that cannot be loaded, and a step without tests, are failures", () => {
  const folder = reports({ fast: { "a.test.ts": {}, "b.test.ts": { one: "passed" } } });
  expect(lines(program("tally.mjs", "1", folder).stdout).at(-1)).toBe("1 passed, 1 failed");
  expect(lines(program("tally.mjs", "3", folder).stdout).at(-1)).toBe("1 passed, 3 failed");
});

test("a run of no tests at all is none", () => {
  expect(program("tally.mjs", "0", reports({})).status).toBe(1);
});

test("a few files are worth a second run; many, or none known, are not", () => {
  const some = reports({ real: { "a.test.ts": { one: "failed" }, "b.test.ts": { two: "passed" }, "c.test.ts": {} } });
  expect(program("failed-files.mjs", join(some, "real.json"))).toMatchObject({
    status: 0,
    stdout: "a.test.ts c.test.ts\n",
  });
  const many = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`${at}.test.ts`, { one: "failed" as const }]));
  for (const folder of [reports({ real: many }), reports({})])
    expect(program("failed-files.mjs", join(folder, "real.json"))).toMatchObject({ status: 1, stdout: "" });
});
