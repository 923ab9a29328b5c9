import { cut } from "../../core/base/text.ts";
import { type Interval, type Month, monthOf, writeYear, yearOf } from "../../core/calendar.ts";
import type { CellState, FillPlan } from "../../core/segments.ts";

/** What stands in the grid, and in its legend. */
export const CELL_GLYPHS: Readonly<Record<CellState, { readonly glyph: string; readonly means: string }>> = {
  done: { glyph: "o", means: "done" },
  missing: { glyph: "-", means: "missing, will be made" },
  failed: { glyph: "F", means: "failed, will be tried again" },
  stale: { glyph: "s", means: "stale: its input has changed" },
  redo: { glyph: "m", means: "done, will be made again" },
  running: { glyph: "r", means: "running" },
  queued: { glyph: "q", means: "queued" },
  waiting: { glyph: "w", means: "waits for others" },
  "no-history": { glyph: "n", means: "history missing" },
  held: { glyph: "H", means: "held: needs a release" },
  unknown: { glyph: "?", means: "unknown" },
  none: { glyph: ".", means: "nothing due" },
};

/** Glyphs of one state that follow each other, or a gap: null. */
interface GridSpan {
  readonly text: string;
  readonly state: CellState | null;
}
interface GridLine {
  /** What it is about, as wide as those of the other lines. */
  readonly label: string;
  readonly spans: readonly GridSpan[];
}
/** As many columns as fit, with a line that says which years they are. */
interface GridPage {
  readonly range: Interval;
  readonly header: string;
  readonly lines: readonly GridLine[];
  /** Lines that were left out because all is done in them. */
  readonly folded: number;
}

type Row = FillPlan["rows"][number];
const STEPS = [12, 6, 4, 3, 2, 1];
const MOST_LINES = 40;

/**
 * One line a product, one column a year (or less, where a product has several chunks in one), pages of what fits. Of many lines
 * only those that are not all done are shown; `isFolded` says whether.
 */
export function fillGrid(
  { rows, range }: FillPlan,
  width = 80,
  isFolded = rows.length > MOST_LINES,
): readonly GridPage[] {
  if (range.to <= range.from) return [];
  const base = monthOf(yearOf(range.from));
  const step = stepOf(rows, base);
  const count = Math.ceil((range.to - base) / step);
  const label = labels(rows);
  const space = Math.max(7, width - (label(rows[0])?.length ?? 0));
  const { group, gap } = groupsOf(step, count * 1.4 <= space);
  const perPage = Math.max(1, Math.floor((space + gap) / (group + gap))) * group;
  const pages: GridPage[] = [];
  for (let first = 0; first < count; first += perPage) {
    const columns = { base, step, first, last: Math.min(count, first + perPage), group, gap };
    const told = isFolded ? rows.filter((row) => hasToldAnything(row, columns)) : rows;
    pages.push({
      range: { from: base + first * step, to: base + columns.last * step },
      header: headerOf(label(undefined), columns),
      lines: told.map((row) => ({ label: label(row), spans: spansOf(row, columns) })),
      folded: rows.length - told.length,
    });
  }
  return pages;
}

interface Columns {
  readonly base: Month;
  readonly step: number;
  readonly first: number;
  readonly last: number;
  readonly group: number;
  readonly gap: number;
}

/** Groups of columns begin with a year. */
function groupsOf(step: number, hasRoom: boolean): Pick<Columns, "group" | "gap"> {
  if (step === 12 && hasRoom) return { group: 5, gap: 2 };
  return { group: step === 12 || step === 6 ? 10 : 12, gap: 1 };
}

const columnOf = (due: Month, { base, step }: Pick<Columns, "base" | "step">): number =>
  Math.floor((due - 1 - base) / step);

/** Months a column: the most with which no two chunks of a product share one. */
const stepOf = (rows: readonly Row[], base: Month): number =>
  STEPS.find((step) =>
    rows.every(({ cells }) =>
      cells.every((cell, index) => {
        const before = cells[index - 1];
        return !before || columnOf(before.due, { base, step }) < columnOf(cell.due, { base, step });
      }),
    ),
  ) ?? 1;

/** Component and product of a row, all equally wide; of no row: as many blanks. */
function labels(rows: readonly Row[]): (row: Row | undefined) => string {
  const widest = (texts: readonly string[]): number =>
    Math.min(
      24,
      texts.reduce((most, { length }) => Math.max(most, length), 0),
    );
  const component = widest(rows.map((row) => row.component));
  const product = widest(rows.map((row) => row.product));
  return (row) =>
    `${cut(row?.component ?? "", component).padEnd(component)} ${cut(row?.product ?? "", product).padEnd(product)}  `;
}

const cellsIn = ({ cells }: Row, columns: Columns): Row["cells"] =>
  cells.filter(({ due }) => {
    const column = columnOf(due, columns);
    return column >= columns.first && column < columns.last;
  });

const hasToldAnything = (row: Row, columns: Columns): boolean =>
  cellsIn(row, columns).some(({ state }) => state !== "done");

function spansOf(row: Row, columns: Columns): readonly GridSpan[] {
  const states = new Map(cellsIn(row, columns).map(({ due, state }) => [columnOf(due, columns), state]));
  const spans: { text: string; state: CellState | null }[] = [];
  const add = (text: string, state: CellState | null): void => {
    const last = spans.at(-1);
    if (last?.state === state) last.text += text;
    else spans.push({ text, state });
  };
  for (let column = columns.first; column < columns.last; column++) {
    if (column > columns.first && (column - columns.first) % columns.group === 0) add(" ".repeat(columns.gap), null);
    const state = states.get(column) ?? "none";
    add(CELL_GLYPHS[state].glyph, state);
  }
  return spans;
}

/** The year each group begins with, above it. */
function headerOf(blank: string, { base, step, first, last, group, gap }: Columns): string {
  let header = blank;
  for (let column = first; column < last; column += group)
    header += writeYear(yearOf(base + column * step)).padEnd(group + gap);
  return header.trimEnd();
}

/** Only what stands in it. */
export function gridLegend({
  rows,
}: FillPlan): readonly { readonly glyph: string; readonly means: string; readonly state: CellState }[] {
  const seen = new Set<CellState>(["none"]);
  for (const { cells } of rows) for (const { state } of cells) seen.add(state);
  return (Object.keys(CELL_GLYPHS) as CellState[])
    .filter((state) => seen.has(state))
    .map((state) => ({ ...CELL_GLYPHS[state], state }));
}
