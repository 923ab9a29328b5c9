import type { Paint } from "../terminal.ts";
import { bar } from "./bar.ts";
import { whyNotMoving } from "./request-list.ts";
import { statusWord } from "./status.ts";
import { count, cutColoured, duration, padEnd, visibleLength } from "./text.ts";
import { unitCells } from "./unit-cells.ts";
import { type Progress, progressOf, type WatchedRequest } from "./watched.ts";

export interface FrameLook {
  readonly now: Date;
  readonly width: number;
  /** Lines of the screen. */
  readonly height: number;
  readonly paint: Paint;
}

const MAX_NAME = 32;
const INDENT = "  ";

/** One picture of all watched requests; never wider or higher than the screen. `notice` is about the server. */
export function watchFrame(
  watched: readonly WatchedRequest[],
  notice: string | null,
  look: FrameLook,
): string[] {
  const foot = notice === null ? [] : [look.paint.yellow(notice)];
  const room = Math.max(1, look.height - 1 - foot.length);
  const shown = watched.slice(0, watched.length > room ? room - 1 : room);
  const nameWidth = Math.min(
    MAX_NAME,
    Math.max(0, ...shown.map(({ request }) => request.request_name.length)),
  );
  const spare = Math.floor((room - 2 * shown.length) / Math.max(1, shown.length));
  const lines = shown.flatMap((one) => requestLines(one, nameWidth, spare, look));
  const left = watched.length - shown.length;
  if (left > 0) lines.push(look.paint.dim(`… and ${count(left, "more request", "more requests")}`));
  return [...lines.slice(0, room), ...foot].map((line) => cutColoured(line, look.width));
}

function requestLines(one: WatchedRequest, nameWidth: number, spare: number, look: FrameLook): string[] {
  const progress = progressOf(one, look.now);
  const why = whyNotMoving(one.request);
  const lines = [headLine(one, progress, nameWidth, look)];
  if (why && spare >= 0) lines.push(`${INDENT}${look.paint.yellow(why)}`);
  const rows = spare - (why ? 1 : 0);
  const cells = unitCells(one.units, { width: look.width - INDENT.length, rows, paint: look.paint });
  return [...lines, ...cells.map((line) => INDENT + line)];
}

function headLine(
  one: WatchedRequest,
  progress: Progress,
  nameWidth: number,
  { width, paint }: FrameLook,
): string {
  const { request } = one;
  const { units, nodes } = progress;
  const words = [
    `${units.done}/${units.total} units`,
    `${nodes.done}/${nodes.total} jobs`,
    progress.retries ? paint.yellow(`↻${progress.retries}`) : "",
    units.failed ? paint.red(`✖${units.failed}`) : "",
    progress.round > 0 ? `round ${progress.round}` : "",
    progress.rate !== null && !progress.ended ? `${progress.rate.toFixed(1)}/s` : "",
    duration(progress.elapsedSec),
    progress.leftSec !== null ? paint.dim(`${duration(progress.leftSec)} left`) : "",
  ];
  const told = words.filter(Boolean).join("  ");
  const head = `${padEnd(paint.bold(request.request_name), nameWidth)} ${padEnd(statusWord(request.status, paint), 9)}`;
  // The numbers change their width all the time; steps keep the bar from dancing with them.
  const room = width - visibleLength(head) - visibleLength(told) - 2;
  const barWidth = Math.max(6, Math.min(36, room - (room % 6)));
  return `${head} ${bar(nodes, barWidth, paint)} ${told}`;
}
