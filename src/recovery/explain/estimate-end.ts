/** How many units were done at a time. */
interface DoneAt {
  readonly at: Date;
  readonly done: number;
}

export interface Estimate {
  /** At the pace that lies in the middle. */
  readonly at: Date;
  readonly earliest: Date;
  /** null: at the slowest pace seen it would never end, or too few are done to say. */
  readonly latest: Date | null;
  /** The latest has passed and nothing was done since: nobody knows. */
  readonly overdue: boolean;
  /** The same for people. */
  readonly text: string;
}

/** How far back the pace is taken from: of late, of the last hours, of the last day. */
export const PACE_WINDOWS_MS = [30 * 60_000, 2 * 3_600_000, 24 * 3_600_000] as const;
/** Fewer say nothing of a pace. */
const LEAST_DONE = 3;
/** So many standard deviations of a count are doubted. */
const DOUBT = 2;
const LEAST_MS = 1000;
const MAX_DATE = 8.64e15;

/**
 * When the rest will be done, if it goes on as it went up to the last unit that was done: in the last half hour, two hours, day, and
 * since its beginning. The fastest and the slowest pace, each as doubtful as few units make it, are the range. It stands until
 * another unit is done: an end that has passed is overdue and does not move on with the clock. null: too few are done.
 */
export function estimateEnd(past: readonly DoneAt[], latest: DoneAt, left: number, now: Date): Estimate | null {
  if (left <= 0) return null;
  // What was noted later than now was noted by a clock that has been set back since.
  const last = latest.at > now ? { ...latest, at: now } : latest;
  const paces = past
    .filter(({ at }) => at <= now)
    .map(({ at, done }) => ({ ms: last.at.getTime() - at.getTime(), done: last.done - done }))
    .filter(({ ms, done }) => ms >= LEAST_MS && done >= LEAST_DONE)
    .map(({ ms, done }) => ({ pace: done / ms, doubt: DOUBT / Math.sqrt(done) }))
    .sort((a, b) => a.pace - b.pace);
  const [slowest, middle, fastest] = [paces[0], paces[Math.floor((paces.length - 1) / 2)], paces.at(-1)];
  if (!slowest || !middle || !fastest) return null;
  const end = (pace: number): number => (pace > 0 ? last.at.getTime() + left / pace : Number.POSITIVE_INFINITY);
  const date = (ms: number): Date => new Date(Math.ceil(Math.min(ms, MAX_DATE) / 1000) * 1000);
  const earliest = end(fastest.pace * (1 + fastest.doubt));
  const likely = end(middle.pace);
  const slowestEnd = end(slowest.pace * (1 - slowest.doubt));
  if (earliest >= MAX_DATE - 1000 || likely >= MAX_DATE - 1000) return null;
  // Where the slowest is no bound, twice the time is as much as anybody waits without asking.
  const until = slowestEnd < MAX_DATE ? slowestEnd : end(middle.pace / 2);
  const range = {
    at: date(Math.max(likely, now.getTime())),
    earliest: date(Math.max(earliest, now.getTime())),
    latest: slowestEnd < MAX_DATE - 1000 ? date(Math.max(slowestEnd, now.getTime())) : null,
    overdue: now.getTime() > until,
  };
  return { ...range, text: estimateText(range, now, date(likely)) };
}

/** "in 5 to 20 min", "in at least 5 min", "overdue: was expected 40 min ago". */
function estimateText({ earliest, latest, overdue }: Omit<Estimate, "text" | "at">, now: Date, likely: Date): string {
  const minutes = (at: Date): number => Math.abs(at.getTime() - now.getTime()) / 60_000;
  if (overdue) return `overdue: it was expected ${inWords(minutes(likely))} ago`;
  const [soon, late] = [inWords(minutes(earliest)), latest && inWords(minutes(latest))];
  if (late === null) return `in at least ${soon}`;
  if (soon === late) return `in about ${late}`;
  const [from, fromUnit] = soon.split(" ");
  const isSameUnit = late.endsWith(` ${fromUnit}`);
  return minutes(earliest) < 1 ? `within ${late}` : `in ${isSameUnit ? from : soon} to ${late}`;
}

/** Rough, as it is only an estimate. */
function inWords(minutes: number): string {
  if (minutes < 1) return "a minute";
  if (minutes < 90) return `${Math.round(minutes)} min`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / 1440)} d`;
}
