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
import { files, plan, refusal, resources, split, unit } from "../../tests/support/sample-plans.ts";
import type { SiteName } from "../core/names.ts";
import type { DagPlan } from "../core/plan.ts";
import type { RequestSpec } from "../core/request.ts";
import type { SplitSpec } from "../core/work.ts";
import type { PlanFacts } from "../planning/facts.ts";

const [A, B, C] = ["T2_XX_Alpha", "T2_XX_Beta", "T2_XX_Gamma"] as SiteName[];
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

  it("cuts blocks by units and by size, and runs earlier units first", () => {
    const spec = processSpec({ split: split(1), unit: unit({ jobsPerUnit: 1, maxUnitsPerBlock: 2 }) });
    const by = plan(
      sampleFacts(spec, { files: files(5), next: { unit: 7, node: 30, block: 3, firstEvent: 1n, firstLumi: 1n } }),
    );
    expect([...by.units].map(({ name, block, priority }) => `${name} ${block} ${priority}`)).toEqual([
      "mg_000007 3 0",
      "mg_000008 3 -1",
      "mg_000009 4 -2",
      "mg_000010 4 -3",
      "mg_000011 5 -4",
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

it("names output datasets after the input's primary part", () => {
  const dataset = { from: "dataset" as const, dataset: "/Muon0/Run2026A-v1/RAW", mask: { runs: [], lumis: null } };
  expect(plan(sampleFacts(processSpec({ input: dataset }), { files: files(1) })).outputs[0]?.dataset).toBe(
    "/Muon0/Run2026A-Skim-v1/HITS",
  );
});
