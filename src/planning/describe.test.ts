import { describe, expect, it } from "vitest";
import {
  generateSpec,
  inputFile,
  lumis,
  planInSlices,
  planRound,
  processSpec,
  sampleFacts,
} from "../../tests/support/sample-facts.ts";
import { planOf, sampleGraph } from "../../tests/support/sample-graph.ts";
import type { DagPlan } from "../core/plan.ts";
import { describePlan } from "./describe.ts";
import type { PlanFacts } from "./facts.ts";
import { planJson } from "./plan-json.ts";
import { seedMaker } from "./seeds.ts";

function plan(facts: PlanFacts): DagPlan {
  const outcome = planRound(facts);
  if (outcome.kind !== "planned") throw new Error(outcome.kind);
  return outcome.plan;
}
const generation = (jobs: number) => sampleFacts(generateSpec({ generation: { totalEvents: BigInt(jobs) * 100n } }));

it("describes a plan in numbers", () => {
  expect(describePlan(plan(generation(20)))).toMatchObject({
    units: 3,
    nodes: 29,
    nodesByRole: { landing: 3, processing: 20, merge: 3, cleanup: 3 },
    events: 2000n,
    unitsBySite: { anywhere: 3 },
    jobsPerUnit: { least: 4, most: 8 },
    eventsPerJob: { least: 100, most: 100 },
    coreHours: 26,
  });
});

it("counts the core hours of a graph job by job, and tells of each what it runs", () => {
  const size = { cores: 2, memoryMb: 4000, diskMb: 1, wallMinutes: 90, gpus: 0 };
  const graph = planOf(sampleGraph(3, [], (index) => (index === 2 ? { resources: size, name: "big one" } : {})));
  expect(describePlan(graph)).toMatchObject({ units: 3, nodesByRole: { job: 3 }, coreHours: 5 });
  const { units } = JSON.parse([...planJson(graph)].join(""));
  expect(units[2].nodes[0]).toMatchObject({
    role: "job",
    job: "big one",
    argv: ["echo", "2"],
    resources: { cores: 2 },
  });
});

it("gives every node as JSON", () => {
  const spec = processSpec({ split: { algorithm: "LumiBased", filesPerJob: 1, eventsPerJob: 1, lumisPerJob: 2 } });
  const files = [inputFile("/a", { lumis: [lumis(1, "1-3")] }), inputFile("/b", { lumis: [lumis(2, "7")] })];
  const parsed = JSON.parse([...planJson(plan(sampleFacts(spec, { files })))].join(""));
  expect(
    parsed.units[0].nodes.map(({ node, runs, lumis, files }: Record<string, unknown>) => ({
      node,
      runs,
      lumis,
      files,
    })),
  ).toMatchObject([
    { node: "proc_000000", runs: [1], lumis: { 1: [[1, 2]] }, files: [{ lfn: "/a" }] },
    { node: "proc_000001", runs: [1], lumis: { 1: [[3, 3]] } },
    { node: "proc_000002", runs: [2], lumis: { 2: [[7, 7]] }, files: [{ lfn: "/b" }] },
  ]);
});

it("pauses while it plans, with the same result", () => {
  const steps = planInSlices(generation(8000));
  let pauses = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) pauses += 1;
  expect(pauses).toBe(3);
  expect(step.value).toMatchObject({ kind: "planned", plan: { summary: { units: 1000 } } });
});

describe("seeds", () => {
  it("are positive, 31 bits, and differ between the nodes of a request", () => {
    const seedOf = seedMaker("muons-2026");
    const seeds = new Set(Array.from({ length: 200_000 }, (_, index) => seedOf(index)));
    expect(seeds.size).toBe(200_000);
    for (const seed of seeds) if (seed < 1n || seed >= 2n ** 31n) throw new Error(`${seed}`);
    expect(seedMaker("muons-2027")(0)).not.toBe(seedOf(0));
  });
});

it("plans in linear time", () => {
  const seconds = (jobs: number) => {
    const facts = generation(jobs);
    const files = Array.from({ length: jobs }, (_, index) =>
      inputFile(`/f${index}`, { lumis: [lumis(index % 50, "1-3")] }),
    );
    const overFiles = sampleFacts(
      processSpec({ split: { algorithm: "LumiBased", filesPerJob: 1, eventsPerJob: 1, lumisPerJob: 3 } }),
      { files },
    );
    const start = process.cpuUsage();
    for (const each of [facts, overFiles]) for (const _unit of plan(each).units);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  };
  seconds(2000);
  const [small, big] = [seconds(4000), seconds(40_000)];
  // Quadratic would be 100 times as long.
  expect(big).toBeLessThan(40 * Math.max(small, 0.02));
}, 60_000);
