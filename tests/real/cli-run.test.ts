import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { wms2 } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { removeData } from "../support/remove-data.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Everybody in this file shares a data directory, so that its database is made once; each test has a folder of its own. */
const dataDir = mkdtempSync(join(tmpdir(), "wms2-run-"));
afterAll(() => removeData(dataDir));
const options = { timeout: 90_000 };

function graph(name: string, jobs: readonly object[]) {
  const cwd = tempDir("graph");
  const document = { name, kind: "graph", resources: { memory: "50 MB" }, jobs };
  writeFileSync(join(cwd, "graph.json"), JSON.stringify(document));
  const lines = (file: string) => readFileSync(join(cwd, file), "utf8").trim().split("\n");
  const command = (words: readonly string[], more: Parameters<typeof wms2>[1] = {}) =>
    wms2([...words, "--data-dir", dataDir], { cwd, ...more });
  const run = (...more: string[]) => command(["run", "graph.json", ...more]);
  return { cwd, run, command, lines };
}

/** The engine's process of our data directory, and whatever else names it. */
const processes = (): string[] =>
  readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && existsSync(`/proc/${pid}/cmdline`))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return "";
      }
    })
    .filter((line) => line.includes(dataDir));

const sh = (name: string, script: string, more: object = {}) => ({ name, run: ["sh", "-c", script], ...more });

test("a graph without a server: runs, leaves no process, and has nothing to do the second time", options, async () => {
  const { run, lines } = graph("small", [sh("hello", "echo hi >>out", { makes: "out" })]);
  expect(await run()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^small {2}completed in .*\njobs +1 of 1 done/),
  });
  expect(processes()).toEqual([]);
  const again = await run();
  expect(again.code).toBe(0);
  expect(again.stdout).toContain("nothing to run");
  expect(lines("out")).toEqual(["hi"]);
});

test(
  "failed jobs: told with their log and whom they block, exit 3; after a fix only what is left runs",
  options,
  async () => {
    const { cwd, run, lines } = graph("failing", [
      sh("good", "echo good >>ran"),
      sh("bad", "echo bad >>ran; test -e licence || (echo no licence >&2; exit 64)"),
      sh("after", "echo after >>ran", { after: "bad" }),
    ]);
    const failed = await run();
    expect(failed.code).toBe(3);
    for (const words of ["1 of 3 done, 1 failed, 1 blocked", "1 job by bad", "| no licence", "wms2 run graph.json"])
      expect(failed.stdout).toContain(words);
    expect(await run("--exit-zero")).toMatchObject({ code: 0 });
    writeFileSync(join(cwd, "licence"), "");
    const json = await run("--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ status: "completed", units: { total: 3, done: 3 }, exit_code: 0 });
    expect(lines("ran").sort()).toEqual(["after", "bad", "bad", "bad", "good"]);
  },
);

test("Ctrl-C stops the jobs and says how to go on; a second run meanwhile only leaves", options, async () => {
  const { cwd, run, command, lines } = graph("long", [
    sh("first", "echo first >>ran"),
    sh("second", "echo second >>ran; until test -e go; do sleep 0.1; done", { after: "first" }),
  ]);
  const interruptAt = (pattern: RegExp) => ({
    onOutput: (text: string, kill: (signal: NodeJS.Signals) => void) => {
      if (pattern.test(text) && !/stopping|left/.test(text)) kill("SIGINT");
    },
  });
  let second: ReturnType<typeof command> | null = null;
  let isOver = false;
  const first = command(["run", "graph.json"], {
    onOutput: (text, kill) => {
      if (/1\/2 jobs/.test(text))
        second ??= command(["run", "graph.json"], interruptAt(/1\/2 jobs/)).finally(() => {
          isOver = true;
          kill("SIGINT");
        });
    },
  });
  const stopped = await first;
  expect(isOver).toBe(true);
  expect(await second).toMatchObject({ code: 130, stderr: expect.stringContaining("long goes on") });
  expect(stopped).toMatchObject({ code: 130, stderr: expect.stringContaining("go on with: wms2 run graph.json") });
  expect(processes()).toEqual([]);
  writeFileSync(join(cwd, "go"), "");
  expect(await run()).toMatchObject({ code: 0 });
  expect(lines("ran")).toEqual(["first", "second", "second"]);
});

test("several at once share a server, two with one file; whoever is left goes on with one of its own", {
  timeout: 180_000,
}, async () => {
  const short = graph("short", [sh("short", "until test -e go; do sleep 0.1; done")]);
  const long = graph("longer", [sh("longer", "until test -e go; do sleep 0.1; done; echo end >>ran")]);
  const began = [short, long, long].map(({ command }) => {
    let heard = "";
    const answer = command(["run", "graph.json"], {
      onOutput: (text) => {
        heard = text;
      },
    });
    return { answer, isActive: () => / active /.test(heard), said: () => heard };
  });
  await eventually("all run", () => began.every(({ isActive }) => isActive()), {
    deadlineSec: 120,
    describe: () => began.map(({ said }) => said()).join("\n──\n"),
  });
  writeFileSync(join(short.cwd, "go"), "");
  expect(await began[0]?.answer).toMatchObject({ code: 0 });
  writeFileSync(join(long.cwd, "go"), "");
  for (const { answer } of began.slice(1)) expect(await answer).toMatchObject({ code: 0 });
  expect(long.lines("ran")).toEqual(["end"]);
  expect(processes()).toEqual([]);
});

test("exec: what one job wrote and its exit code; a sweep of lines", options, async () => {
  const { cwd, command, lines } = graph("unused", []);
  expect(await command(["exec", "--memory", "50MB"].concat("--name", "said"))).toMatchObject({ code: 2 });
  const words = ["exec", "--memory", "50MB", "--data-dir", dataDir, "--"];
  expect(await wms2([...words, "echo", "{a}  b"], { cwd })).toMatchObject({ code: 0, stdout: "{a}  b\n" });
  expect(await wms2([...words, "sh", "-c", "exit 64"], { cwd })).toMatchObject({ code: 64 });
  writeFileSync(join(cwd, "commands.txt"), "# two jobs\necho {n:02d} | tee -a out\n");
  expect(
    await command(["exec", "-C", "commands.txt", "--each", "n=1..2", "-j", "1", "--memory", "50MB"]),
  ).toMatchObject({ code: 0, stdout: expect.stringContaining("2 of 2 done") });
  expect(lines("out").sort()).toEqual(["01", "02"]);
});
