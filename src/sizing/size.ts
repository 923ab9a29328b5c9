import { bestMemory, type Metrics } from "./metrics.ts";
import { median, p90, type Sample } from "./sample.ts";

/** What a round asks for its jobs, each number with the reason that is shown to people. */
export interface Sizes {
  readonly cores: Sized;
  readonly memoryMb: Sized;
  readonly wallMinutes: Sized;
  readonly diskMb: Sized;
  /** null: nothing is known that the request does not say. */
  readonly eventsPerJob: Sized | null;
}
export interface Sized {
  readonly value: number;
  readonly why: string;
}

/** What the request says, or the round before this one asked for. */
export interface Asked {
  readonly cores: number;
  readonly memoryMb: number;
  readonly wallMinutes: number;
  readonly diskMb: number;
  readonly eventsPerJob: number | null;
}

export interface SizingLimits {
  /** The window of memory per core; the second bounds what may be asked for. */
  readonly leastMemoryPerCoreMb: number;
  readonly maxMemoryPerCoreMb: number;
  readonly maxMemoryMb: number | null;
  readonly maxWallMinutes: number;
  readonly maxDiskMb: number;
  readonly targetWallMinutes: number;
  /** Fewer jobs than this say too little: what the request says stays. */
  readonly minJobs: number;
}

export interface SizingFacts {
  /** What the request says. */
  readonly asked: Asked;
  /** What the last round had; null: this is the first. */
  readonly before: Asked | null;
  readonly metrics: Metrics | null;
  /** The most memory a job had that was killed for using more; null: none was. */
  readonly killedAtMb: number | null;
}

/** Of measurements: somewhat more than they say. */
const MARGIN = 1.2;
/** A job that was killed needed more than it had, nobody knows how much. */
const KILLED_MARGIN = 1.5;
const WALL_MARGIN = 1.5;
const MIN_WALL_MINUTES = 60;
const MIN_EVENTS = 100;
/** Events per job at most double from round to round: a first measurement may be wrong. */
const MAX_GROWTH = 2;

/** The sizes of the next round's jobs. Pure, and the same for the same facts. */
export function sizeJobs(facts: SizingFacts, limits: SizingLimits): Sizes {
  const { asked, before, metrics } = facts;
  const now = before ?? asked;
  if (!metrics || metrics.jobs < limits.minJobs) {
    const few = metrics ? `only ${metrics.jobs} of ${limits.minJobs} jobs were measured` : "nothing was measured yet";
    const stays = (value: number) => ({ value, why: `${few}: as ${before ? "before" : "the request says"}` });
    return {
      cores: stays(now.cores),
      memoryMb: sizeMemory(facts, limits, null),
      wallMinutes: stays(now.wallMinutes),
      diskMb: stays(now.diskMb),
      eventsPerJob: now.eventsPerJob === null ? null : stays(now.eventsPerJob),
    };
  }
  const eventsPerJob = sizeEvents(facts, limits, metrics);
  return {
    cores: { value: now.cores, why: coresWhy(metrics) },
    memoryMb: sizeMemory(facts, limits, metrics),
    wallMinutes: sizeWall(now, limits, metrics, eventsPerJob?.value ?? null),
    diskMb: sizeDisk(asked, limits, metrics),
    eventsPerJob,
  };
}

/** Where the slow tenth is far from the middle, it counts; else the middle with its margin covers it. */
function typical(sample: Sample): { value: number; which: string } {
  const [middle, high] = [median(sample), p90(sample)];
  return high > middle * MARGIN ? { value: high, which: "p90" } : { value: middle, which: "median" };
}

/** Within the window, never less than before, and more than what jobs were killed with. */
function sizeMemory({ asked, before, killedAtMb }: SizingFacts, limits: SizingLimits, metrics: Metrics | null): Sized {
  const { cores } = asked;
  const least = limits.leastMemoryPerCoreMb * cores;
  const most = Math.max(least, Math.min(limits.maxMemoryPerCoreMb * cores, limits.maxMemoryMb ?? Number.MAX_VALUE));
  const wanted = largest([
    measuredMemory(metrics),
    killedAtMb === null
      ? null
      : { value: killedAtMb * KILLED_MARGIN, why: `jobs with ${Math.round(killedAtMb)} MB were killed for using more` },
  ]) ?? { value: (before ?? asked).memoryMb, why: before ? "as before" : "the request says so" };
  const value = Math.ceil(wanted.value);
  if (value > most) return { value: most, why: `${wanted.why}; at most ${most} MB may be asked for` };
  if (value < least) return { value: least, why: `${wanted.why}; at least ${least} MB are asked for` };
  return { value, why: wanted.why };
}

const largest = (all: readonly (Sized | null)[]): Sized | null =>
  all.reduce((best, one) => (one && (!best || one.value > best.value) ? one : best), null);

/** The hungriest step decides; the job as a whole where no step was measured alone. */
function measuredMemory(metrics: Metrics | null): Sized | null {
  if (!metrics) return null;
  const steps = Object.entries(metrics.steps).flatMap(([name, step]) => {
    const best = bestMemory(step);
    return best ? [memoryOf(best.sample, `${name}, by ${best.source}`)] : [];
  });
  return largest([...steps, metrics.memoryMb && memoryOf(metrics.memoryMb, "whole jobs")]);
}

function memoryOf(sample: Sample, what: string): Sized {
  const { value, which } = typical(sample);
  const why = `measured ${Math.round(value)} MB ${which} over ${sample.jobs} jobs (${what}) × ${MARGIN}`;
  return { value: value * MARGIN, why };
}

/** As many events as fill the target, at most twice as many as before. */
function sizeEvents({ asked, before }: SizingFacts, limits: SizingLimits, metrics: Metrics): Sized | null {
  const now = (before ?? asked).eventsPerJob;
  if (now === null || !metrics.wallSecPerEvent) return null;
  const perEvent = typical(metrics.wallSecPerEvent).value;
  const startSec = metrics.startSec ? typical(metrics.startSec).value : 0;
  const fits = Math.floor((limits.targetWallMinutes * 60 - startSec) / perEvent);
  const value = Math.max(MIN_EVENTS, Math.min(fits, now * MAX_GROWTH));
  const measured = `${perEvent.toPrecision(3)} s an event over ${metrics.wallSecPerEvent.jobs} jobs, ${limits.targetWallMinutes} minutes a job`;
  if (value === fits) return { value, why: measured };
  return {
    value,
    why: value === MIN_EVENTS ? `${measured}; at least ${MIN_EVENTS}` : `${measured}; at most × ${MAX_GROWTH}`,
  };
}

function sizeWall(now: Asked, limits: SizingLimits, metrics: Metrics, eventsPerJob: number | null): Sized {
  if (!metrics.wallSecPerEvent || eventsPerJob === null)
    return { value: now.wallMinutes, why: "events were not counted: as before" };
  const high = Math.max(p90(metrics.wallSecPerEvent), typical(metrics.wallSecPerEvent).value);
  const startSec = metrics.startSec ? p90(metrics.startSec) : 0;
  const minutes = Math.ceil(((eventsPerJob * high + startSec) / 60) * WALL_MARGIN);
  const value = Math.min(Math.max(minutes, MIN_WALL_MINUTES), limits.maxWallMinutes);
  return { value, why: `${eventsPerJob} events of ${high.toPrecision(3)} s (p90) × ${WALL_MARGIN}` };
}

function sizeDisk(asked: Asked, limits: SizingLimits, { diskMb }: Metrics): Sized {
  if (!diskMb) return { value: asked.diskMb, why: "not measured: as the request says" };
  const wanted = Math.ceil(diskMb.max * MARGIN);
  const why = `measured ${Math.round(diskMb.max)} MB at most over ${diskMb.jobs} jobs × ${MARGIN}`;
  return { value: Math.min(Math.max(wanted, asked.diskMb), limits.maxDiskMb), why };
}

const coresWhy = (_metrics: Metrics): string => "as before";
