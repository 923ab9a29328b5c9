import { cut, listed, percent, plural, wrap } from "../words.ts";
import type { CodeView, ErrorsView } from "./errors-view.ts";

/**
 * The errors view as lines of text, at most `width` wide and about one screen long, for ten failures or ten thousand:
 * every part shows a few rows and says how many more there are.
 */
export function describeErrors(view: ErrorsView, width: number): readonly string[] {
  const most = Math.max(40, width);
  return [
    headline(view),
    ...first(view, most),
    "",
    ...byCode(view),
    ...bySite(view),
    ...byFile(view),
    ...byHost(view),
    ...tails(view),
    "",
    ...wrap(`suggested: ${suggestion(view)}`, most, 11, 3),
  ].map((line) => cut(line, most));
}

const ROWS = 5;
const TAIL_LINES = 6;
const SHOWN_TAILS = 2;

function headline(view: ErrorsView): string {
  const { unitsFailed, unitsTotal, nodesFailed, nodesRecovered } = view;
  if (unitsFailed === 0) return `no failures; ${view.unitsDone} of ${plural(unitsTotal, "unit")} done`;
  const share = unitsTotal > 0 ? ` (${percent(unitsFailed / unitsTotal)})` : "";
  const recovered = nodesRecovered > 0 ? `; ${plural(nodesRecovered, "node")} failed once and got through` : "";
  return `${unitsFailed} of ${plural(unitsTotal, "unit")} failed${share}, ${plural(nodesFailed, "node")}${recovered}`;
}

function first({ first, categories, unreadableLines }: ErrorsView, width: number): string[] {
  const lines: string[] = [];
  if (categories.length > 0)
    lines.push(`category   ${categories.map(({ category, failures }) => `${category} ${failures}`).join(" · ")}`);
  if (first) {
    const where = `${first.unit}/${first.node}${first.site ? ` at ${first.site}` : ""}`;
    lines.push(...wrap(`first      ${first.at} ${where}: ${first.reason}`, width, 11, 3));
  }
  if (unreadableLines > 0) lines.push(`not read   ${plural(unreadableLines, "line")} of the ledgers`);
  return lines;
}

function byCode({ codes, more }: ErrorsView): string[] {
  return rows(
    "failures",
    codes.slice(0, ROWS).map((code) => {
      const meaning = code.meaning ?? code.example.reason;
      const example = `${code.example.unit}/${code.example.node}`;
      return `${count(code.failures)}  ${code.name.padEnd(12)} ${code.category.padEnd(14)} ${example}  ${meaning}`;
    }),
    more.codes + Math.max(0, codes.length - ROWS),
  );
}

function bySite({ sites, more }: ErrorsView): string[] {
  return rows(
    "sites",
    sites
      .slice(0, ROWS)
      .map(
        ({ site, failed, blamed, nodes }) =>
          `${count(failed)}  ${site.padEnd(20)} of ${nodes} nodes that ran there${blamed > 0 ? `; the site is to blame for ${blamed}` : ""}`,
      ),
    more.sites + Math.max(0, sites.length - ROWS),
  );
}

function byFile({ files, more }: ErrorsView): string[] {
  return rows(
    "files",
    files
      .slice(0, ROWS)
      .map(
        ({ file, bad, failures, sites }) =>
          `${count(failures)}  ${bad ? "bad      " : "suspected"} ${file}${sites.length > 0 ? ` (${listed(sites, 2)})` : ""}`,
      ),
    more.files + Math.max(0, files.length - ROWS),
  );
}

/** Workers are worth a line only when one of them stands out. */
function byHost({ hosts, nodesFailed }: ErrorsView): string[] {
  const [worst] = hosts;
  if (!worst || worst.failures < 2 || worst.failures * 4 < nodesFailed) return [];
  return ["workers", `${count(worst.failures)}  ${worst.host}`];
}

function tails({ codes }: ErrorsView): string[] {
  const shown = codes.filter((code) => code.logTail !== null && code.logTail.trim() !== "").slice(0, SHOWN_TAILS);
  return shown.flatMap((code) => [
    "",
    `log of ${code.example.unit}/${code.example.node} (${code.name})`,
    ...lastLines(code).map((line) => `  | ${line}`),
  ]);
}

const lastLines = ({ logTail }: CodeView): string[] =>
  (logTail ?? "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-TAIL_LINES);

function suggestion({ suggestion }: ErrorsView): string {
  const { action, modifications, because } = suggestion;
  const keys = Object.keys(modifications);
  return `${action}${keys.length > 0 ? ` with ${keys.join(", ")}` : ""}: ${because}`;
}

function rows(title: string, lines: readonly string[], more: number): string[] {
  if (lines.length === 0) return [];
  return [title, ...lines, ...(more > 0 ? [`${" ".repeat(9)}and ${more} more`] : [])];
}

const count = (failures: number): string => String(failures).padStart(7);
