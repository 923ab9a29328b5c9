import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideInstances, type Slot } from "./instances.ts";
import { type MeasuredStep, summariseJobs } from "./metrics.ts";
import { memoryOfStep } from "./step-memory.ts";

const SLOT: Slot = { cores: 8, memoryMb: 16_000, overcommitMax: 1 };
const STEP: MeasuredStep = {
  name: "GEN",
  wallSec: 1000,
  cpuSec: 1600, // 20 % of 8 threads
  threads: 8,
  instances: 1,
  memoryMb: 800,
  memorySource: "framework",
  events: 100,
  startSec: null,
};
const metricsOf = (...runs: readonly Partial<MeasuredStep>[]) => {
  const jobs = runs.map((change) => ({ ...STEP, ...change }));
  const whole = { wallSec: null, memoryMb: null, diskMb: null, events: null, outputBytes: null };
  return summariseJobs(jobs.map((step) => ({ steps: [step], ...whole })))!.steps.GEN!;
};
const decide = (runs: readonly Partial<MeasuredStep>[], slot: Partial<Slot> = {}, maySplit = true) =>
  decideInstances({ name: "GEN", metrics: metricsOf(...runs), events: null, maySplit }, { ...SLOT, ...slot });

describe("a step that leaves cores idle", () => {
  test("is cut in parts, with its reason", () => {
    expect(decide([{}, {}])).toEqual({
      instances: 5,
      threads: 1,
      why: "1.6 of 8 threads were busy over 2 jobs, 960 MB each",
    });
  });

  test.each<[string, Partial<MeasuredStep>, Partial<Slot>, [instances: number, threads: number] | null]>([
    ["as many as memory has room for", {}, { memoryMb: 4000 }, [4, 2]],
    ["memory for one only: as it is", {}, { memoryMb: 1900 }, null],
    ["one core: as it is", {}, { cores: 1 }, null],
    ["a job that got fewer cores since keeps these busy", {}, { cores: 2 }, null],
    ["no more instances than cores", { cpuSec: 10 }, {}, [8, 1]],
    ["half of them busy: not below the limit", { cpuSec: 4000 }, {}, null],
    ["just below", { cpuSec: 3999 }, {}, [3, 2]],
    ["nobody measured its memory", { memoryMb: null }, {}, null],
    ["nobody measured its time", { wallSec: null }, {}, null],
  ])("%s", (_story, run, slot, expected) => {
    const found = decide([run], slot);
    expect(found && [found.instances, found.threads]).toEqual(expected);
  });

  test("one that cannot be cut stays whole", () => expect(decide([{}], {}, false)).toBeNull());

  test("once cut, it stays so: what parts of it did says nothing of the whole", () => {
    const parts = { instances: 5, threads: 1, cpuSec: 1600, wallSec: 320, memoryMb: 5 * 500 };
    expect(decide([{}, {}, parts, parts, parts, parts])).toMatchObject({ instances: 5, threads: 1 });
  });

  test("two numbers of threads tell what a part takes with yet another", () => {
    const runs = [{ memoryMb: 1800 }, { memoryMb: 2 * 1400, threads: 4, instances: 2 }]; // 1000 and 100 a thread
    expect(decide(runs, { memoryMb: 5500 })).toMatchObject({ instances: 3, threads: 2 });
  });
});

describe("a step that leaves some threads idle", () => {
  const some = { cpuSec: 5600 }; // 70 %

  test("gets more of them only where that is allowed", () => {
    expect(decide([some])).toBeNull();
    expect(decide([some], { overcommitMax: 1.25 })).toEqual({
      instances: 1,
      threads: 10,
      why: "5.6 of 8 threads were busy over 1 jobs, 250 MB a further one",
    });
  });

  test("and only as many as there is memory for", () => {
    expect(decide([some], { overcommitMax: 1.5, memoryMb: 1600 })).toMatchObject({ threads: 11 });
    expect(decide([some], { overcommitMax: 1.5, memoryMb: 1000 })).toBeNull();
  });

  test("a busy one does not", () => expect(decide([{ cpuSec: 7300 }], { overcommitMax: 2 })).toBeNull());
});

test("whatever was measured, all instances together fit into the slot", () => {
  const run = fc.record({
    cpuSec: fc.integer({ min: 0, max: 100_000 }),
    wallSec: fc.integer({ min: 1, max: 10_000 }),
    threads: fc.integer({ min: 1, max: 64 }),
    memoryMb: fc.integer({ min: 1, max: 20_000 }),
    instances: fc.integer({ min: 1, max: 8 }),
  });
  const slot = fc.record({
    cores: fc.integer({ min: 1, max: 64 }),
    memoryMb: fc.integer({ min: 100, max: 200_000 }),
    overcommitMax: fc.constantFrom(1, 1.25, 2),
  });
  fc.assert(
    fc.property(fc.array(run, { minLength: 1, maxLength: 8 }), slot, (runs, slot) => {
      const found = decide(runs, slot);
      if (!found) return;
      const { instances, threads } = found;
      expect(instances * threads).toBeLessThanOrEqual(Math.floor(slot.cores * slot.overcommitMax));
      const one = memoryOfStep("GEN", metricsOf(...runs), threads)!.value;
      if (instances > 1) expect(instances * one).toBeLessThanOrEqual(slot.memoryMb);
    }),
  );
});
