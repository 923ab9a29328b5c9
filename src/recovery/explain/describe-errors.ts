import { cut, listed, percent, plural, wrap } from "../../core/base/text.ts";
import type { Example } from "../round/counts.ts";
import { beyond, type ErrorsView } from "./errors-view.ts";

/**
 * The errors view as lines of text, at most `width` wide and one screen long, for ten failures or ten thousand: every
 * part shows a few rows and says how many more there are; the ends of logs get what room is left.
 */
export function describeErrors(view: ErrorsView, width: number): readonly string[] {
  const most = Math.max(40, width);
  const { command, everybodyCommand } = view.suggestion;
  const before = [
    headline(view),
    ...first(view, most),
    "",
    ...byCode("failures", view.codes, view.more.codes),
    ...byCode("tried again", view.retrying, view.more.retrying, FEW),
    ...byBlocker(view),
    ...bySite(view),
    ...byFile(view),
    ...rows(
      "left out",
      view.excluded,
      view.more.excluded,
      ({ file, reason }) => `${" ".repeat(9)}${file}  ${reason}`,
      FEW,
    ),
  ];
  const advice = ["", ...wrap(`suggested: ${suggestion(view)}`, most, 11, 3)];
  const lines = [...before, ...tails(view, SCREEN_LINES - before.length - advice.length - 1), ...advice];
  const page = lines.map((line) => cut(line, most));
  // Whole, however long: they are there to be typed.
  return [
    ...page,
    ...(command === null ? [] : [`     type: ${command}`]),
    ...(everybodyCommand === null ? [] : [`  for all: ${everybodyCommand}`]),
  ];
}

const SCREEN_LINES = 48;
const ROWS = 5;
const FEW = 2;
const TAIL_LINES = 6;
const SHOWN_TAILS = 2;

function headline(view: ErrorsView): string {
  const { unitWord, unitsFailed, unitsTotal, nodesFailed, nodesRecovered, nodesRetrying } = view;
  const retrying = nodesRetrying > 0 ? `${plural(nodesRetrying, "job")} failed and will be tried again` : "";
  const done = `${view.unitsDone} of ${plural(unitsTotal, unitWord)} done`;
  if (unitsFailed === 0) return `${retrying || "no failures"}; ${done}`;
  const share = unitsTotal > 0 ? ` (${percent(unitsFailed / unitsTotal)})` : "";
  const nodes = unitWord === "job" ? "" : `, ${plural(nodesFailed, "node")}`;
  const recovered =
    nodesRecovered > 0 ? `; ${plural(nodesRecovered, nodeWord(view))} failed at first and then succeeded` : "";
  return `${unitsFailed} of ${plural(unitsTotal, unitWord)} failed${share}${nodes}${recovered}${retrying && `; ${retrying}`}`;
}

/** Where a unit is one job, nobody speaks of nodes. */
const nodeWord = ({ unitWord }: ErrorsView): string => (unitWord === "job" ? unitWord : "node");

function first({ first, categories, common, retrying, unreadableLines }: ErrorsView, width: number): string[] {
  const lines: string[] = [];
  if (categories.length > 0)
    lines.push(`category   ${categories.map(({ category, failures }) => `${category} ${failures}`).join(" · ")}`);
  if (first) {
    const where = `${called(first)}${first.site ? ` at ${first.site}` : ""}`;
    lines.push(...wrap(`first      ${first.at} ${where}: ${first.reason}`, width, 11, 3));
  }
  if (common.length > 0) lines.push(...wrap(`common     ${common.join("; ")}`, width, 11, 2));
  const next = retrying.flatMap(({ example: { notBefore } }) => notBefore ?? []).toSorted()[0];
  if (next) lines.push(`next try   ${next}`);
  if (unreadableLines > 0) lines.push(`not read   ${plural(unreadableLines, "line")} of the ledgers`);
  return lines;
}

const byCode = (title: string, codes: ErrorsView["codes"], more: number, most = ROWS): string[] =>
  rows(
    title,
    codes,
    more,
    ({ failures, name, category, example, meaning }) => {
      const where = called(example);
      return `${count(failures)}  ${name.padEnd(12)} ${category.padEnd(14)} ${where}  ${meaning ?? example.reason}`;
    },
    most,
  );

/** A job of a graph has the name that the person gave it. */
const called = ({ unit, node, job }: Example): string => job ?? `${unit}/${node}`;

const byBlocker = ({ blocked = [] }: ErrorsView): string[] =>
  rows("blocked", blocked, 0, ({ by, units }) => `${count(units)}  wait for ${by}, which failed`);

const bySite = (view: ErrorsView): string[] =>
  rows("sites", view.sites, view.more.sites, ({ site, failed, blamed, nodes }) => {
    const blame = blamed > 0 ? "; the site is the likely cause" : "";
    return `${count(failed)}  ${site.padEnd(20)} of ${nodes} ${nodeWord(view)}s that ran there${blame}`;
  });

const byFile = ({ files, more }: ErrorsView): string[] =>
  rows("files", files, more.files, ({ file, bad, failures, sites }) => {
    const where = sites.length > 0 ? ` (${listed(sites, 2)})` : "";
    return `${count(failures)}  ${bad ? "bad      " : "suspected"} ${file}${where}`;
  });

/** A few rows, and how many more there are: `more` beyond those given. */
function rows<T>(title: string, items: readonly T[], more: number, line: (item: T) => string, most = ROWS): string[] {
  if (items.length === 0) return [];
  const left = more + beyond(items, most);
  return [left > 0 ? `${title} (and ${left} more)` : title, ...items.slice(0, most).map(line)];
}

function tails({ codes, retrying }: ErrorsView, room: number): string[] {
  const shown = [...codes, ...retrying]
    .filter(({ logTail }) => logTail !== null && logTail.trim() !== "")
    .slice(0, SHOWN_TAILS);
  const each = Math.min(TAIL_LINES, Math.floor((room - 1) / shown.length) - 1);
  const logs = shown.flatMap(({ example, name, logTail }) => {
    const lines = (logTail ?? "").split("\n").filter((line) => line.trim() !== "");
    return [`log of ${called(example)} (${name})`, ...lines.slice(-each).map((line) => `  | ${line}`)];
  });
  return logs.length > 0 ? ["", ...logs] : [];
}

function suggestion({ suggestion }: ErrorsView): string {
  const { action, modifications, reason } = suggestion;
  const keys = Object.keys(modifications);
  return `${action}${keys.length > 0 ? ` with ${keys.join(", ")}` : ""}: ${reason}`;
}

const count = (failures: number): string => String(failures).padStart(7);
