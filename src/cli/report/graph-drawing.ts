import { countStates, JOB_STATE, SHOWN_JOB_STATES } from "../../core/job-state.ts";
import type { OutlineView } from "../../operations/results.ts";
import { type Counts, jobStates, type ReportFacts, tallyStates } from "./facts.ts";
import { at, type Html, html } from "./html.ts";

/** How boxes stand: with their names while there is room, as squares in columns where a layer is wide. */
interface Grid {
  readonly width: number;
  readonly height: number;
  readonly rowGap: number;
  readonly layerGap: number;
  /** Most boxes of a layer in one column. */
  readonly rows: number;
  readonly named: boolean;
}
const NAMED: Grid = { width: 150, height: 24, rowGap: 8, layerGap: 50, rows: 30, named: true };
const GROUPS: Grid = { ...NAMED, width: 210, height: 42 };
const SQUARES: Grid = { width: 16, height: 16, rowGap: 3, layerGap: 44, rows: 24, named: false };
const MARGIN = 6;
/** Beyond that a drawing has no lines: they would hide the boxes. */
const MOST_LINES = 4000;

interface Box {
  readonly x: number;
  readonly y: number;
}

/** Layers from left to right; each of `to` to the right of each of `from`, but where a group of several layers goes back. */
export function drawGraph(graph: OutlineView, facts: ReportFacts): Html {
  const layers = inLayers(graph);
  const widest = Math.max(1, ...layers.map(({ length }) => length));
  const grid = graph.of !== "jobs" ? GROUPS : widest <= NAMED.rows && layers.length <= 30 ? NAMED : SQUARES;
  const boxes = place(layers, grid);
  const width = Math.max(...boxes.map(({ x }) => x), 0) + grid.width + MARGIN;
  const height = Math.max(...boxes.map(({ y }) => y), 0) + grid.height + MARGIN;
  const stateOf = jobStates(facts);
  const drawn = graph.groups.map((group, index) => {
    const states = group.ranges.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, place) => stateOf(first + place)),
    );
    return drawBox(group.name, group.jobs, tallyStates(states), boxes[index]!, grid);
  });
  return html`<svg width="${at(width)}" height="${at(height)}" viewBox="0 0 ${at(width)} ${at(height)}" role="img" aria-label="the graph of jobs">${drawEdges(graph, boxes, grid)}${drawn}</svg>`;
}

/** Each layer in the order of the means of what comes before: fewer lines cross. */
function inLayers({ groups, edges }: OutlineView): readonly (readonly number[])[] {
  const before: number[][] = groups.map(() => []);
  for (const { from, to } of edges) for (const child of to) before[child]!.push(...from.slice(0, 50));
  const layers: number[][] = [];
  for (const [index, { layer }] of groups.entries()) {
    layers[layer] ??= [];
    layers[layer].push(index);
  }
  const rank = groups.map((_, index) => index);
  const filled = layers.filter((layer) => layer !== undefined);
  for (const layer of filled) {
    const mean = new Map(
      layer.map((index) => {
        const own = before[index]!;
        return [index, own.length > 0 ? own.reduce((sum, one) => sum + rank[one]!, 0) / own.length : index] as const;
      }),
    );
    layer.sort((a, b) => mean.get(a)! - mean.get(b)! || a - b);
    for (const [place, index] of layer.entries()) rank[index] = place;
  }
  return filled;
}

function place(layers: readonly (readonly number[])[], grid: Grid): readonly Box[] {
  const boxes: Box[] = [];
  const tallest = Math.min(grid.rows, Math.max(1, ...layers.map(({ length }) => length)));
  let left = MARGIN;
  for (const layer of layers) {
    const columns = Math.ceil(layer.length / grid.rows);
    const rows = Math.min(grid.rows, layer.length);
    const top = MARGIN + ((tallest - rows) * (grid.height + grid.rowGap)) / 2;
    for (const [index, group] of layer.entries())
      boxes[group] = {
        x: left + Math.floor(index / grid.rows) * (grid.width + grid.rowGap),
        y: top + (index % grid.rows) * (grid.height + grid.rowGap),
      };
    left += columns * (grid.width + grid.rowGap) - grid.rowGap + grid.layerGap;
  }
  return boxes;
}

/** Sets whose pairs are many meet in a point. */
function drawEdges({ edges }: OutlineView, boxes: readonly Box[], { width, height }: Grid): readonly Html[] {
  const lines = edges.reduce(
    (sum, { from, to }) => sum + Math.min(from.length * to.length, from.length + to.length),
    0,
  );
  if (lines > MOST_LINES) return [];
  const middle = height / 2;
  const line = (x1: number, y1: number, x2: number, y2: number): Html => {
    const bend = (x1 + x2) / 2;
    return html`<path class="edge" d="M${at(x1)} ${at(y1)}C${at(bend)} ${at(y1)} ${at(bend)} ${at(y2)} ${at(x2)} ${at(y2)}"/>`;
  };
  return edges.flatMap(({ from, to }) => {
    const starts = from.map((index) => boxes[index]!);
    const ends = to.map((index) => boxes[index]!);
    if (from.length * to.length <= from.length + to.length)
      return starts.flatMap((a) => ends.map((b) => line(a.x + width, a.y + middle, b.x, b.y + middle)));
    const x = Math.min(...ends.map((box) => box.x)) - 14;
    const all = [...starts, ...ends];
    const y = all.reduce((sum, box) => sum + box.y, 0) / all.length + middle;
    return [
      ...starts.map((a) => line(a.x + width, a.y + middle, x, y)),
      ...ends.map((b) => line(x, y, b.x, b.y + middle)),
      html`<circle class="join" cx="${at(x)}" cy="${at(y)}" r="3"/>`,
    ];
  });
}

function drawBox(name: string, jobs: number, counts: Counts, { x, y }: Box, { width, height, named }: Grid): Html {
  const title = html`<title>${name}: ${countStates(counts)}</title>`;
  if (jobs > 1 || height > NAMED.height) {
    const told = SHOWN_JOB_STATES.flatMap((state) =>
      counts[state] ? [`${counts[state]} ${JOB_STATE[state].letter}`] : [],
    ).join("  ");
    return html`<g>${title}<rect class="box" x="${at(x)}" y="${at(y)}" width="${width}" height="${height}" rx="3" fill="none"/><text x="${at(x + 6)}" y="${at(y + 14)}">${shorten(name, 24)} × ${jobs}</text><text class="dim" x="${at(x + 6)}" y="${at(y + 27)}">${told}</text>${stacked(counts, jobs, x, y + height - 8, width)}</g>`;
  }
  const state = SHOWN_JOB_STATES.find((one) => counts[one]) ?? "waiting";
  const middle = html`<text class="on on-${state}" x="${at(x + (named ? 6 : width / 2))}" y="${at(y + height / 2 + 4)}"${named ? html`` : html` text-anchor="middle"`}>${JOB_STATE[state].letter}${named ? ` ${shorten(name, 20)}` : ""}</text>`;
  return html`<g>${title}<rect class="box ${state}" x="${at(x)}" y="${at(y)}" width="${width}" height="${height}" rx="3"/>${middle}</g>`;
}

function stacked(counts: Counts, jobs: number, x: number, y: number, width: number): readonly Html[] {
  let left = x;
  return SHOWN_JOB_STATES.flatMap((state) => {
    if (!counts[state]) return [];
    // One of thousands is seen, too.
    const own = 2 + (counts[state] / jobs) * (width - 2 * Object.keys(counts).length);
    left += own;
    return [html`<rect class="${state}" x="${at(left - own)}" y="${at(y)}" width="${at(own)}" height="8"/>`];
  });
}

export const shorten = (text: string, most: number): string => {
  const signs = [...text];
  return signs.length <= most ? text : `${signs.slice(0, most - 1).join("")}…`;
};
