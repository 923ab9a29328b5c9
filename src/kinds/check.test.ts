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
import type { SiteName } from "../core/names.ts";
import type { DagPlan, ProcessingNodePlan, UnitPlan } from "../core/plan.ts";
import type { PlanFacts } from "../planning/facts.ts";

const files = [0, 1, 2, 3].map((index) => inputFile(`/f${index}`, { events: 250, lumis: [lumis(index + 1, "1-4")] }));
const facts = (algorithm: "FileBased" | "EventBased" | "LumiBased"): PlanFacts =>
  sampleFacts(
    processSpec({
      split: { algorithm, filesPerJob: 1, eventsPerJob: 100, lumisPerJob: 2 },
      unit: { jobsPerUnit: 2, targetMergedBytes: 4e9, blockTargetBytes: 1e12, maxUnitsPerBlock: 1 },
    }),
    { files },
  );
const generation = sampleFacts(generateSpec({ unit: facts("FileBased").spec.unit }));

type Break = (units: UnitPlan[], plan: DagPlan) => { units?: UnitPlan[]; plan?: Partial<DagPlan> };
const codes = (given: PlanFacts, break_: Break) => {
  const outcome = planRound(given);
  if (outcome.kind !== "planned") throw new Error(outcome.kind);
  const units = [...outcome.plan.units];
  const broken = break_(units, outcome.plan);
  return checkPlan({ ...outcome.plan, units: broken.units ?? units, ...broken.plan }, given).map(({ code }) => code);
};
const changeNode = (units: UnitPlan[], unit: number, node: number, change: Partial<ProcessingNodePlan>): UnitPlan[] =>
  units.map((each, at) =>
    at === unit
      ? { ...each, nodes: each.nodes.map((one, index) => (index === node ? { ...one, ...change } : one)) }
      : each,
  );
const changeUnit = (units: UnitPlan[], unit: number, change: Partial<UnitPlan>): UnitPlan[] =>
  units.map((each, at) => (at === unit ? { ...each, ...change } : each));

describe("a broken plan is found out", () => {
  it.each<[string, PlanFacts, Break]>([
    ["file-lost", facts("FileBased"), (units) => ({ units: changeNode(units, 0, 0, { inputs: [files[1]!] }) })],
    ["file-twice", facts("FileBased"), (units) => ({ units: changeNode(units, 0, 0, { inputs: [files[1]!] }) })],
    [
      "file-unknown",
      facts("FileBased"),
      (units) => ({ units: changeNode(units, 0, 0, { inputs: [inputFile("/no")] }) }),
    ],
    ["no-input", facts("FileBased"), (units) => ({ units: changeNode(units, 0, 0, { inputs: [] }) })],
    ["event-lost", facts("EventBased"), (units) => ({ units: changeNode(units, 0, 1, { firstEvent: 101n }) })],
    ["event-twice", facts("EventBased"), (units) => ({ units: changeNode(units, 0, 1, { firstEvent: 99n }) })],
    ["event-range", facts("EventBased"), (units) => ({ units: changeNode(units, 1, 0, { lastEvent: 250n }) })],
    [
      "lumi-twice",
      facts("LumiBased"),
      (units) => ({ units: changeNode(units, 0, 1, { runLumis: { "1": [[2, 3]] } }) }),
    ],
    ["file-lost", facts("LumiBased"), (units) => ({ units: changeNode(units, 0, 1, { runLumis: { "1": [[3, 3]] } }) })],
    ["event-lost", generation, (units) => ({ units: changeNode(units, 1, 0, { firstEvent: 202n }) })],
    ["event-twice", generation, (units) => ({ units: changeNode(units, 1, 0, { firstEvent: 200n }) })],
    ["event-count", generation, (units) => ({ units: changeNode(units, 1, 0, { events: 99 }) })],
    ["lumi", generation, (units) => ({ units: changeNode(units, 1, 0, { firstLumi: 2n }) })],
    ["event-lost", generation, (units) => ({ units: units.slice(0, -1) })],
    ["summary", generation, (units) => ({ units: units.slice(0, -1) })],
    [
      "counter",
      generation,
      (_units, plan) => ({ plan: { summary: { ...plan.summary, next: { ...plan.summary.next, node: 0 } } } }),
    ],
    ["unit-name", generation, (units) => ({ units: changeUnit(units, 1, { name: units[0]!.name }) })],
    ["node-name", generation, (units) => ({ units: changeNode(units, 1, 0, { name: units[0]!.nodes[0]!.name }) })],
    ["seed", generation, (units) => ({ units: changeNode(units, 1, 0, { seed: units[0]!.nodes[0]!.seed }) })],
    ["priority", generation, (units) => ({ units: changeUnit(units, 1, { priority: 99 }) })],
    ["block-order", generation, (units) => ({ units: changeUnit(units, 1, { block: 5 }) })],
    ["block-size", generation, (units) => ({ units: changeUnit(units, 1, { block: 0 }) })],
    ["unit-size", generation, (units) => ({ units: changeUnit(units, 1, { nodes: [] }) })],
    [
      "site-not-allowed",
      { ...generation, usableSites: ["T2_A" as SiteName] },
      (units) => ({ units: changeUnit(units, 0, { sites: ["T2_B" as SiteName] }) }),
    ],
    [
      "resources",
      generation,
      (units) => ({ units: changeUnit(units, 0, { resources: { ...units[0]!.resources, cores: 0 } }) }),
    ],
    [
      "resource-window",
      generation,
      (units) => ({ units: changeUnit(units, 0, { resources: { ...units[0]!.resources, memoryMb: 3001 } }) }),
    ],
    ["throttle", generation, (_units, plan) => ({ plan: { throttles: { ...plan.throttles, merge: 0 } } })],
    [
      "landing",
      generation,
      (_units, plan) => ({
        plan: { resources: { ...plan.resources, landing: { ...plan.resources.landing, memoryMb: 1 } } },
      }),
    ],
    ["name", generation, () => ({ plan: { steps: [{ name: "a b", argv: [], env: {} }] } })],
    ["empty", generation, () => ({ units: [] })],
  ])("%s", (code, given, break_) => expect(codes(given, break_)).toContain(code));

  it("finds data that is not where the unit may run", () => {
    const given = { ...facts("FileBased"), files: files.map((file) => ({ ...file, sites: ["T2_A" as SiteName] })) };
    expect(codes(given, (units) => ({ units: changeUnit(units, 0, { sites: ["T2_B" as SiteName] }) }))).toContain(
      "site-without-data",
    );
  });

  it("takes a file that measurements showed to be too big for a job as left out on purpose", () => {
    const split = { algorithm: "EventAwareLumiBased" as const, filesPerJob: 1, eventsPerJob: 100, lumisPerJob: 1 };
    const big = inputFile("/big", { lumis: [lumis(1, "1")], events: 200 });
    const odd = inputFile("/odd", { lumis: [lumis(2, "1"), { run: 9, lumis: [] }], events: 200 });
    const facts = sampleFacts(processSpec({ split }), { round: 1, files: [...files, big, odd] });
    const slow = sampleJobs(10, () => ({ memoryMb: 1000, wallSec: 100_000, events: 100 }));
    const given = measuredFacts(facts, slow);
    expect(planRound(given)).toMatchObject({ unplanned: [{ lfn: "/big" }, { lfn: "/odd" }] });
    expect(codes(given, () => ({}))).toEqual([]);
  });

  it("takes no longer for a file of many lumis than for as many files", () => {
    const split = { algorithm: "LumiBased" as const, filesPerJob: 1, eventsPerJob: 1, lumisPerJob: 1 };
    const many = sampleFacts(processSpec({ split }), { files: [inputFile("/many", { lumis: [lumis(1, "1-20000")] })] });
    expect(codes(many, () => ({}))).toEqual([]);
  });

  it("finds nothing wrong with plans as they are made", () => {
    for (const given of [facts("FileBased"), facts("EventBased"), facts("LumiBased"), generation]) {
      expect(codes(given, () => ({}))).toEqual([]);
    }
  });
});
