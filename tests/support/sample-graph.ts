import { toEnd } from "../../src/core/base/slices.ts";
import type { Edges, Graph, GraphJob, GraphWork } from "../../src/core/graph.ts";
import type { RequestName } from "../../src/core/names.ts";
import type { DagPlan, PlanOutcome } from "../../src/core/plan.ts";
import type { RequestSpec } from "../../src/core/request.ts";
import { checkGraph } from "../../src/kinds/graph/check-graph.ts";
import { planGraph } from "../../src/kinds/graph/plan-graph.ts";
import { checkInSlices } from "../../src/planning/check.ts";
import type { PlanFacts } from "../../src/planning/facts.ts";
import { processSpec, sampleFacts } from "./sample-facts.ts";

/** Jobs of a graph without a document: what differs from `echo` on one core. */
export function sampleJob(index: number, change: Partial<GraphJob> = {}): GraphJob {
  return {
    index,
    name: `job ${index}`,
    argv: ["echo", String(index)],
    env: {},
    reads: [],
    makes: [],
    resources: { cores: 1, memoryMb: 2000, diskMb: 1024, wallMinutes: 60, gpus: 0 },
    priority: 0,
    group: null,
    when: "done",
    handlers: [],
    retries: null,
    ...change,
  };
}

export function sampleGraph(
  jobs: number,
  edges: readonly Edges[],
  change: (index: number) => Partial<GraphJob> = () => ({}),
  groups: Graph["groups"] = [],
): Graph {
  return { jobs: Array.from({ length: jobs }, (_, index) => sampleJob(index, change(index))), edges, groups };
}

/** A request whose document matters to nobody: its graph is given. */
export function graphSpec(change: Partial<RequestSpec<GraphWork>> = {}): RequestSpec<GraphWork> {
  const { work: _, ...common } = processSpec();
  return {
    ...common,
    name: "sweep-2026" as RequestName,
    work: { kind: "graph", directory: "/shared/sweep", parameters: {}, jobs: [], hooks: [] },
    steps: [],
    outputs: [],
    ...change,
  };
}

export const graphFacts = (change: Parameters<typeof sampleFacts>[1] = {}, spec = graphSpec()) =>
  sampleFacts(spec, change) as PlanFacts<GraphWork>;

export const outcomeOf = (graph: Graph, facts = graphFacts()): PlanOutcome =>
  toEnd(planGraph(facts, { graph, digestOf: ({ index }) => `digest-${index}` }));

/** A plan that keeps its promises. */
export function planOf(graph: Graph, facts = graphFacts()): DagPlan {
  const outcome = outcomeOf(graph, facts);
  if (outcome.kind !== "planned") throw new Error(JSON.stringify(outcome));
  const broken = violations(outcome.plan, graph, facts);
  if (broken.length > 0) throw new Error(JSON.stringify(broken));
  return outcome.plan;
}

export const violations = (plan: DagPlan, graph: Graph, facts = graphFacts()) =>
  toEnd(
    checkInSlices(plan, facts, {
      mostJobs: () => BigInt(graph.jobs.length),
      check: (context, report) => checkGraph(context as Parameters<typeof checkGraph>[0], report, graph),
    }),
  );
