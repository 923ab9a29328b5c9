import type { Metrics, Sized, Sizes } from "../../core/metrics.ts";
import { decideGrowth } from "./event-model.ts";
import type { SizingFacts, SizingLimits } from "./size.ts";
import { MARGIN, memoryOfJob, memoryOfStep, typical } from "./step-memory.ts";

export const WALL_MARGIN = 1.5;
const MIN_EVENTS = 100;
/** Events per job at most double from round to round: a first measurement may be wrong. */
const MAX_GROWTH = 2;
/** So much more than they took may jobs need whose memory does not do as the line says: their margin is about as wide. */
const SPARE = 0.25;

/**
 * As many events as fill the target; at most twice as many as before, and no more than the margin of memory covers, whatever
 * their memory does with the events. Few only where more would not end in time. null: jobs are not cut by events.
 */
export function sizeEvents(facts: SizingFacts, limits: SizingLimits, metrics: Metrics): Sized | null {
  const { eventsPerJob: now, cores } = facts.before ?? facts.asked;
  if (now === null) return null;
  if (!metrics.wallSecPerEvent || typical(metrics.wallSecPerEvent).value <= 0)
    return { value: now, why: "the time of an event was not measured: as before" };
  const perEvent = typical(metrics.wallSecPerEvent).value;
  const startSec = metrics.startSec ? typical(metrics.startSec).value : 0;
  const within = (minutes: number) => Math.max(1, Math.floor((minutes * 60 - startSec) / perEvent));
  const fits = within(limits.targetWallMinutes);
  // A lumi more is the least that jobs can be longer by: else nobody would ever know.
  const covered = Math.max(eventsCovered(metrics, cores, now), now + (facts.asked.eventsPerLumi ?? 1));
  const most = Math.min(now * MAX_GROWTH, covered);
  const least = Math.min(MIN_EVENTS, now, within(limits.maxWallMinutes / WALL_MARGIN));
  const value = Math.max(least, Math.min(fits, most));
  const measured = `${perEvent.toPrecision(3)} s an event over ${metrics.wallSecPerEvent.jobs} jobs, ${limits.targetWallMinutes} minutes a job`;
  if (value === fits) return { value, why: measured };
  if (value !== most) return { value, why: `${measured}; at least ${least}` };
  const unsure = "until jobs of other lengths show what their memory does";
  return { value, why: `${measured}; at most ${most < now * MAX_GROWTH ? `${most} ${unsure}` : `× ${MAX_GROWTH}`}` };
}

/**
 * Jobs were killed with the most that may be asked for: half as many events, unless it is known what their memory does with them.
 * More memory there is none, so it is the only thing left to try.
 */
export function fewerAfterKills(events: Sized | null, facts: SizingFacts, mostMb: number): Sized | null {
  const { killedAtMb, killedEvents = null, metrics } = facts;
  if (!events || killedAtMb === null || killedEvents === null || killedAtMb < mostMb * NEARLY) return events;
  const half = Math.max(1, Math.floor(killedEvents / 2));
  const growths = Object.values(metrics?.steps ?? {}).map((step) => decideGrowth(step.memoryMbByThreads).kind);
  if (events.value <= half || (growths.length > 0 && !growths.includes("unknown"))) return events;
  const why = `jobs of ${killedEvents} events were killed with ${Math.round(killedAtMb)} MB, the most there is: half as many, for memory may grow with them`;
  return { value: half, why };
}
/** Of the most that may be asked for. */
const NEARLY = 0.95;

/** With so many at most, memory that grows as fast as it may still stays within what is asked for. */
function eventsCovered({ steps, memoryMb }: Metrics, cores: number, now: number): number {
  const known = Object.entries(steps).flatMap(([name, step]) => {
    const sized = memoryOfStep(name, step, cores, now);
    return sized ? [{ mb: sized.value / MARGIN, growth: decideGrowth(step.memoryMbByThreads) }] : [];
  });
  if (known.length === 0) return memoryMb ? Math.ceil(now * (1 + SPARE)) : Number.POSITIVE_INFINITY;
  const top = known.reduce((a, b) => (b.mb > a.mb ? b : a));
  const slope = top.growth.kind === "unknown" ? 0 : top.growth.mbPerEvent;
  const limits = known.map(({ mb, growth }) => {
    const steepest = growth.kind === "unknown" ? mb / now : growth.mostMbPerEvent;
    const rate = steepest - (1 + SPARE) * slope;
    return rate <= 0 ? Number.POSITIVE_INFINITY : now + ((1 + SPARE) * top.mb - mb) / rate;
  });
  return Math.ceil(Math.min(...limits));
}

/** Fewer, where memory grows with them and so many would not fit; as they are where fewer would not help. */
export function fitEvents(wished: Sized, metrics: Metrics, cores: number, runs: Sizes["runs"], mostMb: number): Sized {
  const needs = (events: number) => memoryOfJob(metrics, cores, { runs, events })?.value ?? 0;
  for (const margin of [1, MARGIN]) {
    const fits = (events: number) => needs(events) <= mostMb * margin;
    if (fits(wished.value)) return wished;
    if (!fits(1)) continue;
    let [low, high] = [1, wished.value];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (fits(middle)) low = middle;
      else high = middle;
    }
    return { value: low, why: `${wished.why}; only ${low} fit into ${mostMb} MB, as memory grows with them` };
  }
  return wished;
}
