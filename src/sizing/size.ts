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

/** What the request says, or what the round before asked for. */
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
  /** What the last round had, and whether that was by measurements; null: this is the first. */
  readonly before: (Asked & { readonly isMeasured: boolean }) | null;
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
      memoryMb: sizeMemory(facts, limits, null, now.cores),
      wallMinutes: stays(now.wallMinutes),
      diskMb: stays(now.diskMb),
      eventsPerJob: now.eventsPerJob === null ? null : stays(now.eventsPerJob),
    };
  }
  const memory = measuredMemory(metrics);
  const cores = sizeCores(facts, limits, metrics, memory?.value ?? 0);
  const eventsPerJob = sizeEvents(facts, limits, metrics);
  return {
    cores,
    memoryMb: sizeMemory(facts, limits, memory, cores.value),
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

/** Within the window; more than what jobs were killed with; and once measured, never less than before. */
function sizeMemory(facts: SizingFacts, limits: SizingLimits, measured: Sized | null, cores: number): Sized {
  const { asked, before, killedAtMb } = facts;
  const least = limits.leastMemoryPerCoreMb * cores;
  const most = Math.max(least, mostMemoryMb(limits, cores));
  const killed = `jobs with ${Math.round(killedAtMb ?? 0)} MB were killed for using more`;
  const known = [
    measured,
    killedAtMb === null ? null : { value: killedAtMb * KILLED_MARGIN, why: killed },
    before?.isMeasured ? { value: before.memoryMb, why: "once measured, it does not shrink" } : null,
  ];
  const said = { value: (before ?? asked).memoryMb, why: before ? "as before" : "the request says so" };
  const wanted = largest(known) ?? said;
  const value = Math.ceil(wanted.value);
  if (value > most) return { value: most, why: `${wanted.why}; at most ${most} MB may be asked for` };
  if (value < least) return { value: least, why: `${wanted.why}; at least ${least} MB are asked for` };
  return { value, why: wanted.why };
}

const mostMemoryMb = ({ maxMemoryPerCoreMb, maxMemoryMb }: SizingLimits, cores: number): number =>
  Math.min(maxMemoryPerCoreMb * cores, maxMemoryMb ?? Number.MAX_VALUE);

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

/**
 * As many as the steps kept busy, as a power of two, never more than the request says, and so many that its memory may be asked
 * for. Steps weigh by their time.
 */
function sizeCores({ asked, before }: SizingFacts, limits: SizingLimits, metrics: Metrics, memoryMb: number): Sized {
  const now = before?.cores ?? asked.cores;
  let [weight, used] = [0, 0];
  for (const { threads, cpuEfficiency, wallSecPerEvent } of Object.values(metrics.steps)) {
    if (!cpuEfficiency || !wallSecPerEvent) continue;
    const seconds = median(wallSecPerEvent);
    weight += seconds;
    used += seconds * median(cpuEfficiency) * threads;
  }
  if (weight === 0) return { value: now, why: "the use of cores was not measured" };
  const busy = used / weight;
  const forMemory = Math.ceil(memoryMb / limits.maxMemoryPerCoreMb);
  const value = Math.min(asked.cores, Math.max(powerOfTwo(busy), powerOfTwoAbove(forMemory)));
  const why = `${busy.toFixed(1)} of ${now} cores were busy over ${metrics.jobs} jobs`;
  if (value >= now) return { value: Math.max(value, now), why };
  return { value, why: powerOfTwo(busy) < value ? `${why}; the memory takes ${value}` : why };
}

/** The nearest by ratio: 1.4 is 1, 1.5 is 2. */
const powerOfTwo = (value: number): number => 2 ** Math.max(0, Math.min(6, Math.round(Math.log2(Math.max(value, 1)))));
const powerOfTwoAbove = (value: number): number => 2 ** Math.ceil(Math.log2(Math.max(value, 1)));
