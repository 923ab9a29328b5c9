import { JOB_STATE } from "../../core/job-state.ts";
import type { Notice } from "../follow.ts";
import type { Look, Paint } from "../terminal.ts";
import { bar, unitCells } from "./bar.ts";
import { statusWord, whyNotMoving } from "./tables.ts";
import { count, cut, duration, padEnd, visibleLength } from "./text.ts";
import { unitsAndJobs } from "./unit-word.ts";
import { type Progress, progressOf, type WatchedRequest } from "./watched.ts";

interface FrameLook extends Look {
  /** Lines of the screen. */
  readonly height: number;
}

const MAX_NAME = 32;
const STATUS_WIDTH = 9;
const INDENT = "  ";

interface Row {
  readonly one: WatchedRequest;
  readonly name: string;
  readonly numbers: string;
}

/** One picture of all watched requests; never wider or higher than the screen. `notice` is about the server. */
export function watchFrame(watched: readonly WatchedRequest[], notice: Notice | null, look: FrameLook): string[] {
  const foot = notice === null ? [] : [look.paint.yellow(notice.message)];
  const room = Math.max(1, look.height - 1 - foot.length);
  const rows = watched.slice(0, watched.length > room ? room - 1 : room).map((one) => rowOf(one, look));
  const spare = Math.floor((room - 2 * rows.length) / Math.max(1, rows.length));
  const widths = columnWidths(rows, look.width);
  const lines = rows.flatMap((row) => requestLines(row, widths, spare, look));
  const left = watched.length - rows.length;
  if (left > 0) lines.push(look.paint.dim(`… and ${count(left, "more request")}`));
  return [...lines.slice(0, room), ...foot].map((line) => cut(line, look.width));
}

const rowOf = (one: WatchedRequest, { now, paint }: FrameLook): Row => ({
  one,
  name: cut(one.request.request_name, MAX_NAME),
  numbers: numbersOf(one.request.kind, progressOf(one, now), paint),
});

/** The bars of all requests are as long as the longest line of numbers allows, so they stand below one another. */
function columnWidths(rows: readonly Row[], width: number): { name: number; bar: number } {
  const name = Math.max(0, ...rows.map((row) => row.name.length));
  const numbers = Math.max(0, ...rows.map((row) => visibleLength(row.numbers)));
  const room = width - name - STATUS_WIDTH - numbers - 3;
  // The numbers change their width all the time; steps keep the bars from dancing with them.
  return { name, bar: Math.max(6, Math.min(30, room - (room % 6))) };
}

function requestLines(
  { one, name, numbers }: Row,
  widths: { name: number; bar: number },
  spare: number,
  look: FrameLook,
): string[] {
  const { paint, now, width } = look;
  const { nodes } = progressOf(one, now);
  const status = padEnd(statusWord(one.request.status, paint), STATUS_WIDTH);
  const lines = [`${padEnd(paint.bold(name), widths.name)} ${status} ${bar(nodes, widths.bar, paint)} ${numbers}`];
  const why = whyNotMoving(one.request);
  if (why && spare >= 0) lines.push(`${INDENT}${paint.yellow(why)}`);
  const rows = spare - (why ? 1 : 0);
  const cells = unitCells(one.units, { width: width - INDENT.length, rows, paint });
  return [...lines, ...cells.map((line) => INDENT + line)];
}

function numbersOf(
  kind: string,
  { units, nodes, retries, round, rate, ended, elapsedSec, ready }: Progress,
  paint: Paint,
): string {
  const parts = [
    ...unitsAndJobs(kind, units, nodes),
    retries ? paint.yellow(`↻${retries}`) : "",
    units.failed ? paint.red(`${JOB_STATE.failed.letter}${units.failed}`) : "",
    round > 0 ? `round ${round}` : "",
    rate !== null && !ended ? `${rate.toFixed(1)}/s` : "",
    duration(elapsedSec),
    paint.dim(ready),
  ];
  return parts.filter(Boolean).join("  ");
}
