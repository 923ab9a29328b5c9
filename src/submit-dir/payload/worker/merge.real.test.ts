import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { NODE, run, type TestOutput, TestUnit } from "../../../../tests/support/payload-scratch.ts";

const units: TestUnit[] = [];
afterEach(() => {
  for (const unit of units.splice(0)) unit.remove();
});

const input = (lfn: string) => ({ lfn, path: lfn, events: 10 });
const NODES = {
  proc_000000: { ...NODE, inputs: [input("/data/a b.csv"), input("/data/shared.csv")], events: 20 },
  proc_000001: { ...NODE, inputs: [input("/data/shared.csv")], events: 10 },
  proc_000002: { ...NODE, inputs: [input('/data/"c".csv')], events: 10 },
};
const HITS: TestOutput = { name: "hits", file: "my hits.csv" };

/** A unit whose three jobs have run; each wrote two lines and says how many events it wrote, unless silent. */
async function finishedUnit(outputs: TestOutput[], { silent = false } = {}) {
  const say = silent ? "" : "echo events_written=2 >$WMS2_STEP_REPORT;";
  const script = `${say} for f; do printf '%s\\n%s\\n' "$WMS2_NODE" "$f" >"$f"; done`;
  const unit = new TestUnit(
    [{ name: "select", argv: ["sh", "-c", script, "sh", ...outputs.map((output) => output.file)] }],
    outputs,
    NODES,
  );
  units.push(unit);
  const jobs = await Promise.all(Object.keys(NODES).map((node) => unit.work("processing", node)));
  expect(jobs.map((job) => job.code)).toEqual([0, 0, 0]);
  const merged = (name: string) => unit.path("storage/merged", name, "mg_000000.csv");
  const result = (dir: string) => JSON.parse(readFileSync(join(dir, "merge_output.json"), "utf8"));
  return { unit, merged, result };
}

const WHOLE = ["proc_000000", "proc_000001", "proc_000002"].map((node) => `${node}\nmy hits.csv\n`).join("");
const PARENTS = ["/data/a b.csv", "/data/shared.csv", '/data/"c".csv'];

/** As Rucio and DBS know a file. */
function adler32(text: string): string {
  let [a, b] = [1, 0];
  for (const byte of Buffer.from(text)) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return (b * 65536 + a).toString(16).padStart(8, "0");
}

describe("merge", () => {
  test("concatenates in node order and says what came of it", async () => {
    const { unit, merged, result } = await finishedUnit([HITS]);
    const job = await unit.work("merge", "merge", { WMS2_SITE: "T2_XX_Alpha" });
    expect(job).toMatchObject({ code: 0, report: { role: "merge", exitCode: 0, eventsWritten: 6 } });
    expect(readFileSync(merged("hits"), "utf8")).toBe(WHOLE);
    expect(result(job.dir)).toEqual({
      version: 1,
      unit: "mg_000000",
      block: 0,
      site: "T2_XX_Alpha",
      events: 6,
      outputs: [
        {
          output: "hits",
          dataset: "/req/hits",
          lfn: "/lfn/hits/mg_000000.csv",
          path: merged("hits"),
          sizeBytes: WHOLE.length,
          checksum: expect.stringMatching(/^cksum:\d+$/),
          events: 6,
          parents: PARENTS,
          adler32: adler32(WHOLE),
        },
      ],
    });
    expect(readFileSync(join(job.dir, "merge_output.json"), "utf8").endsWith("\n]}\n")).toBe(true);
  });

  test("POST finds in it what was planned, without starting Node", async () => {
    const { unit } = await finishedUnit([
      HITS,
      { ...HITS, name: "pieces", merge: "none" },
      { name: "log", file: "run.log", keep: false },
      {
        ...HITS,
        name: "by-command",
        merge: "command",
        mergeArgv: ["sh", "-c", 'cat $1 >"$WMS2_OUTPUT"; : ","dataset":"x'],
      },
    ]);
    const { dir } = await unit.work("merge", "merge", { WMS2_SITE: "T2_XX_Alpha" });
    const look = (site: string) =>
      run(["awk", "-v", `site=${site}`, "-f", unit.path("bin/outputs.awk"), "manifest.json", "merge_output.json"], dir);
    const told = JSON.parse(readFileSync(join(dir, "merge_output.json"), "utf8"));
    expect(told.outputs).toHaveLength(5);
    expect(await look('"T2_XX_Alpha"')).toMatchObject({
      code: 0,
      stdout: told.outputs.map(({ path }: { path: string }) => `${path}\n`).join(""),
    });
    expect((await look('"T2_XX_Beta"')).code).toBe(1);
  });

  test("again, after a crash: the same file, the same words, no litter", async () => {
    const { unit, merged, result } = await finishedUnit([HITS]);
    const first = await unit.work("merge", "merge");
    const { ino, mtimeMs } = statSync(merged("hits"));
    const second = await unit.work("merge", "merge");
    expect(second.code).toBe(0);
    expect(result(second.dir)).toEqual(result(first.dir));
    expect(readFileSync(merged("hits"), "utf8")).toBe(WHOLE);
    expect(readdirSync(unit.path("storage/merged/hits"))).toEqual(["mg_000000.csv"]);
    expect(statSync(merged("hits"))).toMatchObject({ ino, mtimeMs });
  });

  /** A merge program that never writes the same twice, as those with a time or a UUID in their files. */
  const RESTLESS: TestOutput = {
    ...HITS,
    merge: "command",
    mergeArgv: ["sh", "-c", 'cat /proc/sys/kernel/random/uuid >"$WMS2_OUTPUT"'],
  };

  test("what an attempt left that never came to its end is replaced", async () => {
    const { unit, merged } = await finishedUnit([RESTLESS]);
    await unit.work("merge", "merge");
    rmSync(join(unit.unmerged, ".merged"));
    const before = readFileSync(merged("hits"), "utf8");
    expect((await unit.work("merge", "merge")).report).toMatchObject({ exitCode: 0 });
    expect(readFileSync(merged("hits"), "utf8")).not.toBe(before);
  });

  test.each([
    ["a finished merge", () => undefined],
    [
      "a unit that was cleaned up and run again",
      (dir: string) => ["merged", "placing"].map((n) => rmSync(join(dir, `.${n}`))),
    ],
  ])("the file of %s is never replaced by another", async (_what, spoil) => {
    const { unit, merged } = await finishedUnit([RESTLESS]);
    await unit.work("merge", "merge");
    spoil(unit.unmerged);
    const before = readFileSync(merged("hits"), "utf8");
    const job = await unit.work("merge", "merge");
    expect(job).toMatchObject({
      code: 1,
      report: { exitCode: 70319, error: expect.stringContaining("may be registered") },
    });
    expect(readFileSync(merged("hits"), "utf8")).toBe(before);
    expect(readdirSync(unit.path("storage/merged/hits"))).toEqual(["mg_000000.csv"]);
  });

  test("jobs that count no events did what was planned; the file's own number is unknown", async () => {
    const { unit, result } = await finishedUnit([HITS], { silent: true });
    const job = await unit.work("merge", "merge");
    expect(result(job.dir)).toMatchObject({ events: 40, outputs: [{ events: null }] });
  });

  test.each([
    ["a piece is missing", (dir: string) => rmSync(join(dir, "proc_000001.my hits.csv")), "missing"],
    ["a sum is missing", (dir: string) => rmSync(join(dir, "proc_000001.my hits.csv.sum")), "missing"],
    [
      "a piece was changed",
      (dir: string) => writeFileSync(join(dir, "proc_000001.my hits.csv"), "proc_000009\nmy hits.csv\n"),
      "its job wrote",
    ],
    ["a piece is shorter", (dir: string) => writeFileSync(join(dir, "proc_000001.my hits.csv"), "proc"), "has 4 bytes"],
    [
      "a sum is garbage",
      (dir: string) => writeFileSync(join(dir, "proc_000001.my hits.csv.sum"), "\n"),
      "its job wrote",
    ],
    ["the directory is gone", (dir: string) => rmSync(dir, { recursive: true }), "missing"],
  ])("refuses when %s, and leaves no result", async (_what, spoil, words) => {
    const { unit, merged } = await finishedUnit([HITS]);
    spoil(unit.unmerged);
    const job = await unit.work("merge", "merge");
    expect(job).toMatchObject({ code: 1, report: { state: "finished", exitCode: 70318 } });
    expect(job.report.error).toContain(words);
    expect(existsSync(merged("hits"))).toBe(false);
    // HTCondor would hold the job if the file were not there at all.
    expect(readFileSync(join(job.dir, "merge_output.json"), "utf8")).toBe("");
  });

  test("a command gets the pieces and the name to write", async () => {
    const script =
      'sort "$@" $(true) >/dev/null; while IFS= read -r f; do cat "$f"; done <"$WMS2_INPUT_LIST" | sort >"$WMS2_OUTPUT"; printf %s "$WMS2_INPUTS" | wc -l';
    const { unit, merged, result } = await finishedUnit([
      { ...HITS, merge: "command", mergeArgv: ["sh", "-c", script, "sh", "/dev/null"] },
    ]);
    const job = await unit.work("merge", "merge");
    expect(job.code).toBe(0);
    expect(readFileSync(merged("hits"), "utf8")).toBe(
      `${"my hits.csv\n".repeat(3)}proc_000000\nproc_000001\nproc_000002\n`,
    );
    expect(result(job.dir)).toMatchObject({
      events: 6,
      outputs: [{ events: 6, sizeBytes: WHOLE.length, parents: PARENTS }],
    });
    expect(readFileSync(join(job.dir, "merge-hits.stdout.log"), "utf8").trim()).toBe("2");
    expect(job.report.steps).toMatchObject([{ name: "merge-hits", exitCode: 0 }]);
  });

  test.each([
    ["fails", "echo no license >&2; exit 17", 17, 17],
    ["writes nothing", "true", 60302, 1],
    ["is killed", 'echo x >"$WMS2_OUTPUT"; kill -9 $$', 137, 137],
  ])("a command that %s fails the merge", async (_what, script, exitCode, code) => {
    const { unit, merged } = await finishedUnit([{ ...HITS, merge: "command", mergeArgv: ["sh", "-c", script] }]);
    const job = await unit.work("merge", "merge");
    expect(job).toMatchObject({ code, report: { exitCode } });
    expect(existsSync(merged("hits"))).toBe(false);
    expect(readdirSync(unit.path("storage/merged/hits"))).toEqual([]);
  });

  test("none puts every job's file into the directory, with its own parents", async () => {
    const { unit, result } = await finishedUnit([{ ...HITS, merge: "none", path: "/replaced" }]);
    const directory = unit.path("storage/merged/all hits");
    unit.manifest = unit.manifest.replace('"/replaced"', JSON.stringify(directory));
    const job = await unit.work("merge", "merge");
    expect(job.report).toMatchObject({ exitCode: 0 });
    expect(readdirSync(directory).sort()).toEqual(Object.keys(NODES).map((node) => `${node}.my hits.csv`));
    expect((await unit.work("merge", "merge")).report).toMatchObject({ exitCode: 0 });
    writeFileSync(join(directory, "proc_000001.my hits.csv"), "somebody's\n");
    expect((await unit.work("merge", "merge")).report).toMatchObject({ exitCode: 70319 });
    expect(result(job.dir).outputs).toMatchObject([
      { lfn: "/lfn/hits/mg_000000.csv/proc_000000.my hits.csv", parents: PARENTS.slice(0, 2), events: 2 },
      { path: join(directory, "proc_000001.my hits.csv"), parents: ["/data/shared.csv"] },
      { parents: ['/data/"c".csv'] },
    ]);
  });

  test("several outputs are merged each its own way; one that is not kept is left out", async () => {
    const { unit, merged, result } = await finishedUnit([
      HITS,
      { name: "log", file: "log.txt", keep: false },
      {
        name: "plots",
        file: "plots.txt",
        merge: "command",
        mergeArgv: ["sh", "-c", 'cat $WMS2_INPUTS | wc -l >"$WMS2_OUTPUT"'],
      },
    ]);
    const job = await unit.work("merge", "merge");
    expect(result(job.dir).outputs.map((output: { output: string }) => output.output)).toEqual(["hits", "plots"]);
    expect(readFileSync(merged("plots"), "utf8").trim()).toBe("6");
    expect(result(job.dir).events).toBe(6);
  });

  test("a place that cannot be written is 60307", async () => {
    const { unit, merged } = await finishedUnit([HITS]);
    unit.write("storage/merged", "a file in the way");
    expect((await unit.work("merge", "merge")).report).toMatchObject({
      exitCode: 60307,
      error: expect.stringMatching(/Not a directory|File exists/),
    });
    rmSync(unit.path("storage/merged"));
    mkdirSync(merged("hits"), { recursive: true });
    expect((await unit.work("merge", "merge")).report).toMatchObject({
      exitCode: 60307,
      error: expect.stringContaining("is a directory"),
    });
  });
});

describe("cleanup", () => {
  test("removes the unit's pieces once the merged file is there, and again without harm", async () => {
    const { unit, merged } = await finishedUnit([HITS]);
    await unit.work("merge", "merge");
    expect((await unit.work("cleanup", "cleanup")).code).toBe(0);
    expect(readdirSync(unit.path("storage/unmerged/req"))).toEqual([]);
    expect(readFileSync(merged("hits"), "utf8")).toBe(WHOLE);
    expect((await unit.work("cleanup", "cleanup")).report).toMatchObject({ exitCode: 0 });
  });

  test.each([
    ["it was never merged", () => undefined, false, "no record of a merge"],
    ["the merged file is gone", (path: string) => rmSync(path), true, "is not there with its"],
    ["the merged file is shorter", (path: string) => writeFileSync(path, "x"), true, "is not there with its"],
  ])("removes nothing when %s", async (_what, spoil, merge, words) => {
    const { unit, merged } = await finishedUnit([HITS]);
    if (merge) await unit.work("merge", "merge");
    const before = readdirSync(unit.unmerged);
    spoil(merged("hits"));
    const job = await unit.work("cleanup", "cleanup");
    expect(job).toMatchObject({ code: 1, report: { exitCode: 70318, error: expect.stringContaining(words) } });
    expect(readdirSync(unit.unmerged)).toEqual(before);
  });

  test("an attempt that was cut short is finished by the next", async () => {
    const { unit } = await finishedUnit([HITS]);
    mkdirSync(`${unit.unmerged}.gone/left`, { recursive: true });
    rmSync(unit.unmerged, { recursive: true });
    expect((await unit.work("cleanup", "cleanup")).code).toBe(0);
    expect(readdirSync(unit.path("storage/unmerged/req"))).toEqual([]);
  });
});
