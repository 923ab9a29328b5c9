import type { Edges, GraphWork } from "../../core/graph.ts";
import type { PlanOutcome } from "../../core/plan.ts";
import type { PlanFacts } from "../../planning/facts.ts";
import type { Expanded } from "./expanded.ts";
import { planFlat } from "./flat-plan.ts";
import { softOf } from "./soft.ts";

/** All jobs that do not hold from before, in one round. */
export function* planGraph(facts: PlanFacts<GraphWork>, expanded: Expanded): Generator<undefined, PlanOutcome> {
  const { credited } = facts;
  const { graph, digestOf } = expanded;
  const { directory, changes } = facts.spec.work;
  const left = credited?.size ? graph.jobs.filter(({ index }) => !credited.has(index)) : graph.jobs;
  if (left.length === 0) return { kind: "nothing-left", unplanned: [] };
  return yield* planFlat(facts, {
    ...{ directory, changes, groups: graph.groups, digestOf },
    ...(facts.folders && { folders: facts.folders }),
    jobs: left,
    edges: withoutCredited(graph.edges, credited),
    softOf: (edges) => softOf(graph, edges),
    blockJobs: facts.round === 0 ? graph.jobs.length : null,
    nextUnit: graph.jobs.length,
  });
}

function withoutCredited(edges: readonly Edges[], credited: ReadonlySet<number> | undefined): readonly Edges[] {
  if (!credited?.size) return edges.filter(({ parents, children }) => parents.length > 0 && children.length > 0);
  const kept = new Map<readonly number[], readonly number[]>();
  const left = (set: readonly number[]): readonly number[] => {
    const known = kept.get(set) ?? set.filter((index) => !credited.has(index));
    kept.set(set, known);
    return known;
  };
  return edges
    .map(({ parents, children }) => ({ parents: left(parents), children: left(children) }))
    .filter(({ parents, children }) => parents.length > 0 && children.length > 0);
}
