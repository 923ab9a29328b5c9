import type { DagPlan } from "../domain/plan.ts";
import { picture } from "./picture.ts";

/** Graphviz: the first unit with its nodes, and the whole as blocks in the order they run. */
export function planDot(plan: DagPlan): string {
  const { title, unit, blocks, moreBlocks } = picture(plan);
  const lines = [
    "digraph plan {",
    `  label=${quote(title)}; labelloc=t; rankdir=LR; node [shape=box];`,
    `  subgraph cluster_unit { label=${quote(`${unit.name} (${unit.sites})`)};`,
    ...unit.nodes.map((node) => `    landing -> ${quote(node)} -> merge;`),
    "    merge -> cleanup;",
    "  }",
    '  subgraph cluster_whole { label="blocks, first to last"; node [shape=folder];',
    ...blocks.map(
      ({ index, units }) => `    ${quote(`block ${index}`)} [label=${quote(`block ${index}\\n${units} units`)}];`,
    ),
    ...(moreBlocks > 0 ? [`    ${quote(`and ${moreBlocks} more blocks`)};`] : []),
    "  }",
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

/** `\n` stays: it is Graphviz's own line break. */
const quote = (text: string): string => `"${text.replaceAll('"', '\\"')}"`;
