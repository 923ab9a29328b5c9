import Table from "cli-table3";
import type { Paint } from "../terminal.ts";
import { cut, visibleLength } from "./text.ts";

export interface Column {
  readonly head: string;
  readonly align?: "left" | "right";
  /** Takes the width the others leave; the text is cut to fit. One column at most. */
  readonly flexible?: boolean;
}

const NO_BORDERS = Object.fromEntries(
  ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"]
    .concat(["left", "left-mid", "mid", "mid-mid", "right", "right-mid"])
    .map((name) => [name, ""]),
);

/** Columns without lines, headed in small capitals' stead by dim capitals. No trailing blanks. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { width, paint }: { width: number; paint: Paint },
): string {
  const widths = columns.map(({ head }, at) =>
    Math.max(head.length, ...rows.map((row) => visibleLength(row[at] ?? ""))),
  );
  const flexible = columns.findIndex((column) => column.flexible);
  if (flexible >= 0) {
    const others = widths.reduce((sum, one, at) => sum + (at === flexible ? 0 : one + 2), 0);
    widths[flexible] = Math.max(10, Math.min(widths[flexible] ?? 0, width - others));
  }
  const made = new Table({
    head: columns.map(({ head }) => paint.dim(head.toUpperCase())),
    colAligns: columns.map(({ align }) => align ?? "left"),
    chars: { ...NO_BORDERS, middle: "  " },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    colWidths: widths,
  });
  for (const row of rows) {
    made.push(columns.map((_, at) => (at === flexible ? cut(row[at] ?? "", widths[at] ?? 0) : (row[at] ?? ""))));
  }
  return made
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}
