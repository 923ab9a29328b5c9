import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinMetrics, type MeasuredJob, summarizeJobs } from "./metrics.ts";
import { joinSamples, median, p90, sampleOf } from "./sample.ts";
import { type SizingFacts, type SizingLimits, sizeJobs } from "./size.ts";

const LIMITS: SizingLimits = {
  leastMemoryPerCoreMb: 500,
  maxMemoryPerCoreMb: 3000,
  maxMemoryMb: null,
  maxWallMinutes: 47 * 60,
  maxDiskMb: 100_000,
  targetWallMinutes: 480,
  minJobs: 5,
};
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
  metrics: summarizeJobs(jobs),
  killedAtMb: null,
  saidMb: null,
  isRoundOver: false,
  ...more,
});
const many = (count: number, change: (at: number) => Parameters<typeof job>[0] = () => ({})) =>
  Array.from({ length: count }, (_, at) => job(change(at)));

describe("what a round asks for", () => {
  test("before enough was measured, what the request says", () => {
    expect(sizeJobs(of([]), LIMITS)).toMatchObject({
      memoryMb: { value: 8000, why: "the request says so" },
      eventsPerJob: { value: 1000, why: "nothing was measured yet: as the request says" },
    });
    expect(sizeJobs(of(many(4)), LIMITS).cores.why).toBe("only 4 of 5 jobs were measured: as the request says");
  });

  test("afterwards what was measured and a fifth more, with its reason", () => {
    const { memoryMb, cores, eventsPerJob, wallMinutes, diskMb } = sizeJobs(of(many(42)), LIMITS);
    expect(memoryMb).toEqual({ value: 2400, why: "measured 2000 MB median over 42 jobs (RECO, by framework) × 1.2" });
    expect(cores).toEqual({ value: 4, why: "3.6 of 4 cores were busy over 42 jobs" });
    // 1.8 s an event fill 8 h with 15,944; a first measurement may be wrong.
    expect(eventsPerJob).toEqual({ value: 2000, why: "1.80 s an event over 42 jobs, 480 minutes a job; at most × 2" });
    expect(wallMinutes).toEqual({ value: 93, why: "2000 events of 1.80 s (p90) × 1.5" });
    expect(diskMb).toEqual({ value: 2000, why: "measured 300 MB at most over 42 jobs × 1.2" });
  });

  test.each<[string, Partial<SizingFacts>, readonly MeasuredJob[], number]>([
    ["a skewed step is sized by its p90", {}, many(20, (at) => ({ memoryMb: at < 15 ? 2000 : 4000 })), 4800],
    ["a cgroup knows better", {}, many(10, () => ({ memoryMb: 3000, memorySource: "cgroup" })), 3600],
    ["what was killed needed more", { killedAtMb: 3000 }, many(10), 4500],
    ["once measured it does not shrink", { before: { ...ASKED, memoryMb: 4000, isMeasured: true } }, many(10), 4000],
    ["what was only asked for does", { before: { ...ASKED, isMeasured: false } }, many(10), 2400],
    ["the window has a floor", {}, many(10, () => ({ memoryMb: 100 })), 2000],
    ["and a ceiling", {}, many(10, () => ({ memoryMb: 20_000 })), 12_000],
  ])("%s", (_story, more, jobs, value) => expect(sizeJobs(of(jobs, more), LIMITS).memoryMb.value).toBe(value));

  test.each<[string, number, number, number]>([
    ["one busy core of four", 1000, 2000, 1],
    ["two", 2100, 2000, 2],
    ["one, but its memory takes two", 1000, 4000, 2],
    ["all of them, and never more than asked for", 9000, 2000, 4],
  ])("cores: %s", (_story, cpuSec, memoryMb, value) => {
    expect(sizeJobs(of(many(10, () => ({ cpuSec, memoryMb }))), LIMITS).cores.value).toBe(value);
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

test("whatever was measured: within the window, a reason for each number, and no less once measured", () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyJob, { maxLength: 12 }), { minLength: 1, maxLength: 5 }), (rounds) => {
      let before: SizingFacts["before"] = null;
      let metrics: SizingFacts["metrics"] = null;
      for (const jobs of rounds) {
        metrics = joinMetrics([metrics, summarizeJobs(jobs.map(job))]);
        const sizes = sizeJobs(of([], { before, metrics, parallelSteps: new Set(["RECO"]) }), LIMITS);
        const { runs, ...numbers } = sizes;
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
        expect(memoryMb.value).toBeLessThanOrEqual(LIMITS.maxMemoryPerCoreMb * cores.value);
        expect(memoryMb.value).toBeGreaterThanOrEqual(LIMITS.leastMemoryPerCoreMb * cores.value);
        if (before?.isMeasured && cores.value === before.cores)
          expect(memoryMb.value).toBeGreaterThanOrEqual(before.memoryMb);
        before = {
          ...ASKED,
          cores: cores.value,
          memoryMb: memoryMb.value,
          eventsPerJob: eventsPerJob?.value ?? null,
          isMeasured: (metrics?.jobs ?? 0) >= LIMITS.minJobs,
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
