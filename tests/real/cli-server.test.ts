import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CliAnswer, wms2 } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { ServerUnderTest } from "../support/server.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = new ServerUnderTest({ "lifecycle.lease_sec": 3 });
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  await server.remove();
});

const cli = (...words: string[]): Promise<CliAnswer> => wms2([...words, "--data-dir", server.dataDir]);

/** A request over two small files; `script` is what its one step runs. */
function requestFile(name: string, script = 'cat $(cat "$WMS2_INPUT_LIST") > out.txt\n'): string {
  const folder = tempDir("request");
  mkdirSync(join(folder, "data"));
  for (const file of ["a", "b"]) writeFileSync(join(folder, "data", `${file}.txt`), `${file}1\n${file}2\n`);
  writeFileSync(join(folder, "work.sh"), `#!/bin/sh\n${script}`, { mode: 0o755 });
  const text = `name: ${name}
kind: process
input: { files: "data/*.txt", events_per_file: lines }
split: { by: files, files_per_job: 1 }
steps: [{ name: work, run: ./work.sh }]
outputs: [{ name: out, file: out.txt, merge: concat }]
resources: { cores: 1, memory: 100 MB, time: 5 min, disk: 10 MB }
`;
  writeFileSync(join(folder, "request.yaml"), text);
  return join(folder, "request.yaml");
}

describe("a request from the command line", () => {
  test("is submitted, watched, shown, and its outputs are found", async () => {
    const submitted = await cli("submit", requestFile("cli-story"));
    expect(submitted).toMatchObject({ code: 0, stdout: "cli-story\n" });
    expect(submitted.stderr).toContain("wms2 watch cli-story");

    const watched = await cli("watch", "cli-story", "--interval", "0.2");
    expect(watched.code).toBe(0);
    expect(watched.stdout.trim().split("\n").at(-1)).toMatch(/cli-story {2}completed {2}1\/1 units, 5\/5 jobs/);
    expect(watched.stderr).toContain("cli-story completed: 1/1 units");

    const shown = await cli("show", "cli-story");
    expect(shown.stdout).toMatch(/^cli-story {2}completed .*ago/);
    expect(shown.stdout).toContain("active → completed");

    const listed = JSON.parse((await cli("list", "--json")).stdout);
    expect(listed.items[0]).toMatchObject({ request_name: "cli-story", status: "completed" });
    expect(listed.items[0].progress).toMatchObject({ done: 1, total: 1, percent: 100 });
    expect((await cli("list", "--status", "held")).stderr).toContain("no request matches");

    const paths = (await cli("outputs", "cli-story", "--paths")).stdout.trim().split("\n");
    expect(paths.map((path) => readFileSync(path, "utf8")).join("")).toBe("a1\na2\nb1\nb2\n");

    const nodes = JSON.parse((await cli("nodes", "cli-story", "--json")).stdout);
    expect(nodes.by_state).toEqual({ done: 5 });
    const logs = await cli("logs", "cli-story", "--unit", "mg_000000", "--node", "proc_000000");
    expect(logs.stdout).toMatch(/==> .*proc_000000\.\d+\.err/);
  });

  test("whose jobs write terminal sequences: no command passes them on, and JSON keeps them escaped", async () => {
    const words = "\\033]0;owned\\007\\033[31mred\\033[0m\\302\\2332Jend";
    await cli(
      "submit",
      requestFile("cli-bold", `printf '${words}\\n' >&2\nexit 42\n`),
      "--set",
      "retries.processing=0",
    );
    await server.until("cli-bold", ["held"], 60);
    const of = ["--unit", "mg_000000", "--node", "proc_000000"];
    const colored = (...more: string[]) => wms2([...more, "--data-dir", server.dataDir], { env: { FORCE_COLOR: "1" } });
    const logs = await colored("logs", "cli-bold", ...of);
    expect(logs.stdout).toContain("\u001b[1m==> ");
    expect(logs.stdout).toContain("\nredend\n");
    const json = (await cli("logs", "cli-bold", ...of, "--json")).stdout;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(json).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(JSON.stringify(JSON.parse(json))).toContain("\\u001b]0;owned\\u0007");
  });

  test("that fails for good ends held, and watch says so with 3", async () => {
    const answer = await cli(
      "submit",
      requestFile("cli-held", "exit 42\n"),
      "--watch",
      "--set",
      "retries.processing=0",
    );
    expect(answer.stderr).toMatch(/cli-held is held: /);
    expect(answer.code).toBe(3);
    const shown = await cli("show", "cli-held");
    expect(shown.stdout).toMatch(/held {8}\S+: /);
    expect(shown.stdout).toContain("you may");
    const failed = await cli("nodes", "cli-held", "--failed");
    expect(failed.stdout).toMatch(/proc_00000\d +failed/);

    const aborted = await cli("abort", "cli-held", "--reason", "seen enough");
    expect(aborted.code).toBe(0);
    expect((await cli("watch", "cli-held", "--interval", "0.2")).code).toBe(3);
    expect((await cli("priority", "cli-held", "5")).code).toBe(3);
  });

  test("can be checked without being stored", async () => {
    const answer = await cli("submit", requestFile("cli-dry"), "--dry-run");
    expect(answer).toMatchObject({ code: 0, stdout: "" });
    expect((await cli("show", "cli-dry")).code).toBe(4);
  });

  test("names and fields may be changed on the way", async () => {
    const file = requestFile("cli-name");
    const answer = await cli("submit", file, "--name", "cli-other", "--set", "priority=7", "--json");
    expect(JSON.parse(answer.stdout)).toMatchObject({ request_name: "cli-other", priority: 7 });
    const twice = await cli("submit", file, "--name", "cli-other");
    expect(twice.code).toBe(3);
    expect(twice.stderr).toContain("there is a request cli-other already");
    await cli("watch", "cli-other", "--interval", "0.2");
  });
});

describe("operators", () => {
  test("change the limits and read the queue", async () => {
    const queue = await cli("queue", "--max-active", "12", "--json");
    expect(JSON.parse(queue.stdout)).toMatchObject({ max_active_dags: 12 });
    expect((await cli("queue", "--max-active", "many")).code).toBe(2);
  });

  test("take a site out of use and back in", async () => {
    const name = JSON.parse((await cli("sites", "--json")).stdout).items[0].name;
    expect((await cli("sites", "drain", name, "--reason", "disks move")).stderr).toContain("is drained");
    expect((await cli("sites")).stdout).toMatch(/draining .*disks move/);
    expect((await cli("sites", "enable", name)).code).toBe(0);
    expect((await cli("sites", "drain", "nowhere")).code).toBe(4);
  });

  test("ask the doctor, who asks the server", async () => {
    const answer = await cli("doctor", "--json");
    const report = JSON.parse(answer.stdout);
    expect(answer.code).toBe(0);
    expect(report.ok).toBe(true);
    expect(report.checks.find(({ what }: { what: string }) => what === "database").message).toContain(
      "through the server",
    );
  });

  test("and he looks at the directories the server has, not at those of the settings here", async () => {
    const answer = await cli("doctor", "--json", "--set", "spool_dir=/proc/nowhere");
    const { checks } = JSON.parse(answer.stdout);
    const spool = checks.find(({ what }: { what: string }) => what === "spool");
    expect(spool).toMatchObject({ result: "ok", message: expect.stringContaining(join(server.dataDir, "spool")) });
    expect(answer.code).toBe(0);
  });
});

test("watching goes on over a restart of the server", async () => {
  const go = join(tempDir("restart"), "go");
  const wait = `while [ ! -e ${go} ]; do sleep 0.1; done`;
  const file = requestFile("cli-restart", `${wait}\ncat $(cat "$WMS2_INPUT_LIST") > out.txt\n`);
  await cli("submit", file);
  const heard: string[] = [];
  let restarted: Promise<void> | null = null;
  const restart = async () => {
    await server.kill();
    await eventually("watch says that nobody answers", () => heard.at(-1)?.includes("no answer from") === true);
    await server.start();
    writeFileSync(go, "");
  };
  const answer = await wms2(["watch", "cli-restart", "--interval", "0.2", "--data-dir", server.dataDir], {
    onOutput: (text) => {
      heard.push(text);
      if (text.includes("active") && !restarted) restarted = restart();
    },
  });
  await restarted;
  expect(answer.stderr).toContain("no answer from");
  expect(answer.stderr).toContain("the server answers again");
  expect(answer.stderr).toMatch(/another one than before, or was started again: on \S+ since /);
  expect(answer.code).toBe(0);
});

test("a second server on the same data directory is refused, naming the owner", async () => {
  const answer = await wms2(["serve", "--data-dir", server.dataDir, "--port", "0"]);
  expect(answer.code).toBe(6);
  expect(answer.stderr).toContain(String(server.pid));
  expect(answer.stderr).toContain("--data-dir");
});

test("serve ends in order at the first signal", async () => {
  const dataDir = tempDir("serve");
  let asked = false;
  const answer = await wms2(["serve", "--data-dir", dataDir, "--port", "0", "--set", "log.level=warn"], {
    onOutput: (text, kill) => {
      if (!asked && text.includes("listening")) {
        asked = true;
        kill("SIGINT");
      }
    },
  });
  expect(answer.code).toBe(0);
  expect(answer.stderr).toContain("operator.token");
  expect(existsSync(join(dataDir, "operator.token"))).toBe(true);
});

test("serve ends in bounded time when its engine hangs, and says what it did not wait for", async () => {
  const away = join(tempDir("engine"), "away.sh");
  writeFileSync(
    away,
    '#!/bin/sh\ncase " $* " in *condor_version*) echo "$CondorVersion: 23.9.6 $"; exit 0 ;; esac\nexec sleep 60\n',
    { mode: 0o755 },
  );
  const hung = new ServerUnderTest({ "engine.kind": "dagman", "engine.dagman.prefix": [away], "log.level": "info" });
  try {
    await hung.start();
    await hung.submit({
      name: "waits",
      kind: "generate",
      events: 10,
      steps: [{ name: "s", run: ["true"] }],
      outputs: [{ name: "o", file: "o" }],
    });
    await eventually("it is being planned", () => hung.log().includes("plan: round 0"));
    const begun = Date.now();
    await hung.stop();
    expect(Date.now() - begun).toBeLessThan(12_000);
    expect(hung.log()).toContain("without waiting for the pass under way any longer");
  } finally {
    await hung.kill();
    await hung.remove();
  }
});
