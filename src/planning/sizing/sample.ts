import { groupBy } from "../../core/base/group-by.ts";
import type { EventsSample, MemorySample, Sample } from "../../core/metrics.ts";

const KEPT_VALUES = 32;

/** null: nothing was measured. */
export function sampleOf(values: readonly (number | null)[]): Sample | null {
  const known = values.filter((value): value is number => value !== null && Number.isFinite(value));
  if (known.length === 0) return null;
  const sorted = known.sort((a, b) => a - b);
  return { jobs: sorted.length, max: sorted.at(-1)!, values: thinned(sorted.map((value) => [value, 1])) };
}

export function joinSamples(samples: readonly (Sample | null)[]): Sample | null {
  const known = samples.filter((one) => one !== null);
  if (known.length === 0) return null;
  const points = known
    .flatMap(({ jobs, values }) => values.map((value): readonly [number, number] => [value, jobs / values.length]))
    .sort(([a], [b]) => a - b);
  return {
    jobs: known.reduce((sum, { jobs }) => sum + jobs, 0),
    max: Math.max(...known.map(({ max }) => max)),
    values: thinned(points),
  };
}

/** Lengths of jobs that are kept apart: four to a doubling. A step has few of them, and never more than 200. */
const MOST_BINS = 200;
const binOf = (events: number): string =>
  String(Math.min(MOST_BINS - 1, Math.max(0, Math.round(4 * Math.log2(events)))));

/** null: nothing was measured. */
export function memorySampleOf(
  jobs: readonly { readonly mb: number | null; readonly events: number | null }[],
): MemorySample | null {
  const sample = sampleOf(jobs.map(({ mb }) => mb));
  const counted = jobs.flatMap(({ mb, events }) =>
    mb !== null && events !== null && events > 0 ? [{ mb, events }] : [],
  );
  if (!sample || counted.length === 0) return sample;
  const bins = groupBy(counted, ({ events }) => binOf(events));
  const byEvents = [...bins].map(([bin, own]): [string, EventsSample] => [
    bin,
    { ...sampleOf(own.map(({ mb }) => mb))!, events: own.reduce((sum, { events }) => sum + events, 0) / own.length },
  ]);
  return { ...sample, byEvents: Object.fromEntries(byEvents) };
}

/** Of at least one. */
export function joinMemory(samples: readonly MemorySample[]): MemorySample {
  const bins = groupBy(
    samples.flatMap(({ byEvents }) => Object.entries(byEvents ?? {})),
    ([bin]) => bin,
  );
  const joined = joinSamples(samples)!;
  if (bins.size === 0) return joined;
  const byEvents = [...bins].map(([bin, entries]): [string, EventsSample] => {
    const own = entries.map(([, sample]) => sample);
    const all = joinSamples(own)!;
    return [bin, { ...all, events: own.reduce((sum, { jobs, events }) => sum + jobs * events, 0) / all.jobs }];
  });
  return { ...joined, byEvents: Object.fromEntries(byEvents) };
}

/** Of values with weights, ascending: at most 32, at even distances of weight. */
function thinned(points: readonly (readonly [value: number, weight: number])[]): readonly number[] {
  if (points.length <= KEPT_VALUES && points.every(([, weight]) => weight === points[0]?.[1]))
    return points.map(([value]) => value);
  const total = points.reduce((sum, [, weight]) => sum + weight, 0);
  const count = Math.min(KEPT_VALUES, Math.round(total));
  const kept: number[] = [];
  let passed = 0;
  for (const [value, weight] of points) {
    passed += weight;
    while (kept.length < count && passed * count > (kept.length + 0.5) * total) kept.push(value);
  }
  return kept;
}

/** The value below which this share of the jobs is, between neighbours in proportion. */
export function quantile({ values }: Sample, share: number): number {
  const place = share * (values.length - 1);
  const low = values[Math.floor(place)]!;
  return low + (values[Math.ceil(place)]! - low) * (place - Math.floor(place));
}

export const median = (sample: Sample): number => quantile(sample, 0.5);
export const p90 = (sample: Sample): number => quantile(sample, 0.9);
