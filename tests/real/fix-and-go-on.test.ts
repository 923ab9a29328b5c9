import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wms2 } from "../support/cli.ts";
import { ServerUnderTest } from "../support/server.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = new ServerUnderTest();
beforeAll(() => server.start(), 180_000);
afterAll(async () => {
  await server.stop();
  await server.remove();
});

const ask = (...words: string[]) => wms2([...words, "--data-dir", server.dataDir]);
const told = async (...words: string[]): Promise<string> => {
  const answer = await ask(...words);
  expect(answer.code, `${words.join(" ")}: ${answer.stderr}`).toBe(0);
  return answer.stdout + answer.stderr;
};

/** Two files, a unit each; the script fails for the second one until it is corrected. Each run leaves a mark. */
class Work {
  readonly dir: string;
  readonly name: string;
  constructor(name: string) {
    this.name = name;
    this.dir = tempDir("fix");
    mkdirSync(join(this.dir, "data"));
    for (const file of ["one", "two"]) writeFileSync(join(this.dir, "data", `${file}.txt`), `${file}\n`);
    this.script('case $WMS2_INPUTS in *two*) echo "no such column" >&2; exit 1 ;; esac');
    this.request({});
  }
  script(middle: string): void {
    const text = `#!/bin/sh\necho "$WMS2_INPUTS" >>${this.dir}/ran.log\n${middle}\ncp "$WMS2_INPUTS" out.txt\n`;
    writeFileSync(join(this.dir, "do.sh"), text);
    chmodSync(join(this.dir, "do.sh"), 0o755);
  }
  request(over: object): string {
    const document = {
      name: this.name,
      kind: "process",
      input: { files: "data/*.txt" },
      split: { by: "files", files_per_job: 1 },
      unit: { jobs: 1 },
      steps: [{ name: "do", run: "./do.sh" }],
      outputs: [{ name: "out", file: "out.txt", merge: "concat" }],
      recovery: { hold_threshold: 1 },
      ...over,
    };
    writeFileSync(this.file, JSON.stringify(document));
    return this.file;
  }
  get file(): string {
    return join(this.dir, "request.json");
  }
  runsOf(file: string): number {
    return readFileSync(join(this.dir, "ran.log"), "utf8")
      .split("\n")
      .filter((line) => line.includes(file)).length;
  }
}

test("what errors advises can be typed as it stands, with the request's own name", async () => {
  const work = new Work("advised");
  await told("submit", work.file);
  await server.until("advised", ["held"], 90);
  const page = await told("errors", "advised");
  expect(page).toContain("the program failed");
  const commands = [...page.matchAll(/^ *type: wms2 (.*)$/gm)].map((match) => match[1] as string);
  expect(commands).toHaveLength(1);
  for (const command of commands) {
    expect(command).toContain(" advised ");
    // As a shell would split it; FILE and TEXT are for the person to fill in.
    const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
    work.script(":");
    await told(...words.map((word) => ({ FILE: work.file, TEXT: "script fixed" })[word] ?? word));
  }
  await server.until("advised", ["completed"], 90);
  expect(work.runsOf("one")).toBe(1);
}, 240_000);

test("restart --from begins again with the corrected request, shows what differs and links the versions", async () => {
  const work = new Work("wrong");
  await told("submit", work.file);
  await server.until("wrong", ["held"], 90);
  work.script(":");
  work.request({ resources: { memory: "300 MB" }, recovery: { hold_threshold: 0.5 } });
  const words = ["restart", "wrong", "--from", work.file, "--reason", "script fixed"];
  const dry = await told(...words, "--dry-run");
  expect(dry).toMatch(/attachments do.sh: changed: \d+ bytes, executable \(\w{8}\) → /);
  expect(dry).toContain("resources.memoryMb: 2000 → 300");
  expect(dry).toContain("recovery.holdThreshold: 1 → 0.5");
  expect((await server.get("/requests/wrong")).status).toBe("held");
  expect(await told(...words)).toContain("the new version is wrong-v2");
  await server.until("wrong-v2", ["completed"], 90);
  const { items } = await server.get("/requests/wrong-v2/outputs");
  expect(items).toHaveLength(2);
  expect(await server.get("/requests/wrong")).toMatchObject({ status: "failed", superseded_by_request: "wrong-v2" });
  expect(await server.get("/requests/wrong-v2")).toMatchObject({ previous_version_request: "wrong", memory_mb: 300 });
}, 240_000);

test("release --from runs what has not run with the corrected script and command; what is done stays", async () => {
  const work = new Work("halfway");
  await told("submit", work.file);
  await server.until("halfway", ["held"], 90);
  const before = work.runsOf("one.txt");
  expect(before).toBe(1);
  work.request({ split: { by: "files", files_per_job: 2 } });
  const refused = await ask("release", "halfway", "--from", work.file, "--reason", "other work");
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("split.filesPerJob");
  expect(refused.stderr).toContain("wms2 restart halfway --from FILE --reason TEXT");

  work.script('[ "$1" = twice ] || exit 3');
  work.request({ steps: [{ name: "do", run: ["./do.sh", "twice"] }] });
  const said = await told("release", "halfway", "--from", work.file, "--reason", "script fixed");
  expect(said).toContain("attachments do.sh: changed");
  expect(said).toContain('steps[0].argv[1]: nothing → "twice"');
  await server.until("halfway", ["completed"], 90);
  expect(work.runsOf("one.txt")).toBe(before);
  expect((await server.get("/requests/halfway/outputs")).items).toHaveLength(2);
}, 240_000);

test("release --from leaves corrected jobs of a graph to its next version, which runs what failed and keeps the rest", async () => {
  const directory = tempDir("fix-graph");
  const ran = () => readFileSync(join(directory, "ran"), "utf8").trim().split("\n").sort();
  const file = join(directory, "fits.json");
  const write = (script: string, recovery: object) => {
    const jobs = [
      { name: "good", run: ["sh", "-c", "echo good >>ran"] },
      { name: "bad", run: ["sh", "-c", `echo bad >>ran; ${script}`] },
      { name: "last", run: ["sh", "-c", "echo last >>ran"], after: ["good", "bad"] },
    ];
    const graph = { name: "fits", kind: "graph", resources: { memory: "50 MB" }, retries: { job: 0 }, jobs };
    writeFileSync(file, JSON.stringify({ ...graph, recovery: { max_rescues: 0, ...recovery } }));
  };
  write("exit 1", {});
  await told("submit", file);
  await server.until("fits", ["held"], 90);
  expect(await told("errors", "fits")).toMatch(/the next version\s+keeps\s+what\s+is\s+done/);
  write("exit 0", { hold_threshold: 0.9 });
  const refused = await ask("release", "fits", "--from", file, "--reason", "command fixed");
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(/jobs\[1\].argv\[2\].*is for the next version/);
  expect(refused.stderr).toContain("wms2 restart fits --from FILE --reason TEXT, or wms2 run FILE");
  expect(refused.stderr).not.toContain("recovery.holdThreshold");

  await told("restart", "fits", "--from", file, "--reason", "command fixed");
  await server.until("fits-v2", ["completed"], 90);
  expect(ran()).toEqual(["bad", "bad", "good", "last"]);
}, 240_000);
