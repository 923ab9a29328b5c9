import { JOB_STATE } from "../../core/job-state.ts";
import type { UnitRowView } from "../../operations/dags.ts";
import type { Paint } from "../terminal.ts";
import { cut, padEnd, visibleLength } from "./text.ts";

export interface BarParts {
  readonly total: number;
  readonly done: number;
  readonly running: number;
  readonly failed: number;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/**
 * done █, failed ▒, running ▓, the rest ░; always exactly `width` signs. A part that is not nothing is seen, and
 * a bar is full only when everything is done.
 */
export function bar({ total, done, running, failed }: BarParts, width: number, paint: Paint): string {
  const open = Math.max(0, total - done - running - failed);
  const [full = 0, bad = 0, busy = 0, rest = 0] = shares([done, failed, running, open], width);
  return (
    paint.green("█".repeat(full)) +
    paint.red("▒".repeat(bad)) +
    paint.cyan("▓".repeat(busy)) +
    paint.dim("░".repeat(rest))
  );
}

/** Signs per part: in proportion, at least one for what is not nothing, and `width` together. */
function shares(parts: readonly number[], width: number): number[] {
  const all = parts.reduce((sum, part) => sum + part, 0);
  if (all === 0) return parts.map((_, at) => (at === parts.length - 1 ? width : 0));
  const exact = parts.map((part) => (part / all) * width);
  const signs = exact.map((share) => (share > 0 ? Math.max(1, Math.floor(share)) : 0));
  for (let sum = signs.reduce((a, b) => a + b, 0); sum !== width; sum += sum < width ? 1 : -1) {
    const step = sum < width ? 1 : -1;
    const mayChange = (at: number): boolean => (parts[at] ?? 0) > 0 && (step > 0 || (signs[at] ?? 0) > 1);
    const lacks = (at: number): number =>
      mayChange(at) ? ((exact[at] ?? 0) - (signs[at] ?? 0)) * step : Number.NEGATIVE_INFINITY;
    const best = signs.reduce((found, _, at) => (lacks(at) > lacks(found) ? at : found), 0);
    signs[best] = (signs[best] ?? 0) + step;
  }
  return signs;
}

/** A thin bar in eighths for small cells. */
export function thinBar(share: number, width: number, paint: Paint): string {
  const eighths = Math.floor(Math.max(0, Math.min(1, share)) * width * 8);
  const whole = Math.floor(eighths / 8);
  const part = EIGHTHS[eighths % 8] ?? "";
  return paint.green("█".repeat(whole) + part) + paint.dim("·".repeat(width - whole - (part ? 1 : 0)));
}

interface CellLook {
  readonly width: number;
  /** Lines there is room for. */
  readonly rows: number;
  readonly paint: Paint;
}

const CELL_BAR = 10;
const GAP = 2;
const MAX_CELLS = 500;

/** Units as small bars side by side; when there are too many, one sign each; when even that is too much, one for several. */
export function unitCells(units: readonly UnitRowView[], look: CellLook): string[] {
  if (units.length === 0 || look.rows < 1) return [];
  if (units.length > MAX_CELLS) return signs(units, look);
  const cells = units.map((unit) => cell(unit, look.paint));
  // Room for the first retry, so that cells do not move when it comes.
  const least = units.some(({ job }) => job === undefined) ? 9 + 1 + CELL_BAR + 1 + 6 : 0;
  const cellWidth = Math.max(least, ...cells.map(visibleLength));
  const columns = Math.max(1, Math.floor((look.width + GAP) / (cellWidth + GAP)));
  const lines = Math.ceil(units.length / columns);
  if (lines <= look.rows) {
    // Column by column, so that neighbours stay neighbours when the window grows.
    return Array.from({ length: lines }, (_, row) =>
      Array.from({ length: columns }, (_, column) => cells[column * lines + row])
        .filter((text) => text !== undefined)
        .map((text) => padEnd(text, cellWidth))
        .join(" ".repeat(GAP))
        .trimEnd(),
    );
  }
  return signs(units, look);
}

const JOB_NAME = 30;

/** A job of a graph is done or not: its name, and the letter of its state. */
function jobCell({ state, retries }: UnitRowView, name: string, paint: Paint): string {
  const text = `${JOB_STATE[state].letter} ${cut(name, JOB_NAME)}`;
  const again = retries ? ` ${paint.yellow(`↻${retries}`)}` : "";
  return `${inColor(state, text, paint)}${again}`;
}

/** What runs is most of what is seen: it has no colour. */
const inColor = (state: UnitRowView["state"], text: string, paint: Paint): string =>
  state === "running" ? text : paint[JOB_STATE[state].color](text);

function cell(unit: UnitRowView, paint: Paint): string {
  if (unit.job !== undefined) return jobCell(unit, unit.job, paint);
  const name = inColor(unit.state, unit.unit, paint);
  const share = unit.nodes === 0 ? 0 : unit.done / unit.nodes;
  const extras = [
    `${unit.done}/${unit.nodes}`,
    unit.retries ? paint.yellow(`↻${unit.retries}`) : "",
    unit.failed ? paint.red(`${JOB_STATE.failed.letter}${unit.failed}`) : "",
  ];
  return `${name} ${thinBar(share, CELL_BAR, paint)} ${extras.filter(Boolean).join(" ")}`;
}

function signs(units: readonly UnitRowView[], { width, rows, paint }: CellLook): string[] {
  const perLine = Math.max(10, width);
  const perSign = Math.ceil(units.length / (perLine * rows));
  const groups = Array.from({ length: Math.ceil(units.length / perSign) }, (_, at) =>
    units.slice(at * perSign, (at + 1) * perSign),
  );
  const lines = Array.from({ length: Math.ceil(groups.length / perLine) }, (_, at) =>
    groups
      .slice(at * perLine, (at + 1) * perLine)
      .map((group) => sign(group, paint))
      .join(""),
  );
  if (perSign > 1) lines.push(paint.dim(`one sign is ${perSign} units`));
  return lines;
}

/** The state a person should know of first. */
function sign(group: readonly UnitRowView[], paint: Paint): string {
  const has = (state: UnitRowView["state"]) => group.some((unit) => unit.state === state);
  if (has("failed")) return paint.red(JOB_STATE.failed.letter);
  if (has("running")) return paint.cyan("▓");
  if (has("waiting")) return has("done") ? paint.cyan("▒") : paint.dim("░");
  return paint.green("█");
}
