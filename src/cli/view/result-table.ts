import type { ResultView } from "../../operations/results.ts";
import { outcome } from "./attempt-lines.ts";
import { type Columns, jobStateWord } from "./table.ts";
import { bytes, duration } from "./text.ts";

const seconds = (value: number | null): string => (value === null ? "-" : duration(value));

export const RESULTS: Columns<ResultView> = [
  ["job", ({ name }) => name, "flexible"],
  ["state", ({ state }, { paint }) => jobStateWord(state, paint)],
  ["tries", ({ attempts }) => String(attempts), "right"],
  ["outcome", (row) => (row.exit_code === null ? "-" : outcome(row))],
  ["wall", ({ wall_sec }) => seconds(wall_sec), "right"],
  ["cpu", ({ cpu_sec }) => seconds(cpu_sec), "right"],
  ["memory", ({ peak_memory_mb }) => megabytes(peak_memory_mb), "right"],
  ["of", ({ memory_mb }) => megabytes(memory_mb), "right"],
  ["%", (row) => String(memoryPercent(row) ?? "-"), "right"],
  ["host", ({ host }) => host ?? "-"],
  ["site", ({ site }) => site ?? "-"],
];

const megabytes = (value: number | null): string => (value === null ? "-" : bytes(Math.round(value * 1e6)));

/** Peak memory of what was asked for. */
const memoryPercent = ({ peak_memory_mb: used, memory_mb: asked }: ResultView): number | null =>
  used === null || !asked ? null : Math.round((used / asked) * 100);

const CSV: readonly (readonly [head: string, cell: (row: ResultView) => string | number | null])[] = [
  ["name", ({ name }) => name],
  ["state", ({ state }) => state],
  ["attempts", ({ attempts }) => attempts],
  ["exit_code", ({ exit_code }) => exit_code],
  ["cause", ({ cause }) => cause],
  ["signal", ({ signal }) => signal],
  ["wall_sec", ({ wall_sec }) => wall_sec],
  ["cpu_sec", ({ cpu_sec }) => cpu_sec],
  ["peak_memory_mb", ({ peak_memory_mb }) => peak_memory_mb],
  ["memory_mb", ({ memory_mb }) => memory_mb],
  ["memory_percent", memoryPercent],
  ["cores", ({ cores }) => cores],
  ["host", ({ host }) => host],
  ["site", ({ site }) => site],
  ["started_at", ({ started_at }) => started_at],
  ["ended_at", ({ ended_at }) => ended_at],
  ["unit", ({ unit }) => unit],
  ["node", ({ node }) => node],
  ["reason", ({ reason }) => reason],
];

export const CSV_HEAD = `${CSV.map(([head]) => head).join(",")}\n`;
export const csvLine = (row: ResultView): string => `${CSV.map(([, cell]) => csvCell(cell(row))).join(",")}\n`;

/** One cell (RFC 4180). A spreadsheet would run text that begins like a formula: it gets a ' before it. Numbers are no text. */
export function csvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
