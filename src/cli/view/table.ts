import Table from "cli-table3";
import { JOB_STATE, type ShownJobState } from "../../core/job-state.ts";
import type { Look, Paint } from "../terminal.ts";
import { cut, visibleLength } from "./text.ts";

/**
 * Head, cell, and how it stands. One column at most is "flexible": it takes the width the others leave, and its text
 * is cut to fit.
 */
type Column<T> = readonly [head: string, cell: (item: T, look: Look) => string, stands?: "right" | "flexible"];
export type Columns<T> = readonly Column<T>[];

const NO_BORDERS = Object.fromEntries(
  ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"]
    .concat(["left", "left-mid", "mid", "mid-mid", "right", "right-mid"])
    .map((name) => [name, ""]),
);

/** Columns without lines, headed in small capitals' stead by dim capitals. No trailing blanks; nothing without items. */
export function table<T>(columns: Columns<T>, items: readonly T[], look: Look): string {
  if (items.length === 0) return "";
  const rows = items.map((item) => columns.map(([, cell]) => cell(item, look)));
  const widths = columns.map(([head], at) => Math.max(head.length, ...rows.map((row) => visibleLength(row[at] ?? ""))));
  const flexible = columns.findIndex(([, , stands]) => stands === "flexible");
  if (flexible >= 0) {
    const others = widths.reduce((sum, one, at) => sum + (at === flexible ? 0 : one + 2), 0);
    widths[flexible] = Math.max(10, Math.min(widths[flexible] ?? 0, look.width - others));
  }
  const made = new Table({
    head: columns.map(([head]) => look.paint.dim(head.toUpperCase())),
    colAligns: columns.map(([, , stands]) => (stands === "right" ? "right" : "left")),
    chars: { ...NO_BORDERS, middle: "  " },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    colWidths: widths,
  });
  for (const row of rows) made.push(row.map((text, at) => (at === flexible ? cut(text, widths[at] ?? 0) : text)));
  return made
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

type Color = "red" | "green" | "yellow" | "cyan" | "dim";

/** A word in the colour a list gives it; as it is where the list has none. */
export function color(word: string, colors: Readonly<Record<string, Color | undefined>>, paint: Paint): string {
  const name = colors[word];
  return name ? paint[name](word) : word;
}

/** The state of a job, in its colour. */
export const jobStateWord = (state: ShownJobState, paint: Paint): string => paint[JOB_STATE[state].color](state);

/** Items by a word they share, in the order the words came up. */
export function grouped<T>(items: readonly T[], word: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(word(item));
    if (group) group.push(item);
    else groups.set(word(item), [item]);
  }
  return groups;
}
