/**
 * scripts/pool against a running pool. The suite starts the pool itself: seconds when it has been installed before.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedDir } from "../support/pool-server.ts";

const project = resolve(import.meta.dirname, "../..");
const pool = join(project, "scripts/pool");
const poolUser = { uid: 1000, gid: 1000 };

type Ended = { code: number; stdout: string; stderr: string };

function run(args: readonly string[], options: { cwd?: string; stdin?: string } = {}): Promise<Ended> {
  return new Promise((done) => {
    const child = execFile(pool, [...args], { cwd: options.cwd ?? project }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      done({ code, stdout, stderr });
    });
    // A command that ends without reading closes its end first: no matter, its exit code is the answer.
    child.stdin?.on("error", () => {}).end(options.stdin ?? "");
  });
}

let dir: string;

beforeAll(async () => {
  const up = await run(["up"]);
  expect(up, up.stderr).toMatchObject({ code: 0 });
  dir = sharedDir("pool-test");
}, 300_000);

afterAll(() => rmSync(dir, { recursive: true, force: true }));

test("exec passes every argument exactly as given", async () => {
  const args = ["two  blanks", "", "'single' \"double\"", "$HOME `id` $(id)", "line\nbreak\n", "*", "-x", "a=b", "\\"];
  const printArgs = "process.stdout.write(JSON.stringify(process.argv.slice(1)))";
  const { stdout } = await run(["exec", process.execPath, "-e", printArgs, "--", ...args]);
  expect(JSON.parse(stdout)).toEqual(args);
});

test("exec passes on the exit code, standard input and the directory", async () => {
  expect(await run(["exec", "sh", "-c", "exit 42"])).toMatchObject({ code: 42 });
  expect(await run(["exec", "cat"], { stdin: "through" })).toMatchObject({ code: 0, stdout: "through" });
  expect(await run(["exec", "pwd"], { cwd: dir })).toMatchObject({ code: 0, stdout: `${dir}\n` });
  expect(await run(["exec", "pwd"], { cwd: "/tmp" })).toMatchObject({ code: 0, stdout: "/tmp\n" });
});

test("exec runs as the pool's user, and as root when asked", async () => {
  const { uid } = JSON.parse((await run(["status", "--json"])).stdout);
  expect((await run(["exec", "id", "-u"])).stdout).toBe(`${uid}\n`);
  expect((await run(["exec", "--root", "id", "-u"])).stdout).toBe("0\n");
});

test("exec refuses a directory that is not visible inside", async () => {
  const ended = await run(["exec", "true"], { cwd: "/usr" });
  expect(ended.code).toBe(5);
  expect(ended.stderr).toContain("WMS2_POOL_SHARE");
});

test("status --json tells what an engine adapter needs", async () => {
  const { code, stdout } = await run(["status", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    up: true,
    pid: expect.any(Number),
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    sites: ["T2_XX_Alpha", "T2_XX_Beta", "T2_XX_Gamma"].map((name) => ({ name, cores: 20, memoryMb: 40960 })),
    ...poolUser,
    logs: expect.any(String),
    prefix: [pool, "exec"],
  });
});

test("a DAG of one node runs to its end at the site it asks for", async () => {
  writeFileSync(join(dir, "one.dag"), "JOB only only.sub\nSCRIPT POST only post.mjs $RETURN\n");
  writeFileSync(
    join(dir, "only.sub"),
    [
      "executable = /bin/true",
      "transfer_executable = false",
      "log = only.log",
      'My.DESIRED_Sites = "T2_XX_Beta"',
      "ulog_execute_attrs = GLIDEIN_CMSSite",
      "queue",
      "",
    ].join("\n"),
  );
  writeFileSync(join(dir, "post.mjs"), "#!/usr/bin/env node\nprocess.exit(Number(process.argv[2]));\n", {
    mode: 0o755,
  });

  const submitted = await run(["exec", "condor_submit_dag", "one.dag"], { cwd: dir });
  expect(submitted, submitted.stderr).toMatchObject({ code: 0 });
  const metrics = join(dir, "one.dag.metrics");
  for (let tries = 0; !existsSync(metrics) && tries < 150; tries++) await sleep(200);

  expect(JSON.parse(readFileSync(metrics, "utf8"))).toMatchObject({ exitcode: 0, DagStatus: 0, jobs_succeeded: 1 });
  expect(readFileSync(join(dir, "only.log"), "utf8")).toContain('GLIDEIN_CMSSite = "T2_XX_Beta"');
}, 35_000);
