import { plural } from "../base/text.ts";
import type { DagPlan } from "../domain/plan.ts";

const MAX_NODES = 12;
const MAX_BLOCKS = 24;

/** What a picture of a plan shows: one unit in full, and the whole as blocks of units. Big plans are abridged. */
function picture(plan: DagPlan) {
  const { units, blocks, nodesByRole } = plan.summary;
  const [first] = plan.units;
  const nodes: readonly string[] = first?.nodes.map(({ name }) => name) ?? [];
  const more = nodes.length - MAX_NODES;
  return {
    title: `${plan.requestName} round ${plan.round}: ${plural(units, "unit")}, ${plural(nodesByRole.processing, "processing node")}, ${plural(blocks.length, "block")}`,
    unit: {
      name: first?.name ?? "none",
      sites: first?.sites.join(" ") || "anywhere",
      nodes: more > 0 ? [...nodes.slice(0, MAX_NODES), `and ${more} more`] : nodes,
    },
    blocks: blocks.slice(0, MAX_BLOCKS),
    moreBlocks: Math.max(0, blocks.length - MAX_BLOCKS),
    units,
  };
}
type Picture = ReturnType<typeof picture>;

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
      ({ index, units }) =>
        `    ${quote(`block ${index}`)} [label=${quote(`block ${index}\\n${plural(units, "unit")}`)}];`,
    ),
    ...(moreBlocks > 0 ? [`    ${quote(`and ${plural(moreBlocks, "more block")}`)};`] : []),
    "  }",
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

/** `\n` stays: it is Graphviz's own line break. */
const quote = (text: string): string => `"${text.replaceAll('"', '\\"')}"`;

const BOX = { width: 130, height: 26, gap: 10 };
const COLUMN = 190;
const MARGIN = 20;

/** A picture that needs no program to draw it: the first unit on top, the blocks of the whole below. */
export function planSvg(plan: DagPlan): string {
  const drawn = picture(plan);
  const unitHeight = 60 + drawn.unit.nodes.length * (BOX.height + BOX.gap);
  const whole = drawWhole(drawn, MARGIN + 40 + unitHeight);
  const width = 2 * MARGIN + 3 * COLUMN + BOX.width;
  const height = whole.bottom + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="white"/>',
    label(MARGIN, MARGIN + 10, drawn.title, "bold"),
    ...drawUnit(drawn, MARGIN + 40),
    ...whole.parts,
    "</svg>",
    "",
  ].join("\n");
}

function drawUnit({ unit }: Picture, top: number): string[] {
  const center = top + 20 + (unit.nodes.length * (BOX.height + BOX.gap) - BOX.gap) / 2;
  const landing = MARGIN;
  const middle = landing + COLUMN;
  const merge = middle + COLUMN;
  const cleanup = merge + COLUMN;
  const parts = [label(MARGIN, top, `${unit.name}: may run at ${unit.sites}`)];
  for (const [row, name] of unit.nodes.entries()) {
    const y = top + 20 + row * (BOX.height + BOX.gap) + BOX.height / 2;
    parts.push(line(landing + BOX.width, center, middle, y), line(middle + BOX.width, y, merge, center));
    parts.push(box(middle, y, name, "#dbeafe"));
  }
  parts.push(line(merge + BOX.width, center, cleanup, center));
  parts.push(
    box(landing, center, "landing", "#fef3c7"),
    box(merge, center, "merge", "#dcfce7"),
    box(cleanup, center, "cleanup", "#f3f4f6"),
  );
  return parts;
}

function drawWhole({ blocks, moreBlocks, units }: Picture, top: number): { parts: string[]; bottom: number } {
  const parts = [label(MARGIN, top, `The whole: ${plural(units, "unit")} in blocks, first to last`)];
  const perRow = 4;
  const names = blocks.map((block) => `block ${block.index}: ${plural(block.units, "unit")}`);
  if (moreBlocks > 0) names.push(`and ${moreBlocks} more`);
  for (const [at, name] of names.entries()) {
    const y = top + 20 + Math.floor(at / perRow) * (BOX.height + BOX.gap) + BOX.height / 2;
    parts.push(box(MARGIN + (at % perRow) * COLUMN, y, name, "#ede9fe"));
  }
  return { parts, bottom: top + 20 + Math.ceil(names.length / perRow) * (BOX.height + BOX.gap) };
}

const box = (x: number, centerY: number, text: string, fill: string): string =>
  `<rect x="${x}" y="${centerY - BOX.height / 2}" width="${BOX.width}" height="${BOX.height}" rx="4" fill="${fill}" stroke="#475569"/>${label(x + 8, centerY + 4, text)}`;
const line = (x1: number, y1: number, x2: number, y2: number): string =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#94a3b8"/>`;
const label = (x: number, y: number, text: string, weight = "normal"): string =>
  `<text x="${x}" y="${y}" font-weight="${weight}">${escapeXml(text)}</text>`;

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
