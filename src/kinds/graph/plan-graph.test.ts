import { describe, expect, test } from "vitest";
import {
  graphFacts,
  graphSpec,
  outcomeOf,
  planOf,
  sampleGraph,
  violations,
} from "../../../tests/support/sample-graph.ts";
import type { Edges, Graph, GraphPlan } from "../../core/graph.ts";
import type { SiteName } from "../../core/names.ts";
import type { DagPlan, UnitPlan } from "../../core/plan.ts";

const jobsOf = (plan: DagPlan) => [...plan.units].map(({ nodes }) => nodes[0]!.job!);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

test("each job is a unit with one node of its name, and may run at any usable site", () => {
  const sites = ["T2_XX_Alpha", "T2_XX_Beta"] as SiteName[];
  const plan = planOf(
    sampleGraph(3, [{ parents: [0], children: [1, 2] }], (index) => ({
      priority: index,
      retries: index === 2 ? 0 : null,
    })),
    graphFacts({ usableSites: sites }),
  );
  expect([...plan.units].map(({ name, nodes, priority }) => [name, nodes.map((node) => node.name), priority])).toEqual([
    ["job_000000", ["job_000000"], 0],
    ["job_000001", ["job_000001"], 1],
    ["job_000002", ["job_000002"], 2],
  ]);
  expect([...plan.units].every((unit) => unit.sites === [...plan.units][0]!.sites && unit.sites.length === 2)).toBe(
    true,
  );
  expect(jobsOf(plan).map(({ retries }) => retries)).toEqual([3, 3, 0]);
  expect(plan.summary).toMatchObject({
    units: 3,
    nodes: 3,
    nodesByRole: { job: 3 },
    next: { unit: 3, node: 3, block: 1 },
  });
  expect(plan.summary.blocks).toHaveLength(1);
});

describe("edges", () => {
  const edgesOf = (edges: readonly Edges[], jobs = 12) => planOf(sampleGraph(jobs, edges)).graph!.edges;

  test.each([
    [1, 1, null],
    [1, 5, null],
    [5, 1, null],
    [2, 2, null],
    [2, 3, 0],
    [3, 2, 0],
    [5, 5, 0],
  ])("%i parents of %i children go through a barrier only where that is fewer edges", (n, m, barrier) => {
    expect(edgesOf([{ parents: range(0, n), children: range(n, n + m) }])).toEqual([
      { parents: range(0, n), children: range(n, n + m), barrier },
    ]);
  });

  test("children that wait for the same parents share them, however the graph wrote it", () => {
    const each = [4, 5, 6].map((child) => ({ parents: [2, 1, 0], children: [child] }));
    expect(edgesOf(each)).toEqual([{ parents: [2, 1, 0], children: [4, 5, 6], barrier: 0 }]);
    const turned = [0, 1, 2].map((parent) => ({ parents: [parent], children: [4, 5, 6] }));
    expect(edgesOf(turned)).toEqual([{ parents: [0, 1, 2], children: [4, 5, 6], barrier: 0 }]);
  });
});

describe("jobs that hold from before", () => {
  const chain = sampleGraph(4, [
    { parents: [0, 1], children: [2] },
    { parents: [2], children: [3] },
  ]);

  test("are left out, and what waits for them does not", () => {
    const plan = planOf(chain, graphFacts({ credited: new Set([0, 1, 2]) }));
    expect([...plan.units].map(({ name }) => name)).toEqual(["job_000003"]);
    expect(plan.graph?.edges).toEqual([]);
    expect(plan.summary.next.unit).toBe(4);
  });

  test("when all do, nothing is left", () => {
    const credited = new Set([0, 1, 2, 3]);
    expect(outcomeOf(chain, graphFacts({ credited }))).toEqual({ kind: "nothing-left", unplanned: [] });
  });

  test("must not come after one that runs", () => {
    const facts = graphFacts({ credited: new Set([0, 2]) });
    const outcome = outcomeOf(chain, facts);
    if (outcome.kind !== "planned") throw new Error(outcome.kind);
    expect(violations(outcome.plan, chain, facts).map(({ code }) => code)).toContain("credited");
  });
});

describe("when: ended", () => {
  // 0 → 1 → 2 (ended) and 1 → 3, 0 → 4.
  const graph = sampleGraph(
    6,
    [
      { parents: [0], children: [1] },
      { parents: [1], children: [2] },
      { parents: [1], children: [3] },
      { parents: [0], children: [4] },
      { parents: [5], children: [4] },
    ],
    (index) => ({ when: index === 2 ? "ended" : "done" }),
  );

  test("all before such a job are soft, and those after them look for themselves", () => {
    const plan = planOf(graph);
    const { softSets, softJobs } = plan.graph!;
    expect(jobsOf(plan).map(({ soft }) => soft)).toEqual([true, true, false, false, false, false]);
    expect(softJobs).toBe(2);
    const needed = jobsOf(plan).map(({ needs }) => needs.flatMap((set) => softSets[set]));
    expect(needed).toEqual([[], [0], [1], [1], [0], []]);
  });
});

describe("what jobs ask for", () => {
  const resources = { cores: 1, memoryMb: 2000, diskMb: 1024, wallMinutes: 60, gpus: 0 };
  const asking = (...changes: Partial<typeof resources>[]) =>
    sampleGraph(changes.length, [], (index) => ({
      name: `job ${index}`,
      resources: { ...resources, ...changes[index] },
    }));

  test("has a size each, once, and is raised to the least and lowered to the most with a word on it", () => {
    const plan = planOf(asking({}, { cores: 2, memoryMb: 10 }, { memoryMb: 10 }, { wallMinutes: 99_999 }, {}));
    expect(jobsOf(plan).map(({ size }) => size)).toEqual([0, 1, 0, 2, 0]);
    expect(plan.graph?.sizes.map(({ cores, memoryMb, wallMinutes }) => [cores, memoryMb, wallMinutes])).toEqual([
      [1, 2000, 60],
      [2, 4000, 60],
      [1, 2000, 2820],
    ]);
    expect(plan.summary.warnings).toEqual([
      expect.stringMatching(/^job job 1: .*4000 MB of memory, not 10: planning\.least_memory_per_core_mb is 2000/),
      expect.stringMatching(/^job job 2: .*2000 MB of memory, not 10/),
      expect.stringMatching(/^job job 3: .*2820 minutes, not 99999: planning\.max_wall_minutes/),
    ]);
  });

  test("beyond all limits is refused, all such jobs at once, with their numbers", () => {
    const outcome = outcomeOf(asking({ memoryMb: 9000 }, {}, { memoryMb: 9000 }, { diskMb: 10 ** 9 }));
    expect(outcome).toMatchObject({ kind: "refused", refusal: { code: "contradiction" } });
    const message = outcome.kind === "refused" ? outcome.refusal.message : "";
    expect(message).toMatch(/job job 0 and 1 other: 9000 MB on 1 cores is more than 3000 MB/);
    expect(message).toMatch(/job job 3: .*1000000000 MB of disk/);
  });

  test("nowhere to run is said before anything is written", () => {
    const facts = graphFacts({ usableSites: [] }, graphSpec());
    expect(outcomeOf(asking({}), facts)).toMatchObject({ kind: "refused", refusal: { code: "no-site" } });
  });
});

describe("the check sees", () => {
  const graph = sampleGraph(
    6,
    [
      { parents: [0, 1], children: [2, 3, 4] },
      { parents: [2], children: [5] },
    ],
    (index) => ({ when: index === 5 ? "ended" : "done" }),
  );
  const plan = planOf(graph);
  const withGraph = (change: Partial<GraphPlan>): DagPlan => ({ ...plan, graph: { ...plan.graph!, ...change } });
  const withUnits = (change: (units: UnitPlan[]) => UnitPlan[]): DagPlan => ({
    ...plan,
    units: change([...plan.units]),
  });
  const withJob = (at: number, change: object) =>
    withUnits((units) =>
      units.map((unit, index) =>
        index === at
          ? { ...unit, nodes: unit.nodes.map((node) => ({ ...node, job: { ...node.job!, ...change } })) }
          : unit,
      ),
    );
  const other: Graph = sampleGraph(6, []);

  test.each<[string, string, DagPlan]>([
    ["an edge that is gone", "edge-lost", withGraph({ edges: plan.graph!.edges.slice(1) })],
    [
      "a parent that is gone",
      "edge-lost",
      withGraph({ edges: [{ parents: [0], children: [2, 3, 4], barrier: 0 }, plan.graph!.edges[1]!] }),
    ],
    [
      "an edge too many",
      "edge-invented",
      withGraph({ edges: [...plan.graph!.edges, { parents: [0], children: [5], barrier: null }] }),
    ],
    [
      "a barrier that two share",
      "barrier-twice",
      withGraph({ edges: plan.graph!.edges.map((each) => ({ ...each, barrier: 0 })) }),
    ],
    ["a job that is gone", "job-lost", withUnits((units) => units.slice(0, -1))],
    ["a job twice", "job-order", withUnits((units) => [units[0]!, ...units])],
    ["another command", "job-changed", withJob(1, { argv: ["rm"] })],
    ["another size", "job-size", withJob(1, { size: 1 })],
    ["a failure that would end too much", "not-soft", withJob(0, { soft: false })],
    ["a failure that nobody looks at", "soft-unseen", withJob(3, { needs: [] })],
    ["what jobs share is missing", "no-graph", (({ graph: _, ...rest }) => rest)(plan)],
  ])("%s", (_, code, broken) => {
    expect(violations(broken, graph).map((each) => each.code)).toContain(code);
  });

  test("a plan of another graph", () => {
    expect(violations(plan, other).map(({ code }) => code)).toContain("edge-invented");
  });
});
