import { plural } from "../../core/base/text.ts";
import { writeInterval } from "../../core/calendar.ts";
import type { CellState, FillPlan } from "../../core/segments.ts";
import type { FillPlanView } from "../../operations/fill.ts";
import { fillGrid, gridLegend } from "../../recovery/explain/fill-grid.ts";
import { fillHeader, fillSections } from "../../recovery/explain/fill-text.ts";
import type { Look, Paint } from "../terminal.ts";

type Color = keyof Paint;
const COLORS: Readonly<Partial<Record<CellState, Color>>> = {
  none: "dim",
  done: "green",
  missing: "cyan",
  redo: "cyan",
  running: "cyan",
  queued: "cyan",
  failed: "yellow",
  stale: "yellow",
  waiting: "yellow",
  "no-history": "yellow",
  held: "red",
  unknown: "red",
};

/** As the API tells it. */
export const planOf = ({ rows, obstacles, ...plan }: FillPlanView): FillPlan => ({
  ...plan,
  rows: rows.map(({ length_months, ...row }) => ({ ...row, lengthMonths: length_months })),
  obstacles: obstacles.map(({ kind, until, ...obstacle }) => ({
    ...obstacle,
    kind: kind as FillPlan["obstacles"][number]["kind"],
    until: until === null ? null : new Date(until),
  })),
});

/** The grid, what its letters mean, and a reason for all that is done or not done. */
export function fillPage(plan: FillPlan, { paint, width }: Look): string {
  const colored = (text: string, state: CellState | null): string => {
    const color = state && COLORS[state];
    return color ? paint[color](text) : text;
  };
  const pages = fillGrid(plan, width).flatMap(({ range, header, lines, folded }) => {
    const rest = folded > 0 ? [`and ${plural(folded, "line")}, all done`] : [];
    if (lines.length === 0) return [`${writeInterval(range)}: all done`, ""];
    const drawn = lines.map(
      ({ label, spans }) => label + spans.map(({ text, state }) => colored(text, state)).join(""),
    );
    return [paint.dim(header), ...drawn, ...rest, ""];
  });
  const legend = gridLegend(plan).map(({ glyph, means, state }) => `${colored(glyph, state)} ${means}`);
  const sections = fillSections(plan).flatMap(({ title, lines, more }) => [
    `${paint.bold(title)}:`,
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more; --json has all`] : []),
  ]);
  return [fillHeader(plan), "", ...pages, legend.join("   "), "", ...sections].join("\n").trimEnd();
}
