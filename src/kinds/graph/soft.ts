import type { Edges, Graph, GraphPlan } from "../../domain/graph.ts";
import { ascending } from "./barriers.ts";

export interface Softness {
  readonly soft: ReadonlySet<number>;
  readonly softSets: GraphPlan["softSets"];
  /** Job → its sets. */
  readonly needs: ReadonlyMap<number, readonly number[]>;
}

export const NOT_SOFT: Softness = { soft: new Set(), softSets: [], needs: new Map() };

/**
 * Whoever has a child that only waits for its end is soft, and all before it are: were one of those to fail, DAGMan would
 * run nothing after it. The other children of a soft job have to look whether it succeeded.
 */
export function softOf({ jobs }: Graph, edges: readonly Edges[]): Softness {
  const waitsForEnd = (index: number) => jobs[index]!.when === "ended";
  const soft = softJobs(edges, waitsForEnd);
  const softSets: (readonly number[])[] = [];
  const needs = new Map<number, readonly number[]>();
  if (soft.size === 0) return { soft, softSets, needs };
  const numberOf = new Map<string, number>();
  for (const { parents, children } of edges) {
    const set = ascending(parents.filter((parent) => soft.has(parent)));
    if (set.length === 0 || children.length === 0) continue;
    const key = set.join(" ");
    const number = numberOf.get(key) ?? softSets.push(set) - 1;
    numberOf.set(key, number);
    for (const child of children) needs.set(child, ascending([...(needs.get(child) ?? []), number]));
  }
  return { soft, softSets, needs };
}

function softJobs(edges: readonly Edges[], waitsForEnd: (index: number) => boolean): ReadonlySet<number> {
  const soft = new Set<number>();
  const before = new Map<number, Edges[]>();
  for (const each of edges)
    for (const child of each.children) {
      const known = before.get(child);
      if (known) known.push(each);
      else before.set(child, [each]);
    }
  // A set grows while it is walked.
  const reached = new Set(edges.filter(({ children }) => children.some(waitsForEnd)));
  for (const { parents } of reached)
    for (const parent of parents) {
      if (soft.has(parent)) continue;
      soft.add(parent);
      for (const each of before.get(parent) ?? []) reached.add(each);
    }
  return soft;
}
