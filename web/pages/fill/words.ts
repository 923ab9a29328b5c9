import { writeInterval } from "../../../src/core/calendar.ts";
import type { FillPlanView } from "../../../src/operations/fill.ts";
import { CELL_GLYPHS } from "../../../src/recovery/explain/fill-grid.ts";
import { type FillSection, fillSections } from "../../../src/recovery/explain/fill-text.ts";
import type { Tone } from "../../ui/badge.tsx";
import { count, quoted } from "../../words.ts";
import type { CellState } from "./layout.ts";

/** The letters are those of `wms2 fill`; a hole is hollow. */
export const CELL_TONE: Readonly<Record<CellState, Tone | "hole">> = {
  done: "done",
  missing: "hole",
  failed: "failed",
  stale: "retrying",
  redo: "retrying",
  running: "running",
  queued: "running",
  waiting: "waiting",
  "no-history": "waiting",
  held: "held",
  unknown: "failed",
  none: "waiting",
};
export const letterOf = (state: CellState): string => CELL_GLYPHS[state].glyph;
export const wordsOf = (state: CellState): string => CELL_GLYPHS[state].means;

/** What the address says. */
export interface Choice {
  readonly component?: string;
  readonly from?: string;
  readonly to?: string;
  readonly mode: "missing" | "failed" | "all";
  readonly recurse: boolean;
}

export const MODES = [
  ["missing", "Missing"],
  ["failed", "And failed"],
  ["all", "All again"],
] as const;

export const cliFill = (name: string, { component, from, to, mode, recurse }: Choice): string =>
  [
    `wms2 fill ${quoted(name)}`,
    component && `--component ${quoted(component)}`,
    from && `--from ${quoted(from)}`,
    to && `--to ${quoted(to)}`,
    mode !== "failed" && `--mode ${mode}`,
    !recurse && "--no-recurse",
  ]
    .filter(Boolean)
    .join(" ");

/** How it stands, in one sentence. */
export function fillSentence({ done, holes, actions, obstacles, range }: FillPlanView): { tone: Tone; text: string } {
  if (done + holes === 0) return { tone: "waiting", text: "Nothing is due in this selection." };
  const span = range.to > range.from ? ` in ${writeInterval(range)}` : "";
  if (holes === 0 && actions.length === 0)
    return { tone: "done", text: `All ${count(done, "product")}${span} are there.` };
  const held = obstacles.filter(({ kind }) => kind === "held").length;
  const parts = [
    `${count(holes, "hole")} and ${done.toLocaleString("en")} done${span}`,
    actions.length > 0 ? `${actions.length.toLocaleString("en")} would be made now` : "nothing can be made now",
    ...(held > 0 ? [`${held.toLocaleString("en")} held, which need a person`] : []),
  ];
  return { tone: held > 0 ? "held" : holes > 0 ? "failed" : "retrying", text: `${parts.join("; ")}.` };
}

/** Everything the plan says of one chunk. */
export function storyOf({ actions, obstacles }: FillPlanView, node: string): readonly string[] {
  const doing = actions.filter((action) => action.node === node);
  const standing = obstacles.filter((obstacle) => obstacle.node === node);
  return [
    ...doing.map(({ kind, reason, after }) => {
      const then = after.length > 0 ? `, after ${count(after.length, "other")} (${listed(after)})` : "";
      return `${kind}${then}: ${reason}`;
    }),
    ...standing.map(({ kind, reason, causes }) => {
      const because = causes.length > 0 ? ` (${listed(causes)})` : "";
      return `${kind}: ${reason}${because}`;
    }),
  ];
}

const listed = (names: readonly string[]): string =>
  names.length <= 4 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;

/** What will be done and what will not, a reason each, in the words of `wms2 fill`. */
export const sectionsOf = ({ actions, obstacles }: FillPlanView): readonly FillSection[] =>
  fillSections({
    actions,
    obstacles: obstacles.map(({ until, ...obstacle }) => ({
      ...obstacle,
      until: until === null ? null : new Date(until),
    })),
  } as Parameters<typeof fillSections>[0]);
