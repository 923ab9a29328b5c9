import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../support/built.ts";
import { wms2 } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { ServerUnderTest } from "../support/server.ts";
import { Terminal } from "../support/terminal.ts";

const main = resolve(import.meta.dirname, "../../dist/src/cli/main.js");
const server = new ServerUnderTest();
const top = (columns: number, rows: number, env = {}) =>
  new Terminal(`node ${main} top --data-dir ${server.dataDir} --interval 0.2`, columns, rows, env);
let terminal: Terminal | null = null;

beforeAll(async () => {
  await ensureBuilt();
  await server.start();
  for (const name of ["long-muons", "long-taus"]) await server.submit(request(name));
  await server.until("long-muons", ["active"], 100);
}, 120_000);
afterAll(async () => {
  terminal?.kill();
  await server.stop();
  await server.remove();
});

/** Runs until somebody stops it. */
function request(name: string): unknown {
  const folder = join(server.dataDir, "inputs", name);
  mkdirSync(join(folder, "data"), { recursive: true });
  writeFileSync(join(folder, "data", "a.txt"), "a\n");
  return {
    name,
    kind: "process",
    input: { files: join(folder, "data", "*.txt"), events_per_file: "lines" },
    split: { by: "files", files_per_job: 1 },
    unit: { jobs: 1 },
    steps: [{ name: "work", run: ["sleep", "600"] }],
    outputs: [{ name: "out", file: "out.txt", merge: "concat" }],
    resources: { cores: 1, memory: "100 MB", time: "20 min", disk: "10 MB" },
  };
}

test("an operator filters, holds a request after a look at what that does, and leaves the terminal as it was", async () => {
  terminal = top(80, 24);
  await terminal.shows(/▸ long-\w+ +active/);
  terminal.type("/muons");
  await terminal.shows("1 shown");
  expect(terminal.screen).not.toContain("long-taus");
  terminal.type("\rh");
  await terminal.shows(/long-muons +active +would/);
  terminal.type("look at the outputs\r");
  await terminal.shows("hold: 1 request: 1 done");
  await server.until("long-muons", ["held"]);
  await terminal.shows(/▸ long-muons +held/);
  terminal.type("\r");
  await terminal.shows("held by operator: look at the outputs");
  terminal.type("\u001b");
  await terminal.shows(/▸ long-muons/);
  terminal.type("q");
  await terminal.ended;
  expect(terminal.output).toContain("exit 0");
  expect(terminal.output).toMatch(/\[\?25h.*\[\?1049l/);
  expect(terminal.isRestored).toBe(true);
});

test("a server that goes away is told of, and its numbers are back when it is", async () => {
  terminal = top(100, 30, { NO_COLOR: "1" });
  await terminal.shows("long-taus");
  await server.kill();
  await terminal.shows("NO ANSWER");
  expect(terminal.screen).toContain("long-taus");
  await server.start();
  await terminal.shows(/UTC · /);
  expect(terminal.output).not.toMatch(/\[3\dm/);
  terminal.type("\u0003");
  await terminal.ended;
  expect(terminal.isRestored).toBe(true);
});

test("a signal ends it, and the terminal is as it was", async () => {
  const command = `node ${main} top --data-dir ${server.dataDir} & echo "pid $!"; fg > /dev/null`;
  terminal = new Terminal(`set -m; ${command}`, 300, 80);
  const own = terminal;
  await own.shows("long-taus");
  const pid = await eventually("its pid", async () => /pid (\d+)/.exec(own.output)?.[1]);
  process.kill(Number(pid), "SIGTERM");
  await own.ended;
  expect(own.output).toMatch(/\[\?1049l/);
  expect(own.isRestored).toBe(true);
});

test("without a terminal everything is printed once; JSON is for programs and elsewhere", async () => {
  const text = await wms2(["top", "--data-dir", server.dataDir]);
  expect(text).toMatchObject({ code: 0 });
  expect(text.stdout).toMatch(/requests:\n.*NAME.*\n(.*\n)* *long-taus +active/);
  const json = await wms2(["top", "--json", "--data-dir", server.dataDir]);
  expect(json.code).toBe(2);
  expect(json.stderr).toContain("wms2 list --json");
});
