import type { ResultView } from "../../../src/operations/results.ts";
import { duration } from "../../ui/time-words.ts";

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

/** The axis has so many marks, at least a second apart. */
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

/** What stands along the axis: how long after the first beginning. */
export const marksOf = ({ from, to }: Axis): readonly string[] =>
  Array.from({ length: PARTS }, (_, at) => (at === 0 ? "0" : `+${duration(((to - from) * at) / PARTS / 1000)}`));
