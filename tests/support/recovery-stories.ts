import { execFileSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { eventually } from "./eventually.ts";
import type { MisfortuneRequest } from "./recovery-request.ts";
import type { ServerUnderTest } from "./server.ts";

/** What every engine has to show; a pool has more (see the test there). */
export const FIRST = [
  "memory",
  "step-killed",
  "job-killed",
  "no-program",
  "read-once",
  "read-always",
  "own-42",
  "scripted",
  "post-killed",
];
export const LATER = ["walltime", "no-input", "submit-fails", "read-elsewhere", "pre-killed"];

export const QUICK = {
  "recovery.cooloff_base_sec": 0,
  "recovery.avoid_host_sec": 1,
  "dag.defer_poll_sec": 1,
  "planning.least_memory_per_core_mb": 50,
};

/** Spoils the units that have not begun, then lets the first ones go. */
export async function prepare(request: MisfortuneRequest): Promise<void> {
  const own = (story: string) => request.node(story);
  await request.append("walltime", "group.inc", `${own("walltime")}_wall_minutes = 0.05\n`);
  await request.append("submit-fails", "group.inc", `${own("submit-fails")}_memory = 10 apples\n`);
  rmSync(join(await request.unitDir("no-input"), "manifest.json"));
  // The same file failed at another site before.
  const before = {
    event: "attempt",
    at: "2026-01-01T00:00:00Z",
    node: own("read-elsewhere"),
    cluster: 1,
    rrn: 1,
    epoch: 0,
    cause: "exit",
    exitCode: 8021,
    site: "T2_XX_Elsewhere",
    decision: "stop",
    why: "site",
    category: "infrastructure",
    rule: "read-failed",
    changeSite: true,
    files: [request.input("read-elsewhere")],
  };
  await request.append("read-elsewhere", "ledger.jsonl", `${JSON.stringify(before)}\n`);
  // PRE reads the time to wait for from here, and nobody writes: it stands still until it is killed.
  const dir = await request.unitDir("pre-killed");
  execFileSync("mkfifo", [join(dir, `${own("pre-killed")}.wait`)]);
  for (const unit of [dir, await request.unitDir("read-elsewhere")]) giveToOwner(unit);
  writeFileSync(join(request.dir, `${own("post-killed")}.slow`), "");
  request.go();
}

function giveToOwner(dir: string): void {
  const { uid, gid } = statSync(dir);
  for (const name of readdirSync(dir)) chownSync(join(dir, name), uid, gid);
}

/** Processes of this machine, of pools too, that work in the directory and whose command line has all the words. */
export function processesIn(dir: string, ...words: string[]): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ");
        return words.every((word) => line.includes(word)) && readlinkSync(`/proc/${pid}/cwd`).startsWith(dir);
      } catch {
        return false; // it ended
      }
    })
    .map(Number);
}

export async function killThePre(request: MisfortuneRequest): Promise<void> {
  const node = request.node("pre-killed");
  const dir = await request.unitDir("pre-killed");
  const [pid] = await eventually("PRE runs", () => found(processesIn(dir, "bin/pre", node)), { deadlineSec: 60 });
  rmSync(join(dir, `${node}.wait`));
  process.kill(pid as number, "SIGKILL");
}

/** In the middle: the retry is in the ledger, the recovery script runs, and DAGMan knows nothing yet. */
export async function killThePost(request: MisfortuneRequest, alsoKill: () => Promise<void>): Promise<void> {
  const node = request.node("post-killed");
  const began = join(request.dir, `${node}.script-began`);
  await eventually("the recovery script runs", () => existsSync(began), { deadlineSec: 60 });
  const unit = await request.unitDir("post-killed");
  const victims = processesIn(unit, "brain.cjs", node);
  expect(victims).toHaveLength(1);
  await alsoKill();
  for (const pid of victims) killIfThere(pid);
  for (const pid of processesIn(dirname(unit), "/bin/sh", "fix.sh")) killIfThere(-pid);
}

/** What has just ended is as good as killed: HTCondor may end a POST with its DAGMan. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const found = <T>(list: T[]): T[] | null => (list.length > 0 ? list : null);

/** Each ended as the table says, and the ledger tells why. */
export async function expectEnds(request: MisfortuneRequest, engine: "dagman" | "local"): Promise<void> {
  const told = async (story: string) => request.attempts(story);
  const done = (rrn: number) => ({ decision: "done", exitCode: 0, rrn });

  expect(await told("memory"), "memory").toMatchObject([
    {
      cause: "oom",
      exitCode: 50660,
      decodedFrom: "hold",
      memoryMb: 100,
      nextMemoryMb: 150,
      decision: "retry",
      rrn: 1,
      peakMemoryMb: expect.any(Number),
    },
    done(2),
  ]);
  expect(await told("walltime"), "walltime").toMatchObject([
    { cause: "walltime", exitCode: 50664, decodedFrom: "hold", nextWallMinutes: 1.05, decision: "retry", rrn: 1 },
    done(2),
  ]);
  for (const story of ["step-killed", "job-killed"])
    expect(await told(story), story).toMatchObject([
      { cause: "signal", exitCode: 137, signal: 9, rule: "killed", decision: "retry", rrn: 1 },
      done(2),
    ]);
  expect(await told("no-program"), "no-program").toMatchObject([
    { exitCode: 127, category: "permanent", rule: "not-found", decision: "stop", why: "row-stops", rrn: 1 },
  ]);
  expect(await told("no-input"), "no-input").toMatchObject([
    { cause: "held", exitCode: -1002, rule: "hold-input-missing", decision: "retry" },
    { cause: "held", exitCode: -1002, decision: "stop", why: "rule-retries", category: "permanent" },
  ]);
  // DAGMan itself tried several times and then grants no retry in this run; a rescue goes on. The local engine retries.
  const unsubmitted = { cause: "submit_failed", exitCode: -1001, cluster: -1, rrn: 0 };
  expect(await told("submit-fails"), "submit-fails").toMatchObject(
    engine === "dagman"
      ? [{ ...unsubmitted, decision: "stop", why: "run-retries" }]
      : [{ ...unsubmitted, decision: "retry" }, done(1)],
  );
  await expectReads(request);
  expect(await told("own-42"), "own-42").toMatchObject([
    { cause: "exit", exitCode: 42, decodedFrom: "report", rule: "program-failed", decision: "retry" },
    { cause: "exit", exitCode: 42, decision: "retry" },
    { cause: "exit", exitCode: 42, decision: "stop", why: "rule-retries", category: "permanent" },
  ]);
  expect(await told("pre-killed"), "pre-killed").toMatchObject([{ ...done(1), retry: 1 }]);
  for (const story of ["scripted", "post-killed"])
    expect(await told(story), story).toMatchObject([
      { exitCode: 17, rule: "fixer#1", ruleSource: "handler fixer, rule 1", decision: "retry", rrn: 1 },
      done(2),
    ]);
  await expectScript(request);
}

async function expectReads(request: MisfortuneRequest): Promise<void> {
  const failed = { cause: "exit", exitCode: 8021, decodedFrom: "report", rule: "read-failed" };
  expect(await request.attempts("read-once"), "8021 once").toMatchObject([
    { ...failed, decision: "retry", category: "infrastructure", rrn: 1, files: [request.input("read-once")] },
    { decision: "done", rrn: 2 },
  ]);
  const always = await request.attempts("read-always");
  expect(always, "8021 at one site").toMatchObject([
    { ...failed, decision: "retry" },
    { ...failed, decision: "stop", why: "site", category: "infrastructure", badFiles: [] },
  ]);
  expect(always[1]?.avoidSites).toEqual([always[1]?.site]);
  const [, elsewhere] = await request.attempts("read-elsewhere");
  expect(elsewhere, "8021 at two sites").toMatchObject({
    ...failed,
    decision: "stop",
    why: "bad-file",
    category: "data",
    badFiles: [request.input("read-elsewhere")],
    rrn: 2,
  });
  // A rescue may move the one, and must leave the other alone.
  const stopped = async (story: string) =>
    existsSync(join(await request.unitDir(story), `${request.node(story)}.stopped`));
  expect([await stopped("read-always"), await stopped("read-elsewhere")]).toEqual([false, true]);
}

async function expectScript(request: MisfortuneRequest): Promise<void> {
  const node = request.node("scripted");
  const dir = await request.unitDir("scripted");
  const [first] = await request.attempts("scripted");
  expect(readFileSync(join(dir, `${node}.${first?.cluster}.recovery.log`), "utf8")).toMatch(
    new RegExp(`^fixing ${node} after 17\n\\[wms2\\] ./fix.sh exit 0, run in .*/payload\n$`),
  );
  const env = readFileSync(join(request.dir, `${node}.script-env`), "utf8");
  expect(env).toMatch(/^WMS2_ATTEMPT_ID=1$/m);
  expect(env).toMatch(/^WMS2_API_URL=http:\/\/\S+:\d+$/m);
  expect(env).toMatch(new RegExp(`^WMS2_OUTPUT_DIR=${dir}$`, "m"));
  const notes = readFileSync(join(dir, "ledger.jsonl"), "utf8").match(/"event":"script"/g);
  expect(notes).toHaveLength(1);
  const post = JSON.parse(readFileSync(join(dir, `${node}.post.json`), "utf8"));
  expect(post).toMatchObject({ node_name: node, final: true, classification: { action: "success" } });
}

/**
 * Four jobs of one unit, three of which fail alike for a reason that will not go away: the fourth is not waited for, and
 * the other unit is none of their business.
 */
export async function failAlike(server: ServerUnderTest, work: string, deadlineSec: number): Promise<void> {
  const name = `alike-${process.pid}`;
  const dir = join(work, name);
  mkdirSync(dir, { recursive: true });
  for (const file of ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"])
    writeFileSync(join(dir, `${file}.txt`), `${file}\n`);
  const script = `case $WMS2_INPUTS in
    */a[123].txt) echo exit_code=8009 >>"$WMS2_STEP_REPORT"; exit 73 ;;
    */a4.txt) sleep 100 ;;
    esac; cat "$WMS2_INPUTS" >out.txt`;
  await server.submit({
    name,
    kind: "process",
    input: { files: join(dir, "*.txt") },
    split: { by: "files", files_per_job: 1 },
    unit: { jobs: 4 },
    steps: [{ name: "fate", run: ["sh", "-c", script] }],
    outputs: [{ name: "all", file: "out.txt", merge: "concat" }],
    resources: { cores: 1, memory: "100 MB", time: "5 min" },
    recovery: { max_rescues: 0 },
  });
  await server.until(name, ["held"], deadlineSec);
  const spool = join(server.dataDir, "spool", name);
  const ledger = readFileSync(join(spool, readdirSync(spool)[0] as string, "mg_000000/ledger.jsonl"), "utf8");
  const lines = ledger
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ decision }) => decision)).toEqual(["done", "stop", "stop", "abort"]);
  expect(lines.at(-1)).toMatchObject({ exitCode: 8009, category: "permanent", why: "group-alike" });
  const { items } = await server.get(`/requests/${name}/outputs`);
  expect(items).toHaveLength(1);
}

/** Submits, prepares, kills what is to be killed, and waits for the end. */
export async function liveThrough(
  server: ServerUnderTest,
  request: MisfortuneRequest,
  more: { killedPost: () => Promise<void>; others?: () => Promise<unknown>; deadlineSec: number },
): Promise<void> {
  await server.submit(request.document());
  await prepare(request);
  await Promise.all([killThePre(request), killThePost(request, more.killedPost), more.others?.()]);
  await server.until(request.name, ["held"], more.deadlineSec);
}
