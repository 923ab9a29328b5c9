import { plural } from "../../core/base/text.ts";
import type { GraphPlan } from "../../core/graph.ts";
import type { DagPlan } from "../../core/plan.ts";
import { barrierName } from "../names.ts";

/** More than Graphviz draws in a picture that somebody can read. */
const MAX_JOBS = 1000;

/** The jobs of a graph as people call them, and who waits for whom; barriers are dots. Big graphs are abridged. */
export function graphDot(plan: DagPlan, { edges }: GraphPlan): string {
  const { units } = plan.summary;
  const lines = [
    "digraph plan {",
    `  label=${quote(`${plan.requestName}: ${plural(units, "job")}`)}; labelloc=t; rankdir=LR; node [shape=box];`,
  ];
  const shown = new Set<number>();
  for (const { index, nodes } of plan.units) {
    if (shown.size === MAX_JOBS) break;
    shown.add(index);
    lines.push(`  ${index} [label=${quote(nodes[0]?.job?.name ?? "")}];`);
  }
  if (units > shown.size) lines.push(`  more [label=${quote(`and ${units - shown.size} more`)}, shape=plaintext];`);
  const listed = (jobs: readonly number[]) => jobs.filter((job) => shown.has(job)).join(" ");
  for (const { parents, children, barrier } of edges) {
    const [before, after] = [listed(parents), listed(children)];
    if (before === "" || after === "") continue;
    if (barrier === null) lines.push(`  {${before}} -> {${after}};`);
    else {
      lines.push(`  ${barrierName(barrier)} [shape=point];`);
      lines.push(`  {${before}} -> ${barrierName(barrier)} -> {${after}};`);
    }
  }
  return `${lines.join("\n")}\n}\n`;
}

/** A name is a person's own: nothing in it is Graphviz's. */
const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", " ")}"`;
