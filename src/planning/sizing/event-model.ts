import { groupBy } from "../../core/base/group-by.ts";
import type { EventsSample, MemorySample, Sample } from "../../core/metrics.ts";
import { joinSamples, quantile } from "./sample.ts";

/** What memory does with the events of a job, as far as jobs of different lengths tell. */
type EventGrowth =
  | { readonly kind: "unknown"; readonly why: string }
  | (SlopeRange & { readonly kind: "flat" | "grows" });

interface SlopeRange {
  /** 0 where it is flat. */
  readonly mbPerEvent: number;
  /** No more than this, as well as it is known. */
  readonly mostMbPerEvent: number;
}

/** Of one number of threads and about as many events. */
interface Point extends EventsSample {
  readonly group: string;
  readonly middleMb: number;
}

/** On either side of the middle: fewer say nothing, one job least of all. */
const JOBS_EACH_SIDE = 3;
/** Errors of a slope that it must be above to be believed, and may be wrong by. */
const SURE = 2;
/** The outermost tenths count as what is next to them; what jobs differ by is somewhat more than without them. */
const OUTER = 0.1;
const WITH_OUTER = 1.2;
/** Jobs that were all alike may differ yet. */
const LEAST_DEVIATION = 0.02;
/** So many jobs of about the right length say enough; else those of any length count. */
const ENOUGH = 5;

/**
 * The slope that jobs of different lengths have in common, whatever their threads: the middle of the slopes between any two
 * lengths, so that no single length bends it. It is believed where it is clear of what jobs differ by anyway.
 */
export function decideGrowth(byThreads: Readonly<Record<string, MemorySample>>): EventGrowth {
  const points = pointsOf(byThreads);
  if (points.length === 0) return { kind: "unknown", why: "the events of jobs are not known" };
  const groups = groupBy(points, ({ group }) => group);
  const middles = new Map([...groups].map(([group, own]) => [group, meanEvents(own)]));
  const away = ({ group, events }: Point) => events - middles.get(group)!;
  const side = (sign: number) => total(points.filter((point) => away(point) * sign > 0).map(({ jobs }) => jobs));
  if (Math.min(side(-1), side(1)) < JOBS_EACH_SIDE)
    return { kind: "unknown", why: "nearly all jobs had about as many events" };
  const slope = middleSlope(points);
  const jobs = total(points.map((point) => point.jobs));
  const spread = Math.sqrt(total(points.map((point) => point.jobs * away(point) ** 2)));
  const middleMb = total(points.map((point) => point.jobs * point.middleMb)) / jobs;
  const error = (deviation(points, slope, jobs) * middleMb) / spread;
  const grows = slope > SURE * error;
  const mbPerEvent = grows ? slope : 0;
  return { kind: grows ? "grows" : "flat", mbPerEvent, mostMbPerEvent: Math.max(0, slope) + SURE * error };
}

/**
 * What the same jobs would have taken with so many events: by those that had half as many or more, where there are enough, for
 * over a longer way their differences grow too.
 */
export function movedTo(sample: MemorySample, events: number, mbPerEvent: number): Sample {
  const bins = binsOf(sample);
  const near = bins.filter((bin) => bin.events * 2 >= events);
  const used = total(near.map(({ jobs }) => jobs)) >= ENOUGH ? near : bins;
  // Jobs whose events nobody counted may have been the hungriest ones: that stays.
  const uncounted = sample.jobs - total(bins.map(({ jobs }) => jobs));
  const top = sample.values.slice(-Math.ceil((sample.values.length * uncounted) / sample.jobs) || sample.values.length);
  const rest = uncounted > 0 ? { jobs: uncounted, max: sample.max, values: top } : null;
  const moved = joinSamples([...used.map((bin) => scaled(bin, shareAt(bin, events, mbPerEvent))), rest]);
  // What shorter jobs took is the least.
  const least = bins.filter((bin) => bin.events <= events).map(({ max }) => max);
  return moved ? { ...moved, jobs: sample.jobs, max: Math.max(moved.max, ...least) } : sample;
}

/** At most in proportion to the events, where there are fewer of them. */
function shareAt(bin: EventsSample, events: number, mbPerEvent: number): number {
  const share = 1 + (mbPerEvent * (events - bin.events)) / Math.max(middle(bin), Number.MIN_VALUE);
  return events < bin.events ? Math.max(share, events / bin.events) : share;
}

/** The mean without its extremes. */
const middle = (sample: Sample): number => {
  const values = inner(sample);
  return total(values) / values.length;
};

function inner(sample: Sample): readonly number[] {
  const [low, high] = [quantile(sample, OUTER), quantile(sample, 1 - OUTER)];
  return sample.values.map((value) => Math.min(high, Math.max(low, value)));
}

export const scaled = ({ jobs, max, values }: Sample, by: number): Sample => ({
  jobs,
  max: max * by,
  values: values.map((value) => value * by),
});

/** The fewest and the most events of a job, as far as they were counted; null: nobody did. */
export function eventsSeen(byThreads: Readonly<Record<string, MemorySample>>): readonly [number, number] | null {
  const seen = pointsOf(byThreads).map(({ events }) => Math.round(events));
  return seen.length === 0 ? null : [Math.min(...seen), Math.max(...seen)];
}

const binsOf = ({ byEvents }: MemorySample): readonly EventsSample[] => Object.values(byEvents ?? {});

const pointsOf = (byThreads: Readonly<Record<string, MemorySample>>): readonly Point[] =>
  Object.entries(byThreads).flatMap(([group, sample]) =>
    binsOf(sample).map((bin) => ({ ...bin, group, middleMb: middle(bin) })),
  );

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const meanEvents = (points: readonly Point[]): number =>
  total(points.map(({ jobs, events }) => jobs * events)) / total(points.map(({ jobs }) => jobs));

/** Of all pairs with as many threads: those far apart and of many jobs weigh more. */
function middleSlope(points: readonly Point[]): number {
  const pairs = [...groupBy(points, ({ group }) => group).values()].flatMap((own) =>
    own.flatMap((a, at) =>
      own.slice(at + 1).flatMap((b) => {
        const apart = b.events - a.events;
        const weight = (Math.abs(apart) * a.jobs * b.jobs) / (a.jobs + b.jobs);
        return apart === 0 ? [] : [{ value: (b.middleMb - a.middleMb) / apart, weight }];
      }),
    ),
  );
  return weightedMiddle(pairs);
}

function weightedMiddle(all: readonly { readonly value: number; readonly weight: number }[]): number {
  const half = total(all.map(({ weight }) => weight)) / 2;
  let passed = 0;
  for (const { value, weight } of [...all].sort((a, b) => a.value - b.value)) {
    passed += weight;
    if (passed >= half) return value;
  }
  return 0;
}

/** How far jobs are from their line, as a share of it; of few jobs that is known badly. */
function deviation(points: readonly Point[], slope: number, jobs: number): number {
  const shares = [...groupBy(points, ({ group }) => group).values()].flatMap((own) => {
    const baseMb = weightedMiddle(
      own.map((point) => ({ value: point.middleMb - slope * point.events, weight: point.jobs })),
    );
    return own.map((point) => scaled(point, 1 / Math.max(baseMb + slope * point.events, point.middleMb / 10, 1e-9)));
  });
  const values = inner(joinSamples(shares)!);
  const seen = Math.sqrt(total(values.map((value) => (value - 1) ** 2)) / values.length) * WITH_OUTER;
  return Math.max(LEAST_DEVIATION, seen) * (1 + 4 / jobs);
}
