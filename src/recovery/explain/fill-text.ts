import { plural } from "../../core/base/text.ts";
import { writeInterval } from "../../core/calendar.ts";
import type { FillObstacle, FillPlan, NodeId } from "../../core/segments.ts";
import { fillGrid, gridLegend } from "./fill-grid.ts";

const MOST_LINES = 20;
/** What people have to look at comes first. */
const OBSTACLES: Readonly<Record<FillObstacle["kind"], string>> = {
  held: "held",
  unknown: "of unknown state",
  "no-history": "without history",
  blocked: "blocked",
  later: "later",
  "not-asked": "left alone",
  running: "running",
  elsewhere: "with frepp",
  stale: "perhaps stale",
};

export interface FillSection {
  readonly title: string;
  /** One a node, or one for many that are alike. */
  readonly lines: readonly string[];
  /** Lines that were left out. */
  readonly more: number;
}

/** exp=CM5  0001-0020  mode=failed */
export const fillHeader = ({ experiment, range, choice }: FillPlan): string => {
  const parts = [
    `exp=${experiment}`,
    range.to > range.from ? writeInterval(range) : "nothing is due",
    `mode=${choice.mode}`,
  ];
  if (choice.component !== null) parts.push(`component=${choice.component}`);
  if (!choice.recurse) parts.push("without what is needed");
  return parts.join("  ");
};

/** What will be done, and what will not: a reason each. */
export function fillSections({ actions, obstacles }: Pick<FillPlan, "actions" | "obstacles">): readonly FillSection[] {
  const doing = actions.map(({ node, kind, reason, after }) => {
    const then = after.length === 0 ? "" : `, then (waits for ${plural(after.length, "other")})`;
    return {
      node,
      kind: `${kind}${after.length === 0 ? "" : ", after others"}`,
      text: `${kind}${then}: ${reason}`,
      reason,
    };
  });
  const sections = [section(`${actions.length} to do`, doing)];
  for (const [kind, title] of Object.entries(OBSTACLES)) {
    const some = obstacles.filter((obstacle) => obstacle.kind === kind);
    const lines = some.map(({ node, reason, until }) => {
      const text = until ? `${reason} (${until.toISOString().slice(0, 16)}Z)` : reason;
      return { node, kind, text, reason: text };
    });
    sections.push(section(`${some.length} ${title}`, lines));
  }
  return sections.filter(({ lines }) => lines.length > 0);
}

interface Told {
  readonly node: NodeId;
  readonly kind: string;
  readonly text: string;
  readonly reason: string;
}

/** Few are told one by one; of many, those of one product that have the same reason together. */
function section(title: string, told: readonly Told[]): FillSection {
  if (told.length <= MOST_LINES) return { title, lines: told.map(({ node, text }) => `${node}  ${text}`), more: 0 };
  const groups = new Map<string, Told[]>();
  for (const one of told) {
    const key = [productOf(one.node), one.kind, one.reason].join("\n");
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  const lines = [...groups.values()].map((group) => {
    const [first] = group as [Told];
    if (group.length === 1) return `${first.node}  ${first.text}`;
    return `${first.node} … ${spanOf(group.at(-1)!.node)} (${group.length})  ${first.kind}: ${first.reason}`;
  });
  return { title, lines: lines.slice(0, MOST_LINES), more: Math.max(0, lines.length - MOST_LINES) };
}
const productOf = (node: NodeId): string => node.slice(0, node.lastIndexOf("/"));
const spanOf = (node: NodeId): string => node.slice(node.lastIndexOf("/") + 1);

function legendLines(plan: FillPlan, width: number): readonly string[] {
  const lines: string[] = [];
  for (const { glyph, means } of gridLegend(plan)) {
    const longer = `${lines.at(-1) ?? ""}   ${glyph} ${means}`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(`${glyph} ${means}`);
  }
  return lines;
}

/** All of it as plain text, as a terminal without colours shows it. */
export function fillText(plan: FillPlan, width = 80): string {
  const pages = fillGrid(plan, width).flatMap((page) => {
    const rest = `${plural(page.folded, "line")}, all done`;
    if (page.lines.length === 0) return [`${writeInterval(page.range)}: ${rest}`, ""];
    const lines = page.lines.map(({ label, spans }) => label + spans.map(({ text }) => text).join(""));
    return [page.header, ...lines, ...(page.folded > 0 ? [`and ${rest}`] : []), ""];
  });
  const sections = fillSections(plan).flatMap(({ title, lines, more }) => [
    `${title}:`,
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more; --json has all`] : []),
  ]);
  const sum = `${plan.done} done, ${plural(plan.holes, "hole")}`;
  return [fillHeader(plan), "", ...pages, ...legendLines(plan, width), "", ...sections, sum, ""].join("\n");
}
