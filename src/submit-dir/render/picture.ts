import { plural } from "../../core/base/text.ts";
import type { DagPlan } from "../../core/plan.ts";
import { nodesOf } from "../../core/roles.ts";
import { graphDot } from "./graph-dot.ts";

const MAX_NODES = 12;
const MAX_BLOCKS = 24;

/** What a picture of a plan shows: one unit in full, and the whole as blocks of units. Big plans are abridged. */
function picture(plan: DagPlan) {
  const { units, blocks, nodesByRole } = plan.summary;
  const [first] = plan.units;
  const nodes = first?.nodes.map(({ name }) => name) ?? [];
  const more = nodes.length - MAX_NODES;
  const shown: readonly string[] = more > 0 ? [...nodes.slice(0, MAX_NODES), `and ${more} more`] : nodes;
  return {
    title: `${plan.requestName} round ${plan.round}: ${plan.graph ? plural(units, "job") : `${plural(units, "unit")}, ${plural(nodesByRole.processing ?? 0, "processing node")}, ${plural(blocks.length, "block")}`}`,
    unit: {
      name: first?.name ?? "none",
      sites: first?.sites.join(" ") || "anywhere",
      columns: plan.shape.steps.map(({ role }) => nodesOf(plan.shape, role, shown)),
    },
    blocks: blocks.slice(0, MAX_BLOCKS),
    moreBlocks: Math.max(0, blocks.length - MAX_BLOCKS),
    units,
  };
}
type Picture = ReturnType<typeof picture>;

/** Graphviz: the first unit with its nodes, and the whole as blocks in the order they run. */
export function planDot(plan: DagPlan): string {
  if (plan.graph) return graphDot(plan, plan.graph);
  const { title, unit, blocks, moreBlocks } = picture(plan);
  const lines = [
    "digraph plan {",
    `  label=${quote(title)}; labelloc=t; rankdir=LR; node [shape=box];`,
    `  subgraph cluster_unit { label=${quote(`${unit.name} (${unit.sites})`)};`,
    ...chains(unit.columns).map((names) => `    ${names.map(dotName).join(" -> ")};`),
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

const dotName = (name: string): string => (/^[a-z]+$/.test(name) ? name : quote(name));
/** `\n` stays: it is Graphviz's own line break. */
const quote = (text: string): string => `"${text.replaceAll('"', '\\"')}"`;

const BOX = { width: 130, height: 26, gap: 10 };
const COLUMN = 190;
const MARGIN = 20;

/** A picture that needs no program to draw it: the first unit on top, the blocks of the whole below. */
export function planSvg(plan: DagPlan): string {
  const drawn = picture(plan);
  const unitHeight = 60 + tallest(drawn.unit.columns) * (BOX.height + BOX.gap);
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
  const { columns } = unit;
  const middle = (tallest(columns) - 1) / 2;
  const spots = new Map<string, { x: number; y: number; color: string }>();
  for (const [at, names] of columns.entries())
    for (const [row, name] of names.entries()) {
      const rows = (names.length === 1 ? middle : row) * (BOX.height + BOX.gap);
      spots.set(name, {
        x: MARGIN + at * COLUMN,
        y: top + 20 + rows + BOX.height / 2,
        color: COLORS[at % COLORS.length]!,
      });
    }
  const drawn = edges(columns).map((names) => {
    const [from, to] = names.map((name) => spots.get(name)!);
    return line(from!.x + BOX.width, from!.y, to!.x, to!.y);
  });
  const boxes = [...spots].map(([name, { x, y, color }]) => box(x, y, name, color));
  return [label(MARGIN, top, `${unit.name}: may run at ${unit.sites}`), ...drawn, ...boxes];
}

const COLORS = ["#fef3c7", "#dbeafe", "#dcfce7", "#f3f4f6"];

type Columns = readonly (readonly string[])[];
const tallest = (columns: Columns): number => Math.max(...columns.map((names) => names.length));
/** Every node leads to every node of the next column. */
const edges = (columns: Columns): readonly (readonly [string, string])[] =>
  columns.flatMap((names, at) => names.flatMap((from) => (columns[at + 1] ?? []).map((to) => [from, to] as const)));
/** The same with a line per node of the tallest column, from what is before it to what is after it. */
function chains(columns: Columns): readonly (readonly string[])[] {
  const at = columns.findIndex((names) => names.length === tallest(columns) && names !== columns[0]);
  const [before = [], names = [], after = []] = columns.slice(at - 1, at + 2);
  const rest = [...edges(columns.slice(0, at)), ...edges(columns.slice(at + 1))];
  return [...names.map((name) => [...before, name, ...after]), ...rest];
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
