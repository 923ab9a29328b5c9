import { describe, expect, it } from "vitest";
import {
  checkPlan,
  generateSpec,
  inputFile,
  lumis,
  planRound,
  processSpec,
  sampleFacts,
} from "../../tests/support/sample-facts.ts";
import { measuredFacts, sampleJobs } from "../../tests/support/sample-metrics.ts";
import { files, plan, refusal, resources, split } from "../../tests/support/sample-plans.ts";
import type { RequestSpec } from "../core/request.ts";
import type { PlanFacts } from "../planning/facts.ts";

describe("size", () => {
  const generated = (totalEvents: bigint, eventsPerJob: number) =>
    generateSpec({ split: { ...split(1), algorithm: "EventBased", eventsPerJob }, generation: { totalEvents } });
  const byEvents = processSpec({ split: { ...split(1), algorithm: "EventBased", eventsPerJob: 1 } });
  const policy = { ...sampleFacts(byEvents).policy, maxNodesPerRound: 10, maxNodesPerRequest: 30 };

  it("refuses by arithmetic what would never end to be walked", () => {
    const endless = sampleFacts(generated(2n ** 63n - 1n, 1));
    expect(refusal(planRound(endless))).toMatchObject({
      code: "too-many-nodes",
      message: expect.stringMatching(/9223372036854775807 jobs of 1 events; at most 10000000/),
    });
    const huge = sampleFacts(byEvents, { files: files(1, { events: 2 ** 53 - 1 }) });
    expect(refusal(planRound(huge))).toMatchObject({ code: "too-many-nodes" });
    expect(refusal(planRound(sampleFacts(byEvents, { files: files(1, { events: 11 }), policy })))).toMatchObject({
      message: expect.stringContaining("/f000 alone would be 11 jobs"),
    });
  });

  it("leaves what does not fit into a round to the next one", () => {
    const jobs = (facts: PlanFacts) => {
      const made = plan(facts);
      expect(checkPlan(made, facts)).toEqual([]);
      return made.summary;
    };
    const first = jobs(sampleFacts(generated(30n, 1), { policy }));
    expect(first.nodesByRole.processing).toBe(8);
    expect(first.warnings.join()).toContain("at most 10 jobs: the rest follows in later rounds");
    expect(jobs(sampleFacts(generated(30n, 1), { policy, next: first.next, round: 1 })).next.node).toBe(16);
    const whole = jobs(sampleFacts(byEvents, { files: files(7, { events: 4 }), policy }));
    expect([whole.inputFiles, whole.nodesByRole.processing]).toEqual([2, 8]);
  });

  it("refuses a job that would fill any disk", () => {
    const facts = sampleFacts(processSpec({ split: split(1), resources: resources({ kbPerEvent: 2e14 }) }), {
      files: files(1),
    });
    expect(refusal(planRound(facts))).toMatchObject({ message: expect.stringContaining("planning.max_disk_mb") });
  });

  it("counts a lumi once, and calls a file too big by the longest job", () => {
    const spec = processSpec({
      split: { ...split(1), algorithm: "EventAwareLumiBased" },
      resources: resources({ secondsPerEvent: 60 }),
    });
    const facts = (events: number, maxWallMinutes?: number) =>
      sampleFacts(spec, {
        files: [
          ...files(1, { events, lumis: [{ run: 1, lumis: [3, 3] }] }),
          { ...inputFile("/ok"), lumis: [lumis(1, "1-2")] },
        ],
        policy: { ...sampleFacts(spec).policy, ...(maxWallMinutes && { maxWallMinutes }) },
      });
    const left = (of: PlanFacts) => {
      const outcome = planRound(of);
      return outcome.kind === "planned" && outcome.unplanned.map(({ lfn, code }) => `${lfn} ${code}`);
    };
    expect(left(facts(2821))).toEqual(["/f000 too-big"]);
    expect(left(facts(2820))).toEqual([]);
    expect(left(facts(2821, 3000))).toEqual([]);
    expect(left(facts(101, 100))).toEqual(["/f000 too-big"]);
  });
});

describe("resources", () => {
  const asks = (change: Partial<RequestSpec["resources"]>, facts: Parameters<typeof sampleFacts>[1] = {}) =>
    plan(sampleFacts(processSpec({ resources: resources(change), split: split(1) }), { files: files(2), ...facts }))
      .resources.processing;

  it("keeps memory in the window per core", () => {
    expect(asks({ cores: 4, memoryMb: 1000 }).memoryMb).toBe(8000);
    expect(asks({ cores: 4, memoryMb: 10_000 }).memoryMb).toBe(10_000);
    const measured = (memoryMb: number) =>
      plan(
        measuredFacts(
          sampleFacts(processSpec({ split: split(1) }), { files: files(2), round: 1 }),
          sampleJobs(9, () => ({ memoryMb })),
        ),
      ).resources.processing.memoryMb;
    expect([1000, 2000, 2800].map(measured)).toEqual([2000, 2400, 3000]);
  });

  it("grows wall time and disk with the biggest job", () => {
    expect(asks({ secondsPerEvent: 60 }).wallMinutes).toBe(100);
    expect(asks({ secondsPerEvent: 6 }).wallMinutes).toBe(60);
    expect(asks({ secondsPerEvent: 6000 }).wallMinutes).toBe(47 * 60);
    expect(asks({ kbPerEvent: 20_000 }).diskMb).toBe(2000);
  });

  it("tells whatever it raised or lowered, and nothing else", () => {
    const told = (over: Partial<RequestSpec["resources"]>, more: Parameters<typeof sampleFacts>[1] = {}) =>
      plan(
        sampleFacts(processSpec({ resources: resources(over), split: split(1) }), { files: files(1), ...more }),
      ).summary.warnings.filter((words) => !words.includes("nobody has counted"));
    const laptop = { roundZeroUnits: 1, leastMemoryPerCoreMb: 1, maxMemoryPerCoreMb: 8000, maxMemoryMb: 8000 };
    expect(told({ memoryMb: 500 })).toEqual([
      "jobs ask for 2000 MB of memory, not 500: planning.least_memory_per_core_mb is 2000",
    ]);
    expect(told({ memoryMb: 300 }, { policy: laptop })).toEqual([]);
    expect(told({ memoryMb: 2500 })).toEqual([]);
    expect(told({ secondsPerEvent: 60 }, { policy: laptop })).toEqual([
      "jobs ask for 100 minutes, not 60: the biggest is expected to take as long",
    ]);
    expect(told({ wallMinutes: 5000 }, { policy: laptop })).toEqual([
      "jobs ask for 2820 minutes, not 5000: planning.max_wall_minutes is 2820",
    ]);
    expect(told({ kbPerEvent: 20_000 }, { policy: laptop })).toEqual([
      "jobs ask for 2000 MB of disk, not 1024: the biggest is expected to write as much",
    ]);
    const spec = processSpec({ resources: resources({ memoryMb: 4000 }), split: split(1) });
    const later = sampleFacts(spec, { files: files(1), policy: laptop, round: 1 });
    const { warnings } = plan(measuredFacts(later, sampleJobs(10))).summary;
    expect(warnings).toEqual([
      "jobs ask for 1200 MB of memory, not 4000: measured 1000 MB median over 10 jobs of 100 events (select, by framework) × 1.2",
    ]);
  });

  it("never asks for more than any place has, however many the cores", () => {
    const policy = { roundZeroUnits: 1, leastMemoryPerCoreMb: 1, maxMemoryPerCoreMb: 8000, maxMemoryMb: 8000 };
    const facts = sampleFacts(processSpec({ resources: resources({ cores: 4, memoryMb: 9000 }) }), {
      files: files(1),
      policy,
    });
    expect(planRound(facts)).toMatchObject({ kind: "refused", refusal: { code: "contradiction" } });
  });

  it("lands with what processing asks for, and probes near the top of the window", () => {
    const policy = { roundZeroUnits: 1, leastMemoryPerCoreMb: 2000, maxMemoryPerCoreMb: 3000, probeJobs: 1 };
    const probed = plan(sampleFacts(processSpec({ adaptive: true, split: split(1) }), { files: files(4), policy }));
    expect(probed.resources.landing).toEqual(probed.resources.processing);
    expect([...probed.units][0]!.nodes.map(({ resources }) => resources.memoryMb)).toEqual([2700, 2000, 2000, 2000]);
  });
});
