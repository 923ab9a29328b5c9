/** How many units were done at a time. */
interface DoneAt {
  readonly at: Date;
  readonly done: number;
}

export interface Estimate {
  readonly at: Date;
  readonly earliest: Date;
  /** null: at the slowest pace seen it would never end. */
  readonly latest: Date | null;
}

/** How far back the pace is taken from: of late, of the last hours, of the last day. */
export const PACE_WINDOWS_MS = [30 * 60_000, 2 * 3_600_000, 24 * 3_600_000] as const;
/** Shorter than this, one unit more or less would say too much. */
const LEAST_MS = 60_000;
const MAX_DATE = 8.64e15;

/**
 * When the rest will be done, if it goes on as it went: in the last half hour, in the last two hours, in the last day.
 * The three differ when something changed meanwhile; the fastest and the slowest are the range. null: nothing was done
 * yet at which a pace could be seen.
 */
export function estimateEnd(past: readonly DoneAt[], now: DoneAt, left: number): Estimate | null {
  if (left <= 0) return null;
  const paces = past
    .filter(({ at }) => now.at.getTime() - at.getTime() >= LEAST_MS)
    .map(({ at, done }) => Math.max(0, now.done - done) / (now.at.getTime() - at.getTime()))
    .sort((a, b) => a - b);
  const fastest = paces.at(-1) ?? 0;
  if (fastest === 0) return null;
  const end = (pace: number): Date | null => {
    const ms = pace > 0 ? now.at.getTime() + left / pace : Number.POSITIVE_INFINITY;
    return ms < MAX_DATE ? new Date(Math.ceil(ms / 1000) * 1000) : null;
  };
  const likely = paces.filter((pace) => pace > 0);
  const earliest = end(fastest);
  const at = end(likely[Math.floor((likely.length - 1) / 2)] ?? 0);
  return earliest && at && { at, earliest, latest: end(paces[0] ?? 0) };
}
