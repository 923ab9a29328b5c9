import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { NODE, run, type TestStep, TestUnit } from "../../../../tests/support/payload-scratch.ts";

const units: TestUnit[] = [];
afterEach(() => {
  for (const unit of units.splice(0)) unit.remove();
});

const QUICK = { time_scale: 0, memory_scale: 0, size_scale: 0 };
function chain(
  steps: string[],
  options: object,
  nodes: Record<string, Partial<typeof NODE>>,
  how: Record<string, Partial<TestStep>> = {},
) {
  const last = steps.at(-1)?.toLowerCase();
  const full = Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, { ...NODE, ...node }]));
  const unit = new TestUnit(
    steps.map((name) => ({
      name,
      argv: ["wms2/simulate", name],
      env: { WMS2_SIM_OPTIONS: JSON.stringify({ ...QUICK, ...options }) },
      ...how[name],
    })),
    [{ name: "events", file: `${last}.out` }],
    full,
  );
  units.push(unit);
  return unit;
}

const ids = (text: string) =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t")[0]);

describe("the chain", () => {
  test("generates, simulates, filters and merges every event once", async () => {
    const unit = chain(
      ["GEN", "DIGI", "RECO"],
      { filter: { DIGI: 0.5 } },
      {
        proc_000000: { firstEvent: 1, lastEvent: 150, firstLumi: 1, lastLumi: 3, events: 150, seed: 7 },
        proc_000001: { firstEvent: "9007199254740993", lastEvent: "9007199254741042", events: 50, seed: 8 },
      },
    );
    const jobs = [await unit.work("processing", "proc_000000"), await unit.work("processing", "proc_000001")];
    const kept = jobs.map((job) => ids(readFileSync(join(job.dir, "reco.out"), "utf8")));
    expect(jobs[0]!.report.steps).toMatchObject([
      { name: "GEN", exitCode: 0, eventsRead: null, eventsWritten: 150 },
      { name: "DIGI", eventsRead: 150, eventsWritten: kept[0]!.length },
      { name: "RECO", eventsRead: kept[0]!.length, eventsWritten: kept[0]!.length },
    ]);
    expect(kept[0]!.length).toBeGreaterThan(50);
    expect(kept[0]!.length).toBeLessThan(100);
    expect(kept[1]!.every((id) => BigInt(id!) >= 9007199254740993n)).toBe(true);
    const merge = await unit.work("merge", "merge");
    expect(merge.report).toMatchObject({ exitCode: 0, eventsWritten: kept[0]!.length + kept[1]!.length });
    const merged = ids(unit.read("storage/merged/events/mg_000000.csv"));
    expect(new Set(merged).size).toBe(merged.length);
    expect(merged).toEqual(kept.flat());
    const again = await unit.work("processing", "proc_000000");
    expect(again.report.outputs).toEqual(jobs[0]!.report.outputs);
  });

  test.each([
    { GEN: 3, DIGI: 1, RECO: 1 },
    { GEN: 1, DIGI: 4, RECO: 1 },
    { GEN: 2, DIGI: 3, RECO: 5 },
  ])("in several instances the same events, in the same order: %j", async (counts) => {
    const how = Object.fromEntries(
      Object.entries(counts).map(([name, instances]) => [
        name,
        { instances, threads: 1, eventsPerLumi: 50, why: "idle" },
      ]),
    );
    const nodes = { proc_000000: { firstEvent: 1, lastEvent: 150, firstLumi: 1, lastLumi: 3, events: 150, seed: 7 } };
    const whole = await chain(["GEN", "DIGI", "RECO"], {}, nodes).work("processing", "proc_000000");
    const split = await chain(["GEN", "DIGI", "RECO"], {}, nodes, how).work("processing", "proc_000000", {
      WMS2_CORES: "8",
    });
    expect(split.code, split.stderr).toBe(0);
    const lumis = (dir: string) => readFileSync(join(dir, "reco.out"), "utf8").replaceAll(/\t[^\t]*\t[^\t]*$/gm, "");
    expect(lumis(split.dir)).toBe(lumis(whole.dir));
    expect(split.report.steps).toMatchObject(
      Object.entries(counts).map(([name, instances]) => ({ name, instances, eventsWritten: 150 })),
    );
    const sum = (job: typeof split) => readFileSync(`${job.report.outputs[0]!.path}.sum`, "utf8").split(" ").slice(2);
    expect(sum(split)).toEqual(sum(whole));
  });

  test("reads ranges and lumi masks of its own files, lines of any other, and invents what is only a name", async () => {
    const unit = chain(["MINI"], {}, { proc_000000: {}, proc_000001: {}, proc_000002: {}, proc_000003: {} });
    const gen = chain(["GEN"], {}, { proc_000000: { firstEvent: 1, lastEvent: 40, firstLumi: 1, lastLumi: 4 } });
    await gen.work("processing", "proc_000000");
    const own = join(gen.unmerged, "proc_000000.gen.out");
    const csv = unit.write("my input.csv", "a\nb\nc\n");
    const store = "/store/data/x.root";
    const input = (path: string, events: number | null = null) => [{ lfn: path, path, events }];
    const again = chain(
      ["MINI"],
      {},
      {
        proc_000000: { inputs: input(own), firstEvent: 10, lastEvent: 19 },
        proc_000001: {
          inputs: input(own),
          runLumis: {
            "1": [
              [2, 2],
              [4, 9],
            ],
          },
        },
        proc_000002: { inputs: input(csv) },
        proc_000003: { inputs: input(store, 5) },
      },
    );
    const read = async (node: string) =>
      ids(readFileSync(join((await again.work("processing", node)).dir, "mini.out"), "utf8"));
    const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
    expect(await read("proc_000000")).toEqual(numbers(11, 20));
    expect(await read("proc_000001")).toEqual([...numbers(11, 20), ...numbers(31, 40)]);
    expect(await read("proc_000002")).toEqual(["my input.csv#0", "my input.csv#1", "my input.csv#2"]);
    expect(await read("proc_000003")).toHaveLength(5);
  });

  test("burns time and memory as its profile says, at a scale", async () => {
    const unit = chain(
      ["NANO"],
      { time_scale: 0.5, memory_scale: 0.1, size_scale: 0.1 },
      { proc_000000: { events: 60 } },
    );
    const job = await unit.work("processing", "proc_000000", { WMS2_CORES: "2" });
    // 60 events of 0.01 s at half scale; (1200 + 2 · 150) MB and 5 kB an event at a tenth.
    expect(job.report.steps[0]?.cpuSec).toBeGreaterThan(0.1); // it burns until the clock says so; others may too
    expect(job.report.steps[0]?.peakMemoryMb).toBeGreaterThanOrEqual(148);
    expect(job.report.steps[0]?.peakMemoryMb).toBeLessThan(260);
    expect(job.report.outputs[0]?.sizeBytes).toBe(60 * 512);
  });

  test("writes and reports every output of a step that has several", async () => {
    const unit = chain(
      ["RECO"],
      { outputs: { RECO: ["reco_aod.out", "reco_dqmio.out"] } },
      { proc_000000: { events: 10 } },
    );
    const { dir, report } = await unit.work("processing", "proc_000000");
    expect(report).toMatchObject({ exitCode: 0, eventsWritten: 10 });
    for (const file of ["reco_aod.out", "reco_dqmio.out"]) {
      expect(readFileSync(join(dir, file), "utf8")).toBe(readFileSync(join(dir, "reco.out"), "utf8"));
      expect(readFileSync(join(dir, "RECO.fjr.xml"), "utf8")).toContain(`<PFN>${file}</PFN>`);
    }
  });

  test("reports the model instead when asked", async () => {
    const unit = chain(["RECO"], { report_model: true }, { proc_000000: { events: 10 } });
    const job = await unit.work("processing", "proc_000000", { WMS2_CORES: "4" });
    expect(job.report).toMatchObject({ exitCode: 0, peakMemoryMb: 3000 });
    expect(readFileSync(join(job.dir, "RECO.fjr.xml"), "utf8")).toContain('Name="TotalJobCPU" Value="0.300"');
  });
});

describe("failures on demand", () => {
  const node = { firstEvent: 1, lastEvent: 20, events: 20 };
  const of = (
    rule: object,
    nodes: Record<string, Partial<typeof NODE>> = {
      proc_000000: node,
      proc_000001: { ...node, firstEvent: 21, lastEvent: 40 },
    },
  ) => chain(["GEN", "RECO"], { fail: [rule] }, nodes);
  const code = async (unit: TestUnit, name = "proc_000000", env = {}) =>
    (await unit.work("processing", name, env)).report.exitCode;

  test("a long code is in the report, its 8 bits in the status", async () => {
    const job = await of({ step: "RECO", exit_code: 8021 }).work("processing", "proc_000000");
    expect(job.report).toMatchObject({
      exitCode: 8021,
      error: "exit 8021 in step RECO",
      steps: [{ exitCode: 0 }, { status: 85 }],
    });
    expect(await code(of({ exit_code: 5 }))).toBe(5);
  });

  test("a signal, a cut report, too much memory", async () => {
    const killed = await of({ signal: "SIGKILL" }).work("processing", "proc_000000");
    expect(killed.report.steps).toMatchObject([{ signal: 9, status: 137 }]);
    expect(await code(of({ fjr: "truncated" }))).toBe(50115);
    expect(await code(of({ fjr: "empty" }))).toBe(50115);
    const fat = await of({ memory_mb: 300, hold_sec: 0.1 }).work("processing", "proc_000000");
    expect(fat.report).toMatchObject({ exitCode: 8031 });
    expect(fat.report.peakMemoryMb).toBeGreaterThanOrEqual(300);
  });

  test("by node, number, site, event and file", async () => {
    expect([
      await code(of({ exit_code: 3, nodes: "*_000001" })),
      await code(of({ exit_code: 3, nodes: ["x", "proc_00000?"] })),
    ]).toEqual([0, 3]);
    const every = of({ exit_code: 3, every: 2 });
    expect([await code(every), await code(every, "proc_000001")]).toEqual([3, 0]);
    const site = of({ exit_code: 3, site: "T2_XX_*" });
    expect([await code(site), await code(site, "proc_000000", { WMS2_SITE: "T2_XX_Alpha" })]).toEqual([0, 3]);
    const event = of({ exit_code: 3, event: 33 });
    expect([await code(event), await code(event, "proc_000001")]).toEqual([0, 3]);
    const bad = { ...NODE, inputs: [{ lfn: "/store/bad.root", path: "/store/bad.root", events: 3 }] };
    expect(await code(of({ exit_code: 8021, file: "bad" }, { proc_000000: bad }))).toBe(8021);
  });

  test("only the first attempts, counted where all attempts can see it", async () => {
    const unit = of({ step: "RECO", exit_code: 8021, attempts: 2, nodes: "proc_000000" });
    expect([await code(unit), await code(unit), await code(unit), await code(unit, "proc_000001")]).toEqual([
      8021, 8021, 0, 0,
    ]);
    expect(existsSync(join(unit.unmerged, ".sim-proc_000000-RECO"))).toBe(true);
  });

  test("an input that is not there is 8020; a mistake in the options is told", async () => {
    const missing = { ...NODE, inputs: [{ lfn: "/nowhere/x", path: "/nowhere/x", events: 3 }] };
    expect(await code(of({ exit_code: 1, nodes: "none" }, { proc_000000: missing }))).toBe(8020);
    const job = await of({ exitcode: 3 }).work("processing", "proc_000000");
    expect(job.report.exitCode).toBe(90);
    expect(job.stderr).toContain("unknown failure rule key exitcode");
    const unit = of({ exit_code: 1 });
    expect((await run([unit.path("payload/wms2/simulate"), "DANCE"], unit.dir)).stderr).toContain(
      "no profile for step DANCE",
    );
  });
});
