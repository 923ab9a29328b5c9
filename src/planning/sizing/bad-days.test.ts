import { describe, expect, test } from "vitest";
import { SIZING_LIMITS, sampleJobs } from "../../../tests/support/sample-metrics.ts";
import { joinMetrics, summariseJobs, withMerged } from "./metrics.ts";
import { memoryBeyondLimit, type SizingFacts, sizeJobs } from "./size.ts";

const ASKED = { cores: 8, memoryMb: 16_000, wallMinutes: 480, diskMb: 2000, eventsPerJob: 100 };
const of = (change: Parameters<typeof sampleJobs>[1], more: Partial<SizingFacts> = {}): SizingFacts => ({
  asked: ASKED,
  before: null,
  metrics: summariseJobs(sampleJobs(20, change)),
  killedAtMb: null,
  saidMb: null,
  isRoundOver: true,
  ...more,
});

describe("jobs on fewer cores that need more than these may ask for", () => {
  const idle = { cpuSec: 190, threads: 2, memoryMb: 3000 };
  const before = { ...ASKED, cores: 2, memoryMb: 6000, isMeasured: true };

  test("killed at that ceiling, and never measured: they get cores back, and memory with them", () => {
    const { cores, memoryMb } = sizeJobs(
      of(() => idle, { before, killedAtMb: 6000 }),
      SIZING_LIMITS,
    );
    expect([cores.value, memoryMb.value]).toEqual([4, 9000]);
    expect(memoryMb.why).toBe("jobs with 6000 MB were killed for using more");
  });

  test("not killed: they keep the cores that were decided", () => {
    expect(
      sizeJobs(
        of(() => idle, { before }),
        SIZING_LIMITS,
      ).cores.value,
    ).toBe(2);
  });

  test("measured close to it: cores enough for the memory, never more than the request says", () => {
    expect(
      sizeJobs(
        of(() => ({ ...idle, memoryMb: 5500 }), { before }),
        SIZING_LIMITS,
      ).cores.value,
    ).toBe(4);
    const most = sizeJobs(
      of(() => ({ ...idle, memoryMb: 30_000 }), { before }),
      SIZING_LIMITS,
    );
    expect([most.cores.value, most.memoryMb.value]).toEqual([8, 24_000]);
  });
});

test("one site with slow CPUs: time goes by its jobs, events by the middle unless they are many", () => {
  const slow = (share: number) => (at: number) => ({ wallSec: at % 20 < share * 20 ? 400 : 100 });
  const few = sizeJobs(of(slow(0.05)), SIZING_LIMITS);
  expect(few.eventsPerJob?.why).toContain("1.00 s an event");
  const many = sizeJobs(of(slow(0.2)), SIZING_LIMITS);
  expect(many.eventsPerJob?.why).toContain("4.00 s an event");
  expect(many.wallMinutes.why).toContain("of 4.00 s (p90)");
});

test("reports of zero events say nothing of time: events and time stay, memory counts", () => {
  const { eventsPerJob, wallMinutes, memoryMb } = sizeJobs(
    of(() => ({ events: 0 })),
    SIZING_LIMITS,
  );
  expect(eventsPerJob).toEqual({ value: 100, why: "the time of an event was not measured: as before" });
  expect(wallMinutes).toEqual({ value: 480, why: "events were not counted: as before" });
  expect(memoryMb.why).toContain("measured 1000 MB median");
});

describe("instances and the ceiling", () => {
  const parallelSteps = new Set(["select"]);
  const busy = { threads: 8, cpuSec: 100 };
  test("there are fewer of them before it is passed", () => {
    const roomy = sizeJobs(
      of(() => ({ ...busy, memoryMb: 2000 }), { parallelSteps }),
      SIZING_LIMITS,
    );
    expect(roomy.runs.select).toMatchObject({ instances: 8, threads: 1 });
    const tight = sizeJobs(
      of(() => ({ ...busy, memoryMb: 3500 }), { parallelSteps }),
      SIZING_LIMITS,
    );
    expect(tight.cores.value).toBe(4);
    expect(tight.runs.select).toMatchObject({ instances: 2, why: expect.stringContaining("more do not fit") });
    expect(tight.memoryMb.value).toBe(2 * 4200);
  });
  test("with one instance that needs more, it is held with the numbers", () => {
    const facts = of(() => ({ ...busy, memoryMb: 25_000 }), { parallelSteps });
    expect(sizeJobs(facts, SIZING_LIMITS).runs.select).toBeUndefined();
    expect(memoryBeyondLimit(facts, SIZING_LIMITS)).toMatchObject({ neededMb: 25_000, mostMb: 24_000 });
  });
});

test("merged files are weighed as they are, with the weight of their jobs", () => {
  const unit = (count: number, mergedBytes: number) =>
    withMerged(summariseJobs(sampleJobs(count, () => ({ outputBytes: 100_000 }))), mergedBytes, count * 100);
  const joined = joinMetrics([unit(9, 450_000), unit(1, 90_000)]);
  expect(joined?.kbPerEvent?.values[0]).toBe(1);
  expect(joined?.mergedKbPerEvent).toMatchObject({ jobs: 10, max: 0.9 });
  expect(joined?.mergedKbPerEvent?.values.filter((kb) => kb === 0.5)).toHaveLength(9);
  expect(withMerged(summariseJobs(sampleJobs(2)), 0, 200)?.mergedKbPerEvent).toBeUndefined();
});
