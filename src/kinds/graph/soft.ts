import { eachInSlices } from "../../core/base/slices.ts";
import { type Edges, edgeSize, type Graph, type GraphPlan } from "../../core/graph.ts";
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
 * run nothing after it. The other children of a soft job have to look whether it succeeded. Who waited for an end runs again
 * when those before it do, and so does all that comes after it: its children have to look, too.
 */
export function* softOf({ jobs }: Graph, edges: readonly Edges[]): Generator<undefined, Softness> {
  const waitsForEnd = (index: number) => jobs[index]!.when === "ended";
  const waiting = new Set<number>();
  yield* eachInSlices(
    edges,
    ({ children }) => {
      for (const child of children) if (waitsForEnd(child)) waiting.add(child);
    },
    edgeSize,
  );
  if (waiting.size === 0) return NOT_SOFT;
  const meets = (jobs: readonly number[]) => jobs.some((job) => waiting.has(job));
  const soft = yield* reached(edges, ({ children }) => meets(children), "parents", "children");
  const after = yield* reached(edges, ({ parents }) => meets(parents), "children", "parents");
  const watched = new Set([...soft, ...waiting, ...after]);
  const softSets: (readonly number[])[] = [];
  const needs = new Map<number, number[]>();
  if (soft.size === 0) return { soft, softSets, needs };
  const numberOf = new Map<string, number>();
  yield* eachInSlices(
    edges,
    ({ parents, children }) => {
      const set = ascending(parents.filter((parent) => watched.has(parent)));
      if (set.length === 0 || children.length === 0) return;
      const key = set.join(" ");
      const number = numberOf.get(key) ?? softSets.push(set) - 1;
      numberOf.set(key, number);
      for (const child of children) {
        const known = needs.get(child);
        if (known) known.push(number);
        else needs.set(child, [number]);
      }
    },
    edgeSize,
  );
  return { soft, softSets, needs: new Map([...needs].map(([child, sets]) => [child, ascending(sets)])) };
}

/** The jobs on one side of these edges, and all that can be reached from there. */
function* reached(
  edges: readonly Edges[],
  isFirst: (edge: Edges) => boolean,
  to: "parents" | "children",
  from: "parents" | "children",
): Generator<undefined, ReadonlySet<number>> {
  const found = new Set<number>();
  const onward = new Map<number, Edges[]>();
  yield* eachInSlices(
    edges,
    (each) => {
      for (const job of each[from]) {
        const known = onward.get(job);
        if (known) known.push(each);
        else onward.set(job, [each]);
      }
    },
    edgeSize,
  );
  // A set grows while it is walked.
  const walked = new Set(edges.filter(isFirst));
  yield* eachInSlices(
    walked,
    (edge) => {
      for (const job of edge[to]) {
        if (found.has(job)) continue;
        found.add(job);
        for (const each of onward.get(job) ?? []) walked.add(each);
      }
    },
    edgeSize,
  );
  return found;
}
