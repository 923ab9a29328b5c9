import { JOB_STATE } from "../../core/job-state.ts";
import type { AttemptView } from "../../operations/attempts.ts";
import { outcome } from "../view/attempt-lines.ts";
import { duration, stamp } from "../view/text.ts";
import { shorten } from "./graph-drawing.ts";
import { at, type Html, html, when } from "./html.ts";

const LEFT = 150;
const WIDTH = 900;
const RIGHT = 60;
const ROW = 14;
const TOP = 24;
const MOST_BARS = 3000;
const MOST_LANES = 120;
/** A bar narrower than this has no room for its letter. */
const LETTER_WIDTH = 9;

interface Bar {
  readonly attempt: AttemptView;
  readonly from: number;
  readonly to: number;
  /** In whole seconds, as its beginning: both are no later than what was so. */
  readonly ended: number;
}
interface Lane {
  readonly host: string;
  readonly isFirst: boolean;
  readonly bars: readonly Bar[];
}

/** Who ran when, where: a lane for each place that a host had at the same time. Null: nobody ran. */
export function drawTimeline(attempts: readonly AttemptView[]): Html | null {
  const timed = attempts.flatMap((attempt): Bar[] => {
    const [from, ended] = [Date.parse(attempt.started_at ?? ""), Date.parse(attempt.ended_at ?? "")];
    // Starts and ends are whole seconds; how long it took is known better.
    const to = Math.max(ended, from + (attempt.wall_sec ?? 0) * 1000);
    return Number.isFinite(to) ? [{ attempt, from, to, ended }] : [];
  });
  if (timed.length === 0) return null;
  const bars = chosen(timed);
  const lanes = inLanes(bars);
  const shown = lanes.slice(0, MOST_LANES);
  const begin = timed.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY);
  const end = timed.reduce((most, { to }) => Math.max(most, to), begin + 1000);
  const x = (time: number): number => LEFT + ((time - begin) / (end - begin)) * WIDTH;
  const height = TOP + shown.length * ROW + 6;
  const drawn = shown.reduce((sum, { bars }) => sum + bars.length, 0);
  return html`<p class="dim">From ${utc(begin)} to ${utc(end)}: ${duration((end - begin) / 1000)}. A lane is a place on a host; starts are known to the second. ${JOB_STATE.done.letter} done, ${JOB_STATE.failed.letter} failed${when(drawn < timed.length, () => html`; ${drawn} of ${timed.length} attempts are drawn, failed ones first`)}.</p>
<div class="scroll"><svg width="${LEFT + WIDTH + RIGHT}" height="${height}" viewBox="0 0 ${LEFT + WIDTH + RIGHT} ${height}" role="img" aria-label="timeline of attempts">${ticks(begin, end, x, height)}${shown.map((lane, place) => drawLane(lane, TOP + place * ROW, x))}</svg></div>`;
}

const utc = (time: number): string => `${stamp(new Date(time).toISOString())} UTC`;

/** All where they are few; otherwise failures first, then others spread evenly. */
function chosen(bars: readonly Bar[]): readonly Bar[] {
  if (bars.length <= MOST_BARS) return bars;
  const isFailed = ({ attempt }: Bar): boolean => attempt.decision !== "done";
  const failed = bars.filter(isFailed).slice(0, MOST_BARS / 2);
  const others = bars.filter((bar) => !isFailed(bar));
  const step = others.length / (MOST_BARS - failed.length);
  return [...failed, ...others.filter((_, place) => Math.floor(place / step) !== Math.floor((place - 1) / step))];
}

/** Starts and ends are known to the second. */
const SECOND = 1000;

/**
 * Each bar in the first lane of its host that can have been free: jobs that followed one another at one place never overlap by
 * their whole seconds, so there are no more lanes than places. Within the second a bar began in, it stands behind the one before.
 * Hosts by name.
 */
export function inLanes(bars: readonly Bar[]): readonly Lane[] {
  const hosts = new Map<string, { ended: number; drawnTo: number; bars: Bar[] }[]>();
  for (const bar of [...bars].sort((a, b) => a.from - b.from || a.ended - b.ended || a.to - b.to)) {
    const host = bar.attempt.host ?? bar.attempt.site ?? "unknown host";
    const lanes = hosts.get(host) ?? [];
    hosts.set(host, lanes);
    const free = lanes.find(({ ended }) => ended <= bar.from);
    if (free) {
      const from = Math.max(bar.from, Math.min(free.drawnTo, bar.from + SECOND));
      const to = Math.max(from, Math.min(from + bar.to - bar.from, Math.max(bar.ended + SECOND, bar.to)));
      free.bars.push({ ...bar, from, to });
      [free.ended, free.drawnTo] = [Math.max(free.ended, bar.ended), Math.max(free.drawnTo, to)];
    } else lanes.push({ ended: bar.ended, drawnTo: bar.to, bars: [bar] });
  }
  return [...hosts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([host, lanes]) => lanes.map(({ bars }, place) => ({ host, isFirst: place === 0, bars })));
}

function ticks(begin: number, end: number, x: (time: number) => number, height: number): readonly Html[] {
  const step = STEPS.find((seconds) => (end - begin) / 1000 / seconds <= 8) ?? (end - begin) / 8000;
  const found: Html[] = [];
  for (let time = begin; time <= end; time += step * 1000)
    found.push(
      html`<line class="axis" x1="${at(x(time))}" y1="${TOP - 6}" x2="${at(x(time))}" y2="${height}"/><text class="dim" x="${at(x(time))}" y="12">${time === begin ? "0" : `+${duration((time - begin) / 1000)}`}</text>`,
    );
  return found;
}
const STEPS = [
  0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 172_800, 604_800,
];

const drawLane = ({ host, isFirst, bars }: Lane, y: number, x: (time: number) => number): Html =>
  html`${when(isFirst, () => html`<text x="0" y="${y + 10}">${shorten(host, 22)}</text>`)}${bars.map((bar) => drawBar(bar, y, x))}`;

function drawBar({ attempt, from, to }: Bar, y: number, x: (time: number) => number): Html {
  const state = attempt.decision === "done" ? "done" : "failed";
  const width = Math.max(1.5, x(to) - x(from));
  const name = attempt.job ?? `${attempt.unit}/${attempt.node}`;
  // A failure is told by a letter above its bar even where there is no room in it.
  const letter = width >= LETTER_WIDTH || state === "failed";
  return html`<rect class="box ${state}" x="${at(x(from))}" y="${y}" width="${at(width)}" height="${ROW - 2}"><title>${name}, try ${attempt.retry + 1}: ${outcome(attempt)}, ${duration(attempt.wall_sec ?? (to - from) / 1000)}</title></rect>${when(letter, () => html`<text class="on on-${state}" x="${at(x(from) + 2)}" y="${y + 10}">${JOB_STATE[state].letter}</text>`)}`;
}
