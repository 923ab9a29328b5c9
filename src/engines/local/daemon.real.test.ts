import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ensureBuilt } from "../../../tests/support/built.ts";
import { eventually } from "../../../tests/support/eventually.ts";
import type { DagId } from "../../core/names.ts";
import type { Run } from "../../core/run.ts";
import type { Engine } from "../port.ts";
import { isAlive, readHolder } from "../runners/process/proc.ts";
import { makeLocalEngine } from "./local-engine.ts";

/** The engine process: started on demand, one per directory, gone when nobody needs it. */
const ROOT = new URL("../../../", import.meta.url).pathname;
const COMMAND = [process.execPath, join(ROOT, "dist/src/engines/local/daemon.js"), "--idle-sec", "0.3"];
const SITES = [{ name: "here", cores: 2, memoryMb: 1000 }];
let root: string;
let engine: Engine;

beforeAll(() => ensureBuilt(), 120_000);
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "wms2-daemon-"));
  engine = makeLocalEngine({ dir: join(root, "engine"), sites: SITES, daemonCommand: COMMAND });
});
afterEach(async () => {
  await engine.close();
  // Those that lost the race to start are still on their way out.
  await eventually("no engine process is left", () => spawnSync("pgrep", ["-f", root]).status === 1);
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

function lay(script: string): Run {
  const dir = join(root, "run");
  mkdirSync(dir);
  writeFileSync(join(dir, "workflow.dag"), "JOB a a.sub\nJOB b a.sub\nPARENT a CHILD b\n");
  writeFileSync(join(dir, "a.sub"), `executable = ${dir}/a\narguments = $(JOB)\nqueue\n`);
  writeFileSync(join(dir, "a"), `#!/bin/sh\necho "$1" >>${dir}/ran.log\n${script}\n`);
  chmodSync(join(dir, "a"), 0o755);
  return { dagId: "d" as DagId, submitDir: dir, batchName: "wms2-d", engineId: null, priority: 0 };
}
const holder = () => readHolder(join(root, "engine", "lock"));
const ran = (): string => readFileSync(join(root, "run", "ran.log"), "utf8");

test("leaves when nobody asks and nothing runs, and comes back when asked", async () => {
  expect(await engine.ping()).toMatchObject({ ok: true });
  const first = holder();
  expect(first && isAlive(first)).toBe(true);
  await engine.close();
  await eventually("the engine process leaves", () => first && !isAlive(first));
  expect(existsSync(join(root, "engine", "lock"))).toBe(false);
  expect(await engine.ping()).toMatchObject({ ok: true });
});

test("many who start it at once get the same one", async () => {
  const engines = Array.from({ length: 4 }, () =>
    makeLocalEngine({ dir: join(root, "engine"), sites: SITES, daemonCommand: COMMAND }),
  );
  const text = await Promise.all(engines.map(async (each) => (await each.ping()).text));
  expect(new Set(text).size).toBe(1);
  await Promise.all(engines.map((each) => each.close()));
});

test("told to end, it leaves the job to itself; asking again continues the run", async () => {
  const run = lay(`while [ ! -e ${join(root, "go")} ]; do sleep 0.02; done`);
  const submitted = await engine.submit(run, 1);
  const mine = { ...run, engineId: submitted.kind === "submitted" ? submitted.engineId : null };
  await eventually("the job runs", () => existsSync(join(root, "run", "ran.log")));
  const first = holder();
  process.kill(first?.pid ?? Number.NaN, "SIGTERM");
  await eventually("the engine process leaves", () => first && !isAlive(first));
  expect(ran()).toBe("a\n");
  writeFileSync(join(root, "go"), "");
  expect(await engine.find(mine)).toEqual({ kind: "found", engineId: mine.engineId });
  await eventually("the run ends", async () => (await engine.find(mine)).kind === "absent");
  expect(ran()).toBe("a\nb\n");
  expect((await engine.observe([mine])).get(mine.dagId)).toMatchObject({ kind: "ended", verdict: "success" });
});

test("a registry that cannot be read is the world's failure, whatever was asked", async () => {
  const run = lay("true");
  writeFileSync(join(root, "engine", "runs"), "not a directory");
  for (const ask of [() => engine.find(run), () => engine.observe([run]), () => engine.stop(run)]) {
    await expect(ask()).rejects.toMatchObject({ code: "engine-unreachable" });
  }
});

test("an engine that cannot start says why", async () => {
  const broken = makeLocalEngine({
    dir: join(root, "other"),
    sites: SITES,
    daemonCommand: ["/bin/false"],
    timeoutSec: 5,
  });
  expect(await broken.ping()).toMatchObject({ ok: false, text: expect.stringContaining("exit 1") });
  const run = { dagId: "x" as DagId, submitDir: root, batchName: "wms2-x", engineId: null, priority: 0 };
  await expect(broken.submit(run, 1)).rejects.toMatchObject({ code: "engine-unreachable" });
  await broken.close();
});
