import { eachInSlices, mapInSlices } from "../../core/base/slices.ts";
import { type Edges, edgeSize, type PlannedEdges } from "../../core/graph.ts";

/**
 * The same edges in as few lines as can be: sets with the same parents become one, then those with the same children.
 * n parents and m children go through a node of their own where n·m edges are more than n + m.
 */
export function* throughBarriers(edges: readonly Edges[]): Generator<undefined, readonly PlannedEdges[]> {
  let barriers = 0;
  const fewer = yield* joined(yield* joined(edges, "parents", "children"), "children", "parents");
  return yield* mapInSlices(
    fewer,
    ({ parents, children }) => ({
      parents,
      children,
      barrier: parents.length * children.length > parents.length + children.length ? barriers++ : null,
    }),
    edgeSize,
  );
}

function* joined(
  edges: readonly Edges[],
  same: keyof Edges,
  other: keyof Edges,
): Generator<undefined, readonly Edges[]> {
  const groups = new Map<string, Edges[]>();
  const keyed = keyOf(same);
  yield* eachInSlices(
    edges,
    (each) => {
      const key = keyed(each);
      const known = groups.get(key);
      if (known) known.push(each);
      else groups.set(key, [each]);
    },
    edgeSize,
  );
  if (groups.size === edges.length) return edges;
  return yield* mapInSlices(groups.values(), (alike) =>
    alike.length === 1
      ? alike[0]!
      : ({ [same]: alike[0]![same], [other]: ascending(alike.flatMap((each) => each[other])) } as unknown as Edges),
  );
}

/** A set that is shared is written out once. */
function keyOf(side: keyof Edges): (edges: Edges) => string {
  const known = new Map<readonly number[], string>();
  return (edges) => {
    const set = edges[side];
    const key = known.get(set) ?? ascending(set).join(" ");
    known.set(set, key);
    return key;
  };
}

/** Each number once. */
export const ascending = (numbers: Iterable<number>): readonly number[] => [...new Set(numbers)].sort((a, b) => a - b);
