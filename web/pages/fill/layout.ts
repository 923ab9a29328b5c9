import { type Month, monthOf, writeYear, yearOf } from "../../../src/core/calendar.ts";
import type { FillPlanView } from "../../../src/operations/fill.ts";

/** Where everything of the grid stands: blocks as long as the time they cover, in pixels from its left edge. */
export type CellState = FillPlanView["rows"][number]["cells"][number]["state"];
export interface Block {
  readonly node: string;
  readonly state: CellState;
  readonly from: Month;
  readonly to: Month;
  readonly left: number;
  readonly width: number;
}
interface Line {
  readonly component: string;
  readonly product: string;
  readonly blocks: readonly Block[];
}
export interface Layout {
  readonly width: number;
  readonly lines: readonly Line[];
  readonly ticks: readonly { readonly left: number; readonly text: string }[];
}

/** Wide enough to be pressed, and for its letter. */
const LEAST_BLOCK = 24;
const LEAST_TICK = 56;
const YEARS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** The shortest chunk is as wide as a finger needs; where there is room, all are wider. */
export function layOut({ rows, range }: Pick<FillPlanView, "rows" | "range">, room: number): Layout {
  const spans = rows.map(({ cells, length_months }) =>
    cells.map((cell, at) => ({ ...cell, from: Math.max(cell.due - length_months, cells[at - 1]?.due ?? -Infinity) })),
  );
  const least = (values: Iterable<number>, most: number): number => [...values].reduce((a, b) => Math.min(a, b), most);
  const begin = least(
    spans.flatMap(([first]) => first?.from ?? []),
    range.from,
  );
  const months = Math.max(1, range.to - begin);
  const shortest = least(
    spans.flatMap((line) => line.map(({ due, from }) => due - from)),
    months,
  );
  const scale = Math.max(LEAST_BLOCK / shortest, room / months);
  const left = (month: Month): number => (month - begin) * scale;
  const lines = rows.map(({ component, product }, at) => ({
    component,
    product,
    blocks: spans[at]!.map(({ node, state, due, from }) => ({
      node,
      state,
      from,
      to: due,
      left: left(from),
      width: (due - from) * scale,
    })),
  }));
  return { width: months * scale, lines, ticks: ticksOf(begin, begin + months, scale, left) };
}

function ticksOf(begin: Month, end: Month, scale: number, left: (month: Month) => number): Layout["ticks"] {
  const step = YEARS.find((years) => years * 12 * scale >= LEAST_TICK) ?? YEARS.at(-1)!;
  const ticks: { left: number; text: string }[] = [];
  for (let year = yearOf(begin); monthOf(year) < end; year += step)
    if (monthOf(year) >= begin) ticks.push({ left: left(monthOf(year)), text: writeYear(year) });
  return ticks;
}

/** Of a line, what is in sight; blocks are in order and do not overlap. */
export const blocksWithin = ({ blocks }: Line, from: number, to: number): readonly Block[] =>
  blocks.filter(({ left, width }) => left + width > from && left < to);

/** Where a key leads from a block: along the line, or to what covers the same time in the next one that has something. */
export function moveFrom(lines: readonly Line[], node: string | null, key: string): string | null {
  const at = lines.findIndex(({ blocks }) => blocks.some((block) => block.node === node));
  const line = lines[at];
  if (!line) return lines.find(({ blocks }) => blocks.length > 0)?.blocks[0]?.node ?? null;
  const place = line.blocks.findIndex((block) => block.node === node);
  const here = line.blocks[place]!;
  const along = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: line.blocks.length - 1 }[key];
  if (along !== undefined) return line.blocks[along]?.node ?? here.node;
  const others = key === "ArrowDown" ? lines.slice(at + 1) : key === "ArrowUp" ? lines.slice(0, at).toReversed() : [];
  const next = others.find(({ blocks }) => blocks.length > 0);
  if (!next) return here.node;
  const middle = (here.from + here.to) / 2;
  return (next.blocks.find(({ to }) => to > middle) ?? next.blocks.at(-1)!).node;
}
