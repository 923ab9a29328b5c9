import { chmodSync, existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wms2 } from "../support/cli.ts";
import { removeData } from "../support/remove-data.ts";
import { ServerUnderTest } from "../support/server.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = new ServerUnderTest();
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
});

const file = (name: string, text: string): string => {
  const path = join(tempDir("cli"), name);
  writeFileSync(path, text);
  return path;
};
const GENERATE =
  "name: cli-errors\nkind: generate\nevents: 100\nsplit: { by: events, events_per_job: 50 }\npayload: simulator\n";

test("no server: 6, and how to start one", async () => {
  const answer = await wms2(["list", "--server", "http://127.0.0.1:59999"]);
  expect(answer).toMatchObject({ code: 6, stdout: "" });
  expect(answer.stderr).toBe(
    "wms2: no answer from the server at http://127.0.0.1:59999: connect ECONNREFUSED 127.0.0.1:59999\ntry:  start it with: wms2 serve\n",
  );
});

test("something else than a wms2 server, or no address at all", async () => {
  const answer = await wms2(["list", "--server", `${server.url}/elsewhere`]);
  expect(answer.code).not.toBe(0);
  expect((await wms2(["list", "--server", "not an address"])).code).toBe(2);
});

test("a wrong or unreadable token: 5; reading needs none", async () => {
  const token = file("token", "wrong\n");
  const words = ["submit", file("r.yaml", GENERATE), "--server", server.url];
  const answer = await wms2([...words, "--token-file", token]);
  expect(answer.code).toBe(5);
  expect(answer.stderr).toContain("this token is not known here");
  expect((await wms2([...words, "--token-file", "/nowhere"])).code).toBe(5);
  expect((await wms2(words, { env: { WMS2_TOKEN: "wrong", WMS2_DATA_DIR: tempDir("none") } })).code).toBe(5);
  expect((await wms2(["list", "--server", server.url, "--data-dir", tempDir("none")])).code).toBe(0);
});

test.each(["show", "watch", "outputs", "nodes", "logs"])("%s of an unknown request: 4", async (command) => {
  const answer = await wms2([command, "nobody", "--data-dir", server.dataDir]);
  expect(answer).toMatchObject({ code: 4, stdout: "" });
  expect(answer.stderr).toContain("there is no request nobody");
  expect(answer.stderr).toContain("wms2 list");
});

test("all problems of a bad request at once: 2", async () => {
  const bad = file("bad.yaml", `${GENERATE}color: blue\nresources: { memory: 500 }\n`.replace("100", "-3"));
  const answer = await wms2(["submit", bad, "--data-dir", server.dataDir]);
  expect(answer).toMatchObject({ code: 2, stdout: "" });
  for (const words of ["3 problems", "events", "color", "resources.memory", "try:"])
    expect(answer.stderr).toContain(words);
  expect((await wms2(["plan", bad])).stderr).toContain("3 problems");
});

test.each([
  ["a file that is not there", ["submit", "/nowhere.yaml"]],
  ["a file that is no YAML", ["submit", "README.md"]],
  ["an unknown command", ["sumbit"]],
  ["an unknown option", ["list", "--color"]],
  ["an unknown status", ["list", "--status", "happy"]],
  ["an unknown setting", ["serve", "--set", "listen.prot=1"]],
  ["a bad setting", ["serve", "--set", "listen.port=high"]],
  ["no name", ["watch"]],
])("bad usage: %s: 2", async (_name, words) => {
  const answer = await wms2([...words, "--data-dir", server.dataDir]);
  expect(answer.code).toBe(2);
  expect(answer.stderr).toMatch(/^wms2: /);
  expect(answer.stderr).toMatch(/try: |\(Did you mean|see --help/);
  expect(answer.stderr).not.toMatch(/\n {4}at /);
});

test("--debug shows where an error came from", async () => {
  const answer = await wms2(["list", "--server", "http://127.0.0.1:59999", "--debug"]);
  expect(answer.stderr).toMatch(/\n {4}at .*\ncaused by: /s);
});

test("help has examples and exit codes; nothing is colored in a pipe", async () => {
  const root = await wms2(["--help"]);
  expect(root).toMatchObject({ code: 0, stderr: "" });
  expect(root.stdout).toContain("Exit codes:");
  const names = [...root.stdout.matchAll(/^ {2}([a-z]+)(?= [[<]| {2})/gm)].map((match) => match[1] ?? "");
  expect(names).toEqual(expect.arrayContaining(["serve", "submit", "list", "show", "watch", "plan", "doctor", "demo"]));
  for (const name of ["submit", "watch", "plan", "doctor", "demo"])
    expect((await wms2([name, "--help"])).stdout, name).toContain("Examples:");
  expect(root.stdout).not.toContain("\u001b");
});

test("plan works without a server and says the same every time", async () => {
  const request = file("r.yaml", GENERATE);
  const first = await wms2(["plan", request, "--json"]);
  expect(first.code).toBe(0);
  const plan = JSON.parse(first.stdout);
  expect(plan.summary).toMatchObject({ units: 1, events: 100, nodes_by_role: { processing: 2 } });
  expect(plan.units[0].nodes.map((node: { first_event: number }) => node.first_event)).toEqual([1, 51]);
  expect((await wms2(["plan", request, "--json"])).stdout).toBe(first.stdout);
  const list = file(
    "files.json",
    JSON.stringify([
      { lfn: "/a", size: 10, events: 5 },
      { lfn: "/b", size: 10, events: 5 },
    ]),
  );
  const process = file(
    "p.yaml",
    'name: p\nkind: process\ninput: { files: "/no/*" }\nsteps: [{ name: s, run: [cat] }]\noutputs: [{ name: o, file: o }]\n',
  );
  const planned = await wms2(["plan", process, "--files", list]);
  expect(planned.stdout).toMatch(/input {7}2 files, 10 events/);
  expect(await wms2(["plan", process])).toMatchObject({ code: 2 });
});

test("config show tells each value, where it came from, and no secrets", async () => {
  const env = { WMS2_LISTEN_PORT: "9999", WMS2_DATABASE_URL: "postgres://u:secret@h/d" };
  const { stdout } = await wms2(["config", "show", "--json"], { env });
  const { settings } = JSON.parse(stdout);
  expect(settings).toContainEqual(expect.objectContaining({ key: "listen.port", value: 9999, source: "environment" }));
  expect(stdout).not.toContain("secret");
});

test("serve --engine dagman without HTCondor refuses at once, with the way out", async () => {
  const dataDir = join(tempDir("no-condor"), "data");
  const answer = await wms2(["serve", "--engine", "dagman", "--data-dir", dataDir, "--port", "0"], {
    env: { PATH: "/nowhere" },
  });
  expect(answer.code).toBe(2);
  expect(answer.stderr).toContain("there is no condor_submit_dag on the PATH");
  expect(answer.stderr).toContain("npm run pool -- up");
  expect(answer.stderr).toContain("--engine local");
  expect(existsSync(dataDir)).toBe(false);
});

test("a fresh data directory is closed to others, and the server says what is unsafe", async () => {
  const dataDir = join(tempDir("fresh"), "data");
  const serve = (...more: string[]) =>
    wms2(["serve", "--data-dir", dataDir, "--port", "0", ...more], {
      onOutput: (text, kill) => void (text.includes("  token ") && kill("SIGTERM")),
    });
  const first = await serve();
  const modes = [dataDir, join(dataDir, "operator.token")].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
  expect(first.stderr).not.toContain("others may");
  expect(first.stderr.includes("every job is root")).toBe(process.getuid?.() === 0);

  chmodSync(dataDir, 0o755);
  chmodSync(join(dataDir, "operator.token"), 0o644);
  const { stderr } = await serve("--host", "0.0.0.0");
  expect(stderr).toContain(`warning: others may look into the data directory ${dataDir}`);
  expect(stderr).toContain("warning: others may read the operator token");
  expect(stderr).toContain("warning: 0.0.0.0 is reached by plain HTTP");
  await removeData(dataDir);
});

test("doctor: a spool that cannot be written fails with 6 and how to fix it", async () => {
  const answer = await wms2(["doctor", "--data-dir", tempDir("doctor"), "--set", "spool_dir=/proc/nowhere"]);
  expect(answer.code).toBe(6);
  expect(answer.stdout).toMatch(/FAIL spool .*\n +fix: /);
});
