import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { eventually } from "../../../../tests/support/eventually.ts";
import { readReport, start, TestUnit } from "../../../../tests/support/payload-scratch.ts";

/** A folder of jobs that run in a directory of their graph, as HTCondor would run them. */
class TestPart extends TestUnit {
  readonly graph = this.path("graph dir");

  constructor(nodes: Record<string, object>, directory?: string) {
    super([], [], {});
    mkdirSync(this.graph);
    const head = { version: 1, request: "req", round: 0, block: 0, sites: [], directory: directory ?? this.graph };
    const lines = Object.entries(head).map(([key, value]) => `"${key}":${JSON.stringify(value)},\n`);
    const rows = Object.entries(nodes).map(([name, node]) => `"${name}":${JSON.stringify({ ...JOB, ...node })}`);
    this.manifest = `{\n${lines.join("")}"nodes":{\n${rows.join(",\n")}\n}\n}\n`;
  }
  in(...parts: string[]): string {
    return join(this.graph, ...parts);
  }
}
const JOB = { name: "a job", argv: ["true"], env: {}, reads: [], makes: [], handlers: [], digest: "d", seed: 7 };
const sh = (script: string, ...args: string[]) => ["sh", "-c", script, "sh", ...args];
const NODE = "job_000007";

const made: TestPart[] = [];
afterEach(() => {
  for (const part of made.splice(0)) part.remove();
});
function part(node: object, directory?: string): TestPart {
  const one = new TestPart({ job_000006: { argv: ["false"] }, [NODE]: node, job_000008: {} }, directory);
  made.push(one);
  return one;
}
const work = (one: TestPart, env: Record<string, string> = {}) => one.work("job", NODE, env);

describe("a job of a graph", () => {
  test("runs its own command in the graph's directory, and tells what it read and made", async () => {
    const p = part({
      name: 'train "0.1" é',
      argv: sh('cat in.txt >out/a.txt; env >out/env; pwd >out/pwd; printf "%s\\n" "$@"', "a b", "$(touch owned)"),
      env: { MODE: "x y" },
      reads: ["in.txt"],
      makes: ["out/a.txt", "out/env", "deep/er/"],
    });
    writeFileSync(p.in("in.txt"), "hello\n");
    utimesSync(p.in("in.txt"), 1_700_000_000, 1_700_000_000.25);
    mkdirSync(p.in("deep/er"), { recursive: true });
    const job = await work(p, { WMS2_CLUSTER: "12" });
    expect(job).toMatchObject({ code: 0, stdout: "a b\n$(touch owned)\n" });
    expect(readFileSync(p.in("out/pwd"), "utf8")).toBe(`${p.graph}\n`);
    const env = readFileSync(p.in("out/env"), "utf8");
    for (const line of [
      'WMS2_JOB=train "0.1" é',
      "WMS2_NODE=job_000007",
      "WMS2_UNIT=job_000007",
      "WMS2_SEED=7",
      "MODE=x y",
    ])
      expect(env.split("\n")).toContain(line);
    const { size, mtimeNs } = statSync(p.in("out/a.txt"), { bigint: true });
    expect(job.report).toMatchObject({
      state: "finished",
      role: "job",
      node: NODE,
      unit: NODE,
      cluster: 12,
      exitCode: 0,
      steps: [{ name: "job", status: 0 }],
      reads: [{ path: "in.txt", sizeBytes: 6, mtime: 1_700_000_000.25 }],
      makes: [
        { path: "out/a.txt", sizeBytes: Number(size), mtime: Number(mtimeNs / 1000n) / 1e6 },
        { path: "out/env" },
        { path: "deep/er/" },
      ],
    });
    expect(existsSync(p.in("owned"))).toBe(false);
  });

  test("tells what is in its files where contents are to be compared; a directory has none", async () => {
    const reads = ["a b.txt", "folder", 'é "1".txt', "empty"];
    const p = part({ argv: sh("cat *.txt >out"), reads, makes: ["out"] });
    p.manifest = p.manifest.replace('"nodes":', '"changes":"contents",\n"nodes":');
    mkdirSync(p.in("folder"));
    for (const file of reads.filter((name) => name !== "folder"))
      writeFileSync(p.in(file), file === "empty" ? "" : "123456789");
    const nine = "cksum:930766865"; // the check value of POSIX's CRC
    expect((await work(p)).report).toMatchObject({
      exitCode: 0,
      reads: [
        { checksum: nine },
        expect.not.objectContaining({ checksum: expect.anything() }),
        { checksum: nine },
        { path: "empty", checksum: "cksum:4294967295" },
      ],
      makes: [{ path: "out", sizeBytes: 18, checksum: expect.stringMatching(/^cksum:\d+$/) }],
    });
  });

  test("what it says is kept as it is, each stream in its own file", async () => {
    const job = await work(part({ argv: sh("printf out; printf err >&2") }));
    expect(job).toMatchObject({ code: 0, stdout: "out", stderr: "err" });
  });

  test("thousands of files cost no more processes than one, and have any name", async () => {
    const makes = [
      "line\nbreak",
      'quote"back\\slash',
      "-n",
      "*",
      "é😀",
      ...range(3000).map((index) => `many/${index}`),
    ];
    const p = part({ argv: sh('for f; do : >"./$f"; done', ...makes), makes });
    const job = await work(p);
    expect(job.code).toBe(0);
    expect(filesOf(job.report.makes).map(({ path }) => path)).toEqual(makes);
    expect(filesOf(job.report.makes).every(({ sizeBytes, mtime }) => sizeBytes === 0 && mtime > 1e9)).toBe(true);
  });
});

interface ToldFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly mtime: number;
}
const filesOf = (told: unknown) => told as ToldFile[];
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("a job that fails", () => {
  test("by its own code, which is told with the end of what it said", async () => {
    const job = await work(part({ argv: sh("echo reason; exit 3"), makes: ["never"] }));
    expect(job.code).toBe(3);
    expect(job.report).toMatchObject({ exitCode: 3, error: expect.stringContaining("exit 3"), makes: [] });
    expect(job.stderr).toMatch(/nothing to stderr; the end of its stdout:\nreason\n/);
  });

  test("for what it did not make, by name", async () => {
    const job = await work(part({ argv: sh(": >b"), makes: ["a", "b", "c/d"] }));
    expect(job.code).toBe(1);
    expect(job.report).toMatchObject({
      exitCode: 60302,
      error: "the job ended well and did not make a and 1 more of what it was to make",
      makes: [{ path: "b" }],
    });
  });

  test("where the graph's directory is not to be seen, with a code that sends it elsewhere", async () => {
    const job = await work(part({}, "/nonexistent/here"));
    expect(job.report).toMatchObject({
      exitCode: 50117,
      error: expect.stringMatching(/not there .*: \/nonexistent\/here;/),
    });
    const file = part({});
    const p = part({}, file.write("plain", ""));
    expect((await work(p)).report.exitCode).toBe(50117);
  });

  test.each([
    ["a program that is not there", { argv: ["./no-such-program"] }, 127, /no-such-program/],
    ["no command at all", { argv: [] }, 127, /no command/],
    ["a variable of a name that none can have", { env: { "a=b": "x" } }, 126, /not a variable name/],
    ["a place where nothing can be made", { makes: ["/proc/no/where"] }, 60307, /cannot make the directory/],
  ])("for %s", async (_, node, code, error) => {
    const job = await work(part(node));
    expect(job.report).toMatchObject({ exitCode: code, error: expect.stringMatching(error) });
  });

  test("when the manifest has no such job, or no directory", async () => {
    const gone = await part({}).work("job", "job_000999");
    expect(gone.report).toMatchObject({ exitCode: 50113, error: "manifest.json has no node job_000999" });
    const nowhere = await work(part({}, "not/absolute"));
    expect(nowhere.report).toMatchObject({ exitCode: 50113, error: expect.stringMatching(/no directory/) });
  });

  test("by a signal, and when it is asked to stop", async () => {
    const killed = await work(part({ argv: sh("kill -9 $$") }));
    expect(killed.report).toMatchObject({ exitCode: 137, error: expect.stringMatching(/signal 9/) });
    const p = part({ argv: sh(": >begun; sleep 60") });
    const dir = p.job();
    const running = start(["./condor_exec.exe", "job", NODE], dir);
    await eventually("the job has begun", () => existsSync(p.in("begun")));
    process.kill(running.pid, "SIGTERM");
    await running.ended;
    expect(readReport(dir)).toMatchObject({ exitCode: 143, error: expect.stringMatching(/stopped by SIGTERM/) });
  });
});

test("of a job that never stops talking the beginning and the end are kept", async () => {
  const bytes = 30_000_000;
  const job = await work(part({ argv: sh(`echo first; head -c ${bytes} /dev/zero; echo; echo last; exit 4`) }));
  expect(job.stdout.length).toBeLessThan(1_001_000);
  expect(job.stdout).toMatch(/^first\n/);
  expect(job.stdout).toMatch(/last\n$/);
  expect(job.stdout).toContain(`wms2: ${bytes + 12 - 1_000_000} bytes of stdout are left out here`);
});

test("an input that is not there is not told, and is for the job to miss", async () => {
  const p = part({ argv: sh("exit 0"), reads: ["gone.txt"] });
  const job = await work(p);
  expect(job.report).toMatchObject({ exitCode: 0, reads: [], makes: [] });
});
