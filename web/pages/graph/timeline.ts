import type { ResultView } from "../../../src/operations/results.ts";
import { exactDuration } from "../../ui/time-words.ts";

/** The bar of one job on the common axis, in percent of it. */
interface Span {
  readonly left: number;
  readonly width: number;
}
export interface Axis {
  readonly from: number;
  readonly to: number;
}
type Times = Pick<ResultView, "started_at" | "ended_at">;

/** The axis has at most so many marks after the first, at least a second apart. */
const PARTS = 4;
const timeOf = (text: string | null): number | null => (text === null ? null : Date.parse(text));

/** From the first beginning to the last end; null: no job has ended yet. */
export function axisOf(rows: readonly Times[]): Axis | null {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    const [begin, end] = [timeOf(row.started_at), timeOf(row.ended_at)];
    if (begin === null || end === null) continue;
    from = Math.min(from, begin);
    to = Math.max(to, end);
  }
  return from <= to ? { from, to: Math.max(to, from + PARTS * 1000) } : null;
}

/** null: it has not ended, so nobody knows how long it takes. */
export function spanOf(row: Times, { from, to }: Axis): Span | null {
  const [begin, end] = [timeOf(row.started_at), timeOf(row.ended_at)];
  if (begin === null || end === null) return null;
  const share = (at: number) => Math.max(0, Math.min(100, (100 * (at - from)) / (to - from)));
  return { left: share(begin), width: share(Math.max(begin, end)) - share(begin) };
}

/** Whoever began first stands first; who has not ended comes last. */
export const byBeginning = <T extends Times & { readonly name: string }>(rows: readonly T[]): readonly T[] =>
  rows.toSorted(
    (a, b) =>
      (timeOf(a.started_at) ?? Number.POSITIVE_INFINITY) - (timeOf(b.started_at) ?? Number.POSITIVE_INFINITY) ||
      a.name.localeCompare(b.name),
  );

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];
/** Seconds from mark to mark that people count in. */
const STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((days) => days * DAY),
];

interface Mark {
  /** Where it is, in percent of the axis. */
  readonly place: number;
  readonly text: string;
}

/** Behind it there is no room for a text. */
const LAST_PLACE = 85;

/** How far apart the marks are, in percent of the axis, and what stands at each: how long after the first beginning. */
export function marksOf({ from, to }: Axis): { readonly step: number; readonly marks: readonly Mark[] } {
  const span = (to - from) / 1000;
  const sec = STEPS.find((step) => span / step < PARTS + 1) ?? STEPS.at(-1)!;
  const step = (100 * sec) / span;
  const marks = Array.from({ length: Math.floor(LAST_PLACE / step) + 1 }, (_, at) => ({
    place: at * step,
    text: at === 0 ? "0" : `+${exactDuration(at * sec)}`,
  }));
  return { step, marks };
}
