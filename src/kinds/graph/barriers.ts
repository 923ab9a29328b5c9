import { groupBy } from "../../base/group-by.ts";
import type { Edges, PlannedEdges } from "../../domain/graph.ts";

/**
 * The same edges in as few lines as can be: sets with the same parents become one, then those with the same children.
 * n parents and m children go through a node of their own where n·m edges are more than n + m.
 */
export function throughBarriers(edges: readonly Edges[]): readonly PlannedEdges[] {
  let barriers = 0;
  return joined(joined(edges, "parents", "children"), "children", "parents").map(({ parents, children }) => ({
    parents,
    children,
    barrier: parents.length * children.length > parents.length + children.length ? barriers++ : null,
  }));
}

function joined(edges: readonly Edges[], same: keyof Edges, other: keyof Edges): readonly Edges[] {
  const groups = groupBy(edges, keyOf(same));
  if (groups.size === edges.length) return edges;
  return [...groups.values()].map((alike) =>
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
