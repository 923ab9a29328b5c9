import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SIZING_LIMITS } from "../../../tests/support/sample-metrics.ts";
import type { Sample } from "../../core/metrics.ts";
import { joinMetrics, type MeasuredJob, summariseJobs } from "./metrics.ts";
import { readReport } from "./read-report.ts";
import { joinSamples, median, p90, sampleOf } from "./sample.ts";
import { memoryBeyondLimit, resizeMemory, type SizingFacts, sizeJobs } from "./size.ts";
import { killsThatTeach } from "./step-memory.ts";
import { memoryModel } from "./thread-model.ts";

const ASKED = { cores: 4, memoryMb: 8000, wallMinutes: 480, diskMb: 2000, eventsPerJob: 1000 };

const job = (change: Partial<MeasuredJob["steps"][number]> = {}): MeasuredJob => {
  const step = {
    name: "RECO",
    wallSec: 1000,
    cpuSec: 3600,
    threads: 4,
    instances: 1,
    memoryMb: 2000,
    events: 500,
    startSec: 100,
  };
  const one = { ...step, memorySource: "framework" as const, ...change };
  const { wallSec, memoryMb, events } = one;
  return { steps: [one], wallSec, memoryMb, events, diskMb: 300, outputBytes: 50_000 };
};
const of = (jobs: readonly MeasuredJob[], more: Partial<SizingFacts> = {}): SizingFacts => ({
  asked: ASKED,
  before: null,
  metrics: summariseJobs(jobs),
  killedAtMb: null,
  saidMb: null,
  isRoundOver: false,
  ...more,
});
const many = (count: number, change: (at: number) => Parameters<typeof job>[0] = () => ({})) =>
  Array.from({ length: count }, (_, at) => job(change(at)));

describe("what a round asks for", () => {
  test("before enough was measured, what the request says", () => {
    expect(sizeJobs(of([]), SIZING_LIMITS)).toMatchObject({
      memoryMb: { value: 8000, why: "the request says so" },
      eventsPerJob: { value: 1000, why: "nothing was measured yet: as the request says" },
    });
    expect(sizeJobs(of(many(4)), SIZING_LIMITS).cores.why).toBe("only 4 of 5 jobs were measured: as the request says");
  });

  test("afterwards what was measured and a fifth more, with its reason", () => {
    const { memoryMb, cores, eventsPerJob, wallMinutes, diskMb } = sizeJobs(of(many(42)), SIZING_LIMITS);
    expect(memoryMb).toEqual({
      value: 2400,
      why: "measured 2000 MB median over 42 jobs of 500 events (RECO, by framework) × 1.2",
    });
    expect(cores).toEqual({ value: 4, why: "3.6 of 4 cores were busy over 42 jobs" });
    // 1.8 s an event fill 8 h with 15,944; a first measurement may be wrong, and memory may grow with events.
    expect(eventsPerJob).toEqual({
      value: 1250,
      why: "1.80 s an event over 42 jobs, 480 minutes a job; at most 1250 until jobs of other lengths show what their memory does",
    });
    expect(wallMinutes).toEqual({ value: 60, why: "1250 events of 1.80 s (p90) × 1.5; at least 60 minutes" });
    expect(diskMb).toEqual({ value: 2000, why: "measured 300 MB at most over 42 jobs × 1.2" });
  });

  test.each<[string, Partial<SizingFacts>, readonly MeasuredJob[], number]>([
    ["a skewed step is sized by its p90", {}, many(20, (at) => ({ memoryMb: at < 15 ? 2000 : 4000 })), 4800],
    ["a cgroup knows better", {}, many(10, () => ({ memoryMb: 3000, memorySource: "cgroup" })), 3600],
    ["what was killed needed more", { killedAtMb: 3000 }, many(10), 4500],
    ["once measured it does not shrink", { before: { ...ASKED, memoryMb: 4000, isMeasured: true } }, many(10), 4000],
    ["what was only asked for does", { before: { ...ASKED, isMeasured: false } }, many(10), 2400],
    ["what was killed and came to its end since is measured", { killedAtMb: 1900 }, many(10), 2400],
    ["few jobs, soon of more events: above the most", {}, many(10, (at) => ({ memoryMb: at ? 2000 : 2300 })), 2657],
    ["many: less above it", {}, many(100, (at) => ({ memoryMb: at % 20 ? 2000 : 2300 })), 2536],
    ["one that stands alone is retried", {}, many(10, (at) => ({ memoryMb: at ? 2000 : 6000 })), 2400],
    ["of few nobody can tell which stands alone", {}, many(9, (at) => ({ memoryMb: at ? 2000 : 4000 })), 4621],
    ["what others were killed with", { killedAtMb: 2500 }, many(20, (at) => ({ memoryMb: at ? 2000 : 6000 })), 2400],
    ["a little more is no change", { before: { ...ASKED, memoryMb: 2300, isMeasured: true } }, many(10), 2300],
    ["the window has a floor", {}, many(10, () => ({ memoryMb: 100 })), 2000],
    ["and a ceiling", {}, many(10, () => ({ memoryMb: 20_000 })), 12_000],
  ])("%s", (_story, more, jobs, value) => expect(sizeJobs(of(jobs, more), SIZING_LIMITS).memoryMb.value).toBe(value));

  test.each<[string, number, number, number]>([
    ["one busy core of four", 1000, 2000, 1],
    ["two", 2100, 2000, 2],
    ["one, but its memory takes two", 1000, 4000, 2],
    ["all of them, and never more than asked for", 9000, 2000, 4],
  ])("cores: %s", (_story, cpuSec, memoryMb, value) => {
    expect(sizeJobs(of(many(10, () => ({ cpuSec, memoryMb }))), SIZING_LIMITS).cores.value).toBe(value);
  });
});

test("with fewer cores: first what many took, then what few do, however the many were killed; and cores stay", () => {
  const wide = many(10, () => ({ memoryMb: 4000, cpuSec: 1800 }));
  const first = sizeJobs(of(wide), SIZING_LIMITS);
  expect([first.cores.value, first.memoryMb.value]).toEqual([2, 4800]);
  const narrow = many(10, () => ({ memoryMb: 3000, cpuSec: 1000, threads: 2 }));
  const before = { ...ASKED, cores: 2, memoryMb: 4800, isMeasured: false };
  const second = sizeJobs(of([...wide, ...narrow], { before, killedAtMb: 3500 }), SIZING_LIMITS);
  expect(second.cores).toEqual({ value: 2, why: "decided once, as before" });
  expect(second.memoryMb).toEqual({
    value: 3600,
    why: "measured 3000 MB median over 10 jobs of 500 events (RECO with 2 threads) × 1.2",
  });
});

test.each<[string, Parameters<typeof killsThatTeach>[0], number | null]>([
  ["all jobs of a round", [{ jobsSampled: 20, killedAtMb: 1500, killedJobs: 20 }], 1500],
  ["one of many", [{ jobsSampled: 20, killedAtMb: 1500, killedJobs: 1 }], null],
  ["one of few", [{ jobsSampled: 5, killedAtMb: 1500, killedJobs: 1 }], 1500],
  ["nobody counted them", [{ jobsSampled: 500, killedAtMb: 1500 }], 1500],
  [
    "many with little, and one with much in another round",
    [
      { jobsSampled: 20, killedAtMb: 1500, killedJobs: 20 },
      { jobsSampled: 500, killedAtMb: 6000, killedJobs: 3 },
    ],
    1500,
  ],
])("kills that say something of other jobs: %s", (_story, rounds, atMb) =>
  expect(killsThatTeach(rounds).killedAtMb).toBe(atMb),
);

test("cores stay once it was seen how busy they are, whether or not memory was measured with as many", () => {
  const before = { ...ASKED, isMeasured: false, areCoresDecided: true };
  const { cores } = sizeJobs(
    of(
      many(10, () => ({ cpuSec: 1000 })),
      { before },
    ),
    SIZING_LIMITS,
  );
  expect(cores).toEqual({ value: 4, why: "decided once, as before" });
});

describe("few jobs", () => {
  test("count once their round is over: there will be no more", () => {
    const { memoryMb, eventsPerJob } = sizeJobs(of(many(2), { isRoundOver: true }), SIZING_LIMITS);
    expect(memoryMb).toMatchObject({ value: 2400, why: expect.stringContaining("over 2 jobs of 500 events") });
    expect(memoryMb.why).toContain("; of so few jobs: up to one in 3 may take more than all of them");
    expect(eventsPerJob?.value).toBe(1250);
  });

  test.each<[string, Partial<SizingFacts>, number, number | null]>([
    ["too few while it runs", {}, 4, null],
    ["enough", {}, 5, 2400],
    ["what it has already", { before: { ...ASKED, memoryMb: 2400, isMeasured: true } }, 5, null],
    ["not less than before, once measured", { before: { ...ASKED, memoryMb: 3000, isMeasured: true } }, 5, null],
    ["more than jobs were killed with", { killedAtMb: 2000 }, 5, 3000],
  ])("units that have not begun: %s", (_story, more, count, value) => {
    const before = { ...ASKED, isMeasured: false };
    expect(resizeMemory(of(many(count), { before, ...more }), SIZING_LIMITS)?.value ?? null).toBe(value);
  });
});

test.each<[string, number, Partial<SizingFacts>, object | null]>([
  ["within the window", 9000, {}, null],
  ["within it but for the margin", 11_900, {}, null],
  ["beyond it on all its cores", 12_100, {}, { neededMb: 12_100, mostMb: 12_000 }],
  ["beyond it, and an operator knows better", 12_100, { saidMb: 12_000 }, null],
])("what jobs need is %s", (_story, memoryMb, more, beyond) => {
  const found = memoryBeyondLimit(
    of(
      many(10, () => ({ memoryMb })),
      more,
    ),
    SIZING_LIMITS,
  );
  if (beyond === null) expect(found).toBeNull();
  else expect(found).toMatchObject(beyond);
});

test("slow events: few in a job, and never more than end in time", () => {
  const slow = of(many(10, () => ({ wallSec: 36_000, events: 10, startSec: 0 })));
  // An hour each: 8 fill the target; of the least of 100, 31 would end in time.
  expect(sizeJobs(slow, SIZING_LIMITS).eventsPerJob).toMatchObject({ value: 31 });
});

describe("memory and threads", () => {
  const seen = (mb: number, jobs = 4): Sample => ({ jobs, max: mb, values: [mb] });
  test.each<[string, Record<string, Sample>, object | null]>([
    ["one number of threads says nothing", { 4: seen(2400) }, null],
    ["two are a line", { 4: seen(2400), 8: seen(3200) }, { baseMb: 1600, perThreadMb: 200 }],
    ["more threads with less memory are no line", { 4: seen(2400), 8: seen(2000) }, null],
  ])("%s", (_story, byThreads, model) => expect(memoryModel(byThreads)).toEqual(model));

  test("other threads than most jobs had are asked for by the line", () => {
    const jobs = [
      ...many(10, () => ({ threads: 4, cpuSec: 2000 })),
      ...many(4, () => ({ threads: 2, memoryMb: 1600 })),
    ];
    const { cores, memoryMb } = sizeJobs(of(jobs), SIZING_LIMITS);
    expect(cores.value).toBe(2);
    expect(memoryMb).toEqual({
      value: 1920,
      why: "measured 1600 MB median over 10 jobs of 500 events (RECO, by 1200 MB and 200 MB a thread with 2 threads) × 1.2",
    });
  });
});

describe("report.json", () => {
  const report = { wallSec: 10, peakMemoryMb: 900, eventsRead: 40, outputs: [{ sizeBytes: 5e6 }, { sizeBytes: 1e6 }] };
  const step = { name: "RECO", wallSec: 9, cpuSec: 30, peakMemoryMb: 900, threads: 4, memorySource: "cgroup" };
  test("is a measured job", () =>
    expect(readReport(JSON.stringify({ ...report, steps: [{ ...step, startSec: 2 }] }), 50)).toEqual({
      steps: [
        {
          ...{ name: "RECO", wallSec: 9, cpuSec: 30, threads: 4, instances: 1, memoryMb: 900, memorySource: "cgroup" },
          ...{ events: 50, startSec: 2 },
        },
      ],
      ...{ wallSec: 10, memoryMb: 900, diskMb: 6, events: 50, outputBytes: 6e6 },
    }));
  test("of an older worker has no threads, source or start", () => {
    const { threads, memorySource, ...old } = step;
    const job = readReport(JSON.stringify({ ...report, steps: [old] }), null);
    expect(job?.steps).toMatchObject([{ threads: 1, memorySource: "process-tree", events: 40, startSec: null }]);
  });
  test("may be anything", () => {
    for (const text of ["", "null", "[]", "{", '{"steps":{}}', '{"steps":[null,{"name":3}],"wallSec":"x"}'])
      expect(readReport(text, null)?.steps ?? []).toEqual([]);
  });
});

const anyJob = fc.record({
  wallSec: fc.option(fc.double({ min: 0, max: 1e5, noNaN: true }), { nil: null }),
  cpuSec: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: null }),
  memoryMb: fc.option(fc.double({ min: 1, max: 1e5, noNaN: true }), { nil: null }),
  events: fc.option(fc.nat(10_000), { nil: null }),
  startSec: fc.option(fc.double({ min: 0, max: 1000, noNaN: true }), { nil: null }),
  threads: fc.integer({ min: 1, max: 16 }),
});

test("whatever was measured: within the window, a reason for each number, and once measured no less, unless by events", () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyJob, { maxLength: 12 }), { minLength: 1, maxLength: 5 }), (rounds) => {
      let before: SizingFacts["before"] = null;
      let metrics: SizingFacts["metrics"] = null;
      for (const jobs of rounds) {
        metrics = joinMetrics([metrics, summariseJobs(jobs.map(job))]);
        const sizes = sizeJobs(of([], { before, metrics, parallelSteps: new Set(["RECO"]) }), SIZING_LIMITS);
        const { runs, areCoresDecided, ...numbers } = sizes;
        for (const sized of Object.values(numbers)) {
          if (sized === null) continue;
          expect(Number.isFinite(sized.value) && sized.value > 0).toBe(true);
          expect(sized.why).not.toBe("");
        }
        const { cores, memoryMb, eventsPerJob } = sizes;
        for (const { instances, threads, why } of Object.values(runs)) {
          expect([instances, threads].every((count) => Number.isInteger(count) && count > 0)).toBe(true);
          expect(instances * threads).toBeLessThanOrEqual(cores.value);
          expect(why).not.toBe("");
        }
        expect(memoryMb.value).toBeLessThanOrEqual(SIZING_LIMITS.maxMemoryPerCoreMb * cores.value);
        expect(memoryMb.value).toBeGreaterThanOrEqual(SIZING_LIMITS.leastMemoryPerCoreMb * cores.value);
        // Less only where it is known what memory does with the events of a job.
        if (before?.isMeasured && cores.value === before.cores && !memoryMb.why.includes("MB more an event"))
          expect(memoryMb.value).toBeGreaterThanOrEqual(before.memoryMb);
        before = {
          ...ASKED,
          cores: cores.value,
          memoryMb: memoryMb.value,
          eventsPerJob: eventsPerJob?.value ?? null,
          isMeasured: (metrics?.jobs ?? 0) >= SIZING_LIMITS.minJobs,
        };
      }
    }),
  );
});

test("samples of parts stand for the whole", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 40 }), {
        minLength: 1,
        maxLength: 8,
      }),
      (parts) => {
        const joined = joinSamples(parts.map((part) => sampleOf(part)))!;
        const all = parts.flat().sort((a, b) => a - b);
        expect(joined.jobs).toBe(all.length);
        expect(joined.max).toBe(all.at(-1));
        expect(joined.values.length).toBeLessThanOrEqual(32);
        const slack = 0.1 + 1 / all.length;
        for (const [share, value] of [
          [0.5, median(joined)],
          [0.9, p90(joined)],
        ] as const) {
          expect(all.filter((one) => one < value).length / all.length).toBeLessThanOrEqual(share + slack);
          expect(all.filter((one) => one <= value).length / all.length).toBeGreaterThanOrEqual(share - slack);
        }
      },
    ),
  );
});
