import type { NodeId, SegmentsWork } from "../../core/segments.ts";
import type { Check, CheckContext, Report } from "../../planning/check.ts";

/** Each product that the round takes of the fill once, never before what it waits for, and numbers that no round had. */
export function checkSegments(context: CheckContext<SegmentsWork>, report: Report): Check {
  const { plan, fill, next } = context;
  const unitOf = new Map<NodeId, number>();
  let at = next.unit;
  return {
    unit({ index, name, nodes }) {
      if (index !== at++) report("unit-number", `${name} is planned where unit ${at - 1} follows`);
      const products = nodes[0]?.job?.products ?? [];
      if (products.length === 0) report("no-product", `${name} makes nothing`);
      for (const { id } of products) {
        if (unitOf.has(id)) report("product-twice", `${id} is made by two jobs`);
        unitOf.set(id, index);
      }
    },
    finish() {
      if (plan.summary.next.unit !== at) report("summary", `the next unit is ${at}, the summary says otherwise`);
      const before = parentsIn(plan.graph?.edges ?? []);
      for (const { node, after } of fill?.plan.actions.slice(0, unitOf.size) ?? []) {
        const unit = unitOf.get(node);
        if (unit === undefined) report("product-lost", `${node} is to be made, and no job makes it`);
        for (const id of after) {
          const other = unitOf.get(id);
          if (other === undefined || unit === undefined)
            report("parent-lost", `${node} waits for ${id}, which no job makes`);
          else if (other !== unit && !before.get(unit)?.has(other))
            report("edge-lost", `${node} does not wait for ${id}`);
        }
      }
    },
  };
}

function parentsIn(edges: readonly { readonly parents: readonly number[]; readonly children: readonly number[] }[]) {
  const parents = new Map<number, Set<number>>();
  for (const edge of edges)
    for (const child of edge.children) {
      const known = parents.get(child) ?? new Set();
      for (const parent of edge.parents) known.add(parent);
      parents.set(child, known);
    }
  return parents;
}
