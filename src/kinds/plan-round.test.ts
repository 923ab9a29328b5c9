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
import type { SiteName } from "../domain/names.ts";
import type { DagPlan, PlanOutcome } from "../domain/plan.ts";
import type { RequestSpec } from "../domain/request.ts";
import type { SplitSpec } from "../domain/work.ts";
import type { PlanFacts, PlanFile } from "../planning/facts.ts";

const [A, B, C] = ["T2_XX_Alpha", "T2_XX_Beta", "T2_XX_Gamma"] as SiteName[];
const files = (count: number, change: Partial<PlanFile> = {}): PlanFile[] =>
  Array.from({ length: count }, (_, index) => ({ ...inputFile(`/f${String(index).padStart(3, "0")}`), ...change }));
const split = (filesPerJob: number): SplitSpec => ({
  algorithm: "FileBased",
  filesPerJob,
  eventsPerJob: 100,
  lumisPerJob: 1,
});
const unit = (change: Partial<RequestSpec["unit"]>) => ({ ...processSpec().unit, ...change });
const resources = (change: Partial<RequestSpec["resources"]>) => ({ ...processSpec().resources, ...change });

function plan(facts: PlanFacts): DagPlan {
  const outcome = planRound(facts);
  if (outcome.kind !== "planned") throw new Error(JSON.stringify(outcome));
  return outcome.plan;
}
const refusal = (outcome: PlanOutcome) => (outcome.kind === "refused" ? outcome.refusal : outcome.kind);
const shape = (of: DagPlan) => [...of.units].map(({ nodes }) => nodes.map(({ inputs }) => inputs.length));

describe("units and blocks", () => {
  it("has exactly so many jobs per unit", () => {
    const facts = sampleFacts(processSpec({ split: split(1), unit: unit({ jobsPerUnit: 1 }) }), { files: files(6) });
    expect(shape(plan(facts))).toEqual([[1], [1], [1], [1], [1], [1]]);
  });

  it("fills units up to the merged size, by events when their size is known", () => {
    const spec = processSpec({
      split: split(1),
      unit: unit({ jobsPerUnit: null, targetMergedBytes: 4_000_000 }),
      resources: resources({ kbPerEvent: 10 }),
    });
    expect(shape(plan(sampleFacts(spec, { files: files(9) })))).toEqual([[1, 1, 1, 1], [1, 1, 1, 1], [1]]);
    const facts = sampleFacts(spec, { files: files(5), round: 1 });
    const jobs = sampleJobs(10, () => ({ outputBytes: 20_000 * 100 }));
    expect(shape(plan(measuredFacts(facts, jobs)))).toEqual([[1, 1], [1, 1], [1]]);
  });

  it("takes ten jobs per unit when nobody knows what they write", () => {
    const spec = generateSpec({ unit: unit({ jobsPerUnit: null }), split: { ...split(1), eventsPerJob: 40 } });
    expect([...plan(sampleFacts(spec)).units].map(({ nodes }) => nodes.length)).toEqual([10, 10, 5]);
  });

  it("ends a unit where a run ends, once it is half full", () => {
    const runs = [1, 1, 1, 2, 2, 2].map((run, index) => ({ ...inputFile(`/f${index}`), lumis: [lumis(run, "1")] }));
    const spec = processSpec({ split: split(1), unit: unit({ jobsPerUnit: null, targetMergedBytes: 5_000_000 }) });
    expect(shape(plan(sampleFacts(spec, { files: runs })))).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ]);
  });

  it("puts jobs of one run into the same unit without changing the jobs", () => {
    const mixed = [2, 1, 2, 1].map((run, index) => ({ ...inputFile(`/f${index}`), lumis: [lumis(run, "1")] }));
    const spec = processSpec({ split: split(1), unit: unit({ jobsPerUnit: 2 }) });
    const units = [...plan(sampleFacts(spec, { files: mixed })).units];
    expect(units.map(({ nodes }) => nodes.flatMap(({ inputs }) => inputs.map(({ lfn }) => lfn)))).toEqual([
      ["/f1", "/f3"],
      ["/f0", "/f2"],
    ]);
  });

  it("cuts blocks by units and by size, and runs earlier blocks first", () => {
    const spec = processSpec({ split: split(1), unit: unit({ jobsPerUnit: 1, maxUnitsPerBlock: 2 }) });
    const by = plan(
      sampleFacts(spec, { files: files(5), next: { unit: 7, node: 30, block: 3, firstEvent: 1n, firstLumi: 1n } }),
    );
    expect([...by.units].map(({ name, block, priority }) => `${name} ${block} ${priority}`)).toEqual([
      "mg_000007 3 10",
      "mg_000008 3 10",
      "mg_000009 4 9",
      "mg_000010 4 9",
      "mg_000011 5 8",
    ]);
    expect(by.summary.next).toMatchObject({ unit: 12, node: 35, block: 6 });
    expect(by.summary.blocks.map(({ units }) => units)).toEqual([2, 2, 1]);
    const bySize = processSpec({ split: split(1), unit: unit({ jobsPerUnit: 1, blockTargetBytes: 3_500_000 }) });
    expect(plan(sampleFacts(bySize, { files: files(5) })).summary.blocks.map(({ units }) => units)).toEqual([3, 2]);
  });

  it("plans attempted files after fresh ones, in units and blocks of their own", () => {
    const mixed = [...files(2, { state: "attempted" }), inputFile("/x"), inputFile("/y")];
    const spec = processSpec({ split: split(1), unit: unit({ jobsPerUnit: 3 }) });
    const units = [...plan(sampleFacts(spec, { files: mixed })).units];
    expect(units.map(({ block, nodes }) => [block, nodes.map(({ inputs }) => inputs[0]?.lfn)])).toEqual([
      [0, ["/x", "/y"]],
      [1, ["/f000", "/f001"]],
    ]);
  });
});

describe("sites", () => {
  const spec = (sites: Partial<RequestSpec["sites"]>) =>
    processSpec({ split: split(1), sites: { allow: [], deny: [], ...sites } });
  const sitesOf = (facts: PlanFacts) => [...plan(facts).units].map(({ sites }) => sites.join(","));

  it("intersects where the data is with what is allowed and usable", () => {
    const mixed = [{ ...inputFile("/a"), sites: [B!, A!] }, { ...inputFile("/b"), sites: [A!] }, inputFile("/c")];
    expect(sitesOf(sampleFacts(spec({}), { files: mixed }))).toEqual(["", A, `${A},${B}`]);
    expect(sitesOf(sampleFacts(spec({ deny: [B!] }), { files: mixed, usableSites: [A!, B!, C!] }))).toEqual([
      A,
      `${A},${C}`,
    ]);
    expect(sitesOf(sampleFacts(spec({ allow: [A!] }), { files: mixed, usableSites: [A!, B!] }))).toEqual([A]);
  });

  it("runs anywhere it may when the site lists are trusted, wherever the data is", () => {
    const facts = sampleFacts(spec({ allow: [A!, C!], trust: true }), {
      files: [
        { ...inputFile("/a"), sites: [B!] },
        { ...inputFile("/b"), sites: [A!] },
      ],
      usableSites: [A!, B!, C!],
    });
    expect(sitesOf(facts)).toEqual([`${A},${C}`]);
    expect(checkPlan(plan(facts), facts)).toEqual([]);
  });

  it("refuses with the files that are nowhere", () => {
    const lost = [
      { ...inputFile("/a"), sites: [B!] },
      { ...inputFile("/b"), sites: [A!] },
    ];
    expect(refusal(planRound(sampleFacts(spec({}), { files: lost, usableSites: [A!] })))).toMatchObject({
      code: "no-site",
      evidence: { count: 1, files: [{ lfn: "/a" }] },
    });
    expect(refusal(planRound(sampleFacts(generateSpec(), { usableSites: [] })))).toMatchObject({ code: "no-site" });
  });

  it("says which sites there are, and where that is changed", () => {
    const wrong = spec({ allow: [B!] });
    expect(refusal(planRound(sampleFacts(wrong, { files: files(1), usableSites: [A!] })))).toMatchObject({
      message: expect.stringMatching(
        /usable now: T2_XX_Alpha; .*sites.allow has T2_XX_Beta; .*wms2 sites.*engine.local/,
      ),
    });
    const at = files(1, { sites: [C!] });
    expect(refusal(planRound(sampleFacts(spec({}), { files: at, usableSites: [A!] })))).toMatchObject({
      message: expect.stringMatching(/holds \/f000 \(at T2_XX_Gamma\); usable now: T2_XX_Alpha.*on_missing: skip/),
    });
  });

  it("leaves out what is nowhere when the request says so, and tells it", () => {
    const some = [...files(3, { sites: [A!] }), { ...inputFile("/lost"), sites: [B!] }];
    const { work } = processSpec({ split: split(1) });
    const skips = { ...spec({}), work: { ...work, input: { ...work.input, onMissing: "skip" as const } } };
    const facts = sampleFacts(skips, { files: some, usableSites: [A!] });
    const outcome = planRound(facts);
    if (outcome.kind !== "planned") throw new Error(outcome.kind);
    expect(outcome.unplanned).toMatchObject([{ lfn: "/lost", code: "no-site" }]);
    expect(outcome.plan.summary.inputFiles).toBe(3);
    expect(checkPlan(outcome.plan, facts)).toEqual([]);
    expect(refusal(planRound({ ...facts, files: some.slice(3) }))).toMatchObject({ code: "no-site" });
  });

  it("warns of files that name no site among files that do", () => {
    const mixed = [...files(2), { ...inputFile("/x"), sites: [A!] }];
    expect(plan(sampleFacts(spec({}), { files: mixed })).summary.warnings.join()).toContain(
      "2 of 3 files name no site and may be read anywhere: /f000, …",
    );
    expect(plan(sampleFacts(spec({}), { files: files(2) })).summary.warnings.join()).not.toContain("no site");
  });
});

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

describe("rounds", () => {
  const adaptive = processSpec({ adaptive: true, split: split(1), unit: unit({ jobsPerUnit: 2 }) });

  it("begins small when adaptive, and takes all of it when not", () => {
    expect(plan(sampleFacts(adaptive, { files: files(9) })).summary.units).toBe(1);
    expect(plan(sampleFacts({ ...adaptive, adaptive: false }, { files: files(9) })).summary.units).toBe(5);
    expect(plan(sampleFacts(adaptive, { files: files(9), round: 1 })).summary.units).toBe(5);
  });

  it("takes files whole: a big one makes round 0 bigger, with a warning", () => {
    const spec = { ...adaptive, work: { ...adaptive.work, split: { ...split(1), algorithm: "EventBased" as const } } };
    const { summary } = plan(sampleFacts(spec, { files: [inputFile("/a", { events: 1000 }), inputFile("/b")] }));
    expect(summary).toMatchObject({ units: 5, inputFiles: 1 });
    expect(summary.warnings[0]).toContain("takes files whole");
  });

  it("says when nothing is left", () => {
    expect(planRound(sampleFacts(adaptive, { round: 2 })).kind).toBe("nothing-left");
    expect(planRound(sampleFacts(adaptive, { round: 1, files: files(2, { state: "processed" }) })).kind).toBe(
      "nothing-left",
    );
    const next = (firstEvent: bigint) => ({ unit: 1, node: 10, block: 1, firstEvent, firstLumi: 11n });
    expect(planRound(sampleFacts(generateSpec(), { round: 1, next: next(1001n) })).kind).toBe("nothing-left");
    expect(plan(sampleFacts(generateSpec(), { round: 1, next: next(1000n) })).summary.events).toBe(1n); // not off by one
  });

  it("tops up past the offset for ranges that were given up", () => {
    const spec = generateSpec({ generation: { topUp: true } });
    const next = { unit: 1, node: 10, block: 1, firstEvent: 1001n, firstLumi: 11n };
    const [only] = [...plan(sampleFacts(spec, { round: 1, next, abandonedEvents: 50n })).units];
    expect(only?.nodes[0]).toMatchObject({ firstEvent: 1001n, lastEvent: 1050n, firstLumi: 11n });
  });

  it("shares one lumi in a unit when asked to", () => {
    const shared = generateSpec({ unit: unit({ jobsPerUnit: 4 }), generation: { lumis: "per_work_unit" } });
    const units = [...plan(sampleFacts(shared)).units];
    expect(units.map(({ nodes }) => nodes.map(({ firstLumi }) => Number(firstLumi)))).toEqual([
      [1, 1, 1, 1],
      [2, 2, 2, 2],
      [3, 3],
    ]);
  });
});

describe("selection and refusals", () => {
  const withMask = (runs: number[], algorithm: SplitSpec["algorithm"] = "FileBased") =>
    processSpec({
      split: { ...split(2), algorithm },
      input: { from: "list", path: "/l", mask: { runs, lumis: null } },
    });
  const tenRuns = Array.from({ length: 10 }, (_, index) => ({
    ...inputFile(`/f${index + 1}`),
    lumis: [lumis(index + 1, `${100 * (index + 1)}-${100 * (index + 1) + 19}`)],
  }));

  it("leaves out what the mask does not select, and says so", () => {
    const outcome = planRound(sampleFacts(withMask([1, 2, 4]), { files: tenRuns }));
    if (outcome.kind !== "planned") throw new Error(outcome.kind);
    expect(shape(outcome.plan)).toEqual([[2, 1]]);
    expect(outcome.unplanned.filter(({ code }) => code === "not-selected")).toHaveLength(7);
  });

  it.each<[string, PlanFacts, unknown]>([
    ["no files", sampleFacts(processSpec()), { code: "no-input-files" }],
    ["a mask of nothing", sampleFacts(withMask([99]), { files: tenRuns }), { code: "nothing-selected" }],
    ["files without lumis", sampleFacts(withMask([], "LumiBased"), { files: files(3) }), { code: "nothing-selected" }],
    ["0 files per job", sampleFacts(processSpec({ split: split(0) }), { files: files(1) }), { code: "contradiction" }],
    [
      "half an event",
      sampleFacts(generateSpec({ split: { ...split(1), eventsPerJob: 0.5 } })),
      { code: "contradiction" },
    ],
    [
      "too much memory",
      sampleFacts(processSpec({ resources: resources({ memoryMb: 3001 }) }), { files: files(1) }),
      { code: "contradiction" },
    ],
    [
      "too many jobs in a unit",
      sampleFacts(processSpec({ unit: unit({ jobsPerUnit: 4001 }) }), { files: files(1) }),
      { code: "contradiction" },
    ],
  ])("refuses %s", (_name, facts, expected) => expect(refusal(planRound(facts))).toMatchObject(expected as object));

  it("refuses to cut event ranges by lumis, but leaves out whole files by run", () => {
    const two = [
      { ...inputFile("/a"), lumis: [lumis(1, "1-5")] },
      { ...inputFile("/b"), lumis: [lumis(2, "1-5")] },
    ];
    expect(plan(sampleFacts(withMask([1], "EventBased"), { files: two })).summary.inputFiles).toBe(1);
    const partly = processSpec({
      split: { ...split(1), algorithm: "EventBased" },
      input: { from: "list", path: "/l", mask: { runs: [], lumis: { 1: [[1, 2]] } } },
    });
    expect(refusal(planRound(sampleFacts(partly, { files: two })))).toMatchObject({
      code: "contradiction",
      evidence: { files: ["/a"] },
    });
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
      "jobs ask for 1200 MB of memory, not 4000: measured 1000 MB median over 10 jobs (select, by framework) × 1.2",
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

  it("lands with what processing asks for, and probes at the top of the window", () => {
    const policy = { roundZeroUnits: 1, leastMemoryPerCoreMb: 2000, maxMemoryPerCoreMb: 3000, probeJobs: 1 };
    const probed = plan(sampleFacts(processSpec({ adaptive: true, split: split(1) }), { files: files(4), policy }));
    expect(probed.resources.landing).toEqual(probed.resources.processing);
    expect([...probed.units][0]!.nodes.map(({ resources }) => resources.memoryMb)).toEqual([3000, 2000, 2000, 2000]);
  });
});

it("names output datasets after the input's primary part", () => {
  const dataset = { from: "dataset" as const, dataset: "/Muon0/Run2026A-v1/RAW", mask: { runs: [], lumis: null } };
  expect(plan(sampleFacts(processSpec({ input: dataset }), { files: files(1) })).outputs[0]?.dataset).toBe(
    "/Muon0/Run2026A-Skim-v1/HITS",
  );
});
