import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventually } from "../../../../tests/support/eventually.ts";
import { run, SHELL, start } from "../../../../tests/support/payload-scratch.ts";
import { A, HITS, sh, unit } from "../../../../tests/support/working-unit.ts";

const SPLIT = { instances: 3, threads: 2, why: "12 % of its cores were busy" };
/** What a step does that makes events: a line each. */
const MAKE =
  'seq "$WMS2_FIRST_EVENT" "$WMS2_LAST_EVENT" >hits.csv; echo events_written=$WMS2_EVENTS >>$WMS2_STEP_REPORT';
/** And one that reads them: an event a line, from 0; without a last one, to the end. */
const READ =
  'end=$; [ -z "$WMS2_LAST_EVENT" ] || end=$((WMS2_LAST_EVENT + 1)); sed -n "$((WMS2_FIRST_EVENT + 1)),$end"p';
const lines = (...parts: string[]) =>
  readFileSync(join(...parts), "utf8")
    .split("\n")
    .slice(0, -1);
const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => String(first + at));

describe("a step that runs in several instances", () => {
  test("makes each event once, in order, and says so", async () => {
    const u = unit([{ ...sh(MAKE), ...SPLIT }], [HITS], {
      proc_000000: { firstEvent: 11, lastEvent: 20, events: 10, firstLumi: 7, lastLumi: 7 },
    });
    const job = await u.work("processing", "proc_000000");
    expect(job.code, job.stderr).toBe(0);
    expect(lines(u.unmerged, "proc_000000.hits.csv")).toEqual(numbers(11, 20));
    expect(job.report).toMatchObject({ eventsWritten: 10, steps: [{ instances: 3, eventsWritten: 10, exitCode: 0 }] });
    expect(job.stdout).toContain(
      "wms2: step select runs in 3 instances at once, of 2 threads each: 12 % of its cores were busy",
    );
  });

  test("each has its place, its range, its lumis and its luck", async () => {
    const script = 'env | grep ^WMS2_ >hits.csv; ls >>hits.csv; echo "in $PWD"; cat given.txt';
    const u = unit([{ ...sh(script), ...SPLIT, eventsPerLumi: 4 }], [HITS], {
      proc_000000: { firstEvent: 101, lastEvent: 118, events: 18, firstLumi: 5, lastLumi: 9, seed: 42 },
    });
    u.write("payload/given.txt", "given\n");
    const job = await u.work("processing", "proc_000000", { WMS2_CORES: "6" });
    expect(job.code, job.stderr).toBe(0);
    const text = lines(u.unmerged, "proc_000000.hits.csv");
    const all = (name: string) => text.filter((line) => line.startsWith(`${name}=`)).map((line) => line.split("=")[1]);
    expect(all("WMS2_INSTANCE")).toEqual(["1", "2", "3"]);
    expect(all("WMS2_INSTANCES")).toEqual(["3", "3", "3"]);
    expect(all("WMS2_FIRST_EVENT")).toEqual(["101", "105", "113"]);
    expect(all("WMS2_LAST_EVENT")).toEqual(["104", "112", "118"]);
    expect(all("WMS2_EVENTS")).toEqual(["4", "8", "6"]);
    expect(all("WMS2_FIRST_LUMI")).toEqual(["5", "6", "8"]);
    expect(all("WMS2_LAST_LUMI")).toEqual(["5", "7", "9"]);
    expect(all("WMS2_THREADS")).toEqual(["2", "2", "2"]);
    expect(new Set(all("WMS2_SEED")).size).toBe(3);
    expect(text.filter((line) => line === "given.txt")).toHaveLength(3);
    expect(job.stdout.match(/^in .*$/gm)).toHaveLength(3);
    expect(new Set(job.stdout.match(/^in .*$/gm)).size).toBe(3);
    expect(readlinkSync(join(job.dir, ".wms2.step-0.1/given.txt"))).toBe(join(job.dir, "given.txt"));
  });

  test("the last one reads to the end of the files, however many events they turn out to have", async () => {
    const u = unit([{ ...sh(`${READ} "$WMS2_INPUTS" >hits.csv`), ...SPLIT }], [HITS], { proc_000000: {} });
    const path = u.write("data/a.csv", `${numbers(1, 12).join("\n")}\n`);
    u.manifest = u.manifest.replace('"inputs":[]', `"inputs":[{"lfn":"/a","path":"${path}","events":10}]`);
    u.manifest = u.manifest.replace('"events":null', '"events":10');
    const job = await u.work("processing", "proc_000000");
    expect(job.code, job.stderr).toBe(0);
    expect(lines(u.unmerged, "proc_000000.hits.csv")).toEqual(numbers(1, 12));
  });

  test("a later step has the events that the step before it wrote", async () => {
    const first = "seq 1 7 >made.csv; echo events_written=7 >>$WMS2_STEP_REPORT";
    const second = `${READ} made.csv >hits.csv; echo events_read=$WMS2_EVENTS >>$WMS2_STEP_REPORT`;
    const u = unit(
      [sh(first, "make"), { ...sh(second), ...SPLIT }],
      [{ name: "made", file: "made.csv", keep: false }, HITS],
      { proc_000000: { firstEvent: 500, lastEvent: 599, events: 100 } },
    );
    const job = await u.work("processing", "proc_000000");
    expect(job.code, job.stderr).toBe(0);
    expect(lines(u.unmerged, "proc_000000.hits.csv")).toEqual(numbers(1, 7));
    expect(job.report.steps).toMatchObject([{ instances: 1 }, { instances: 3, eventsRead: 7 }]);
  });

  test("parts are joined by the command that merges", async () => {
    const mergeArgv = ["sh", "-c", 'tac $(tac "$WMS2_INPUT_LIST") >"$WMS2_OUTPUT"'];
    const u = unit(
      [{ ...sh(MAKE), ...SPLIT }, sh('cat "$WMS2_INPUT_LIST" >list.csv', "after")],
      [{ ...HITS, merge: "command", mergeArgv }],
      { proc_000000: { inputs: [A], firstEvent: 1, lastEvent: 9, events: 9 } },
    );
    const job = await u.work("processing", "proc_000000");
    expect(job.code, job.stderr).toBe(0);
    expect(lines(u.unmerged, "proc_000000.hits.csv")).toEqual(numbers(1, 9).reverse());
    expect(job.report.steps.map(({ name }) => name)).toEqual(["select", "after"]);
    expect(job.report.eventsWritten).toBe(9);
    expect(lines(job.dir, "list.csv")).toEqual([A.path]);
  });

  test("only a probe runs as probes do, and its report says that it is one", async () => {
    const node = { firstEvent: 1, lastEvent: 9, events: 9 };
    const u = unit([{ ...sh(MAKE), probeInstances: 2, probeThreads: 1 }], [HITS], {
      proc_000000: { ...node, probe: 2000 },
      proc_000001: node,
    });
    const [probe, other] = [await u.work("processing", "proc_000000"), await u.work("processing", "proc_000001")];
    expect(probe.report).toMatchObject({ exitCode: 0, probe: true, steps: [{ instances: 2, threads: 1 }] });
    expect(probe.stdout).toContain("runs in 2 instances at once, of 1 threads each: this job is a probe");
    expect(other.report).toMatchObject({ exitCode: 0, steps: [{ instances: 1 }] });
    expect(other.report.probe).toBeUndefined();
    expect(lines(u.unmerged, "proc_000000.hits.csv")).toEqual(numbers(1, 9));
  });

  test("a probe that was killed and got more memory does its work as others do", async () => {
    const node = { firstEvent: 1, lastEvent: 9, events: 9, probe: 2000 };
    const u = unit([{ ...sh(MAKE), probeInstances: 2, probeThreads: 1 }], [HITS], { proc_000000: node });
    const { report } = await u.work("processing", "proc_000000", { WMS2_MEMORY_MB: "3000" });
    expect(report).toMatchObject({ exitCode: 0, steps: [{ instances: 1 }] });
    expect(report.probe).toBeUndefined();
  });

  test.each<[string, object, string]>([
    ["picked lumis", { inputs: [A], events: 100, runLumis: { "1": [[1, 2]] } }, "it reads picked lumis"],
    ["events nobody counted", { inputs: [A] }, "nobody counted its events"],
    ["a single event", { firstEvent: 4, lastEvent: 4, events: 1 }, "it has 1 events"],
    [
      "several lumis of unknown size",
      { firstEvent: 1, lastEvent: 9, firstLumi: 1, lastLumi: 2 },
      "number of events per lumi unknown",
    ],
  ])("not with %s", async (_story, node, obstacle) => {
    const u = unit([{ ...sh("echo $WMS2_INSTANCE >hits.csv"), ...SPLIT }], [HITS], { proc_000000: node });
    const job = await u.work("processing", "proc_000000");
    expect(job.report).toMatchObject({ exitCode: 0, steps: [{ instances: 1 }] });
    expect(job.stdout).toContain(`runs in one: ${obstacle}`);
    expect(lines(u.unmerged, "proc_000000.hits.csv")).toEqual([""]);
  });
});

describe("when an instance fails", () => {
  const node = { proc_000000: { firstEvent: 1, lastEvent: 9, events: 9 } };

  test("the first of them speaks for the step", async () => {
    const script =
      "echo out $WMS2_INSTANCE; echo err $WMS2_INSTANCE >&2; [ $WMS2_INSTANCE = 1 ] || exit $((60 + WMS2_INSTANCE))";
    const job = await unit([{ ...sh(script), ...SPLIT }], [], node).work("processing", "proc_000000");
    expect(job.code).toBe(62);
    expect(job.report).toMatchObject({ exitCode: 62, error: "exit 62 in step select (instance 2 of 3)" });
    expect(job.stderr).toContain("err 1\nerr 2\nerr 3\n");
  });

  test("a signal is told from an exit code like it", async () => {
    const kill = await unit([{ ...sh("[ $WMS2_INSTANCE != 3 ] || kill -9 $$"), ...SPLIT }], [], node).work(
      "processing",
      "proc_000000",
    );
    expect(kill.report).toMatchObject({ exitCode: 137, steps: [{ signal: 9, status: 137 }] });
    const exit = await unit([{ ...sh("[ $WMS2_INSTANCE != 3 ] || exit 137"), ...SPLIT }], [], node).work(
      "processing",
      "proc_000000",
    );
    expect(exit.report).toMatchObject({ exitCode: 137, steps: [{ signal: null }] });
  });

  test("an output that one of them did not leave is missed", async () => {
    const script = "[ $WMS2_INSTANCE = 2 ] || echo >hits.csv";
    const job = await unit([{ ...sh(script), ...SPLIT }], [HITS], node).work("processing", "proc_000000");
    expect(job.report).toMatchObject({
      exitCode: 60302,
      error: "step select: only 2 of its 3 instances left hits.csv",
    });
  });

  test("SIGTERM reaches all of them", async () => {
    const u = unit([{ ...sh('echo $$ >"$WMS2_MANIFEST.$WMS2_INSTANCE"; exec sleep 100'), ...SPLIT }], [], node);
    const dir = u.job();
    const job = start([...SHELL, "./condor_exec.exe", "processing", "proc_000000"], dir);
    const pids = await eventually("all three run", () => {
      const names = [1, 2, 3].map((at) => join(dir, `.wms2.step-0.${at}`, `manifest.json.${at}`));
      const found = names.map((name) => (existsSync(name) ? Number(readFileSync(name, "utf8")) : 0));
      return found.every((pid) => pid > 0) && found;
    });
    process.kill(job.pid, "SIGTERM");
    const { code } = await job.ended;
    expect(code).toBe(143);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow();
    expect(readdirSync(dir)).toContain("report.json");
  });
});

test("ranges are a partition of the events, by whole lumis where these move", async () => {
  const script = readFileSync(new URL("./instances.sh", import.meta.url), "utf8");
  const cases = fc.record({
    base: fc.nat(2 ** 40),
    total: fc.integer({ min: 1, max: 100_000 }),
    grain: fc.integer({ min: 1, max: 500 }),
    wanted: fc.integer({ min: 2, max: 64 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(cases, { minLength: 20, maxLength: 50 }), async (all) => {
      const calls = all.map(
        ({ base, total, grain, wanted }) =>
          `first_event=${base} last_event=$((${base} + ${total} - 1)) first_lumi=10 last_lumi=$((10 + (${total} - 1) / ${grain}))
           events_per_lumi=${grain} instances=${wanted} why=x threads=
           plan_instances 0 >/dev/null; echo case; at=1
           while [ $at -le $instances ]; do first_lumi=10; take_range $at; echo $first_event $last_event $events $first_lumi $last_lumi; at=$((at + 1)); done`,
      );
      const head = `is_number() { case $1 in '' | *[!0-9]*) return 1 ;; esac; }\nrun_lumis= inputs= seed=1\n${script}\n`;
      const { stdout, stderr } = await run(
        [...(SHELL.length > 0 ? SHELL : ["sh"]), "-c", `${head}${calls.join("\n")}`],
        "/",
      );
      expect(stderr).toBe("");
      const found = stdout.split("case\n").slice(1);
      for (const [at, { base, total, grain, wanted }] of all.entries()) {
        const rows = found[at]!.trim()
          .split("\n")
          .map((line) => line.split(" ").map(Number));
        const lumis = Math.ceil(total / grain);
        const count = lumis > 1 ? Math.min(wanted, lumis) : Math.min(wanted, total);
        if (count === 1) continue; // one instance has no range of its own
        expect(rows).toHaveLength(count);
        let next = base;
        for (const [first, last, events, firstLumi, lastLumi] of rows) {
          expect([first, last! - first! + 1]).toEqual([next, events]);
          expect(events).toBeGreaterThan(0);
          if (lumis > 1) {
            expect((first! - base) % grain).toBe(0);
            expect([firstLumi, lastLumi]).toEqual([
              10 + (first! - base) / grain,
              10 + Math.floor((last! - base) / grain),
            ]);
          }
          next = last! + 1;
        }
        expect(next).toBe(base + total);
      }
    }),
    { numRuns: 8 },
  );
});
