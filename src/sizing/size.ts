import type { Metrics, RequestedSizes, Sized, Sizes, StepRun } from "../domain/metrics.ts";
import { decideInstances } from "./instances.ts";
import { median, p90 } from "./sample.ts";
import { MARGIN, memoryOf, memoryOfStep, taughtByKills, typical } from "./step-memory.ts";

/** What the request says, or what the round before asked for. */
export interface Asked {
  readonly cores: number;
  readonly memoryMb: number;
  readonly wallMinutes: number;
  readonly diskMb: number;
  /** null: jobs are not cut by events. */
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
  /** While a round runs, fewer jobs than this say too little: its sizes stay. Once it is over, all there is counts. */
  readonly minJobs: number;
  /** Threads per core that a step may have at most; absent: 1. */
  readonly overcommitMax?: number;
}

export interface SizingFacts {
  /** What the request says. */
  readonly asked: Asked;
  /** What the last round had, and whether that was by measurements; null: this is the first. */
  readonly before: (Asked & Pick<RequestedSizes, "isMeasured" | "areCoresDecided">) | null;
  readonly metrics: Metrics | null;
  /** The most memory a job had that was killed for using more, but for the few of a round (`killsThatTeach`); null: none was. */
  readonly killedAtMb: number | null;
  /** What an operator said at a release: no less than this. null: nobody did. */
  readonly saidMb: number | null;
  /** No more jobs will come of what was measured. */
  readonly isRoundOver: boolean;
  /** Steps whose events may be done in parts, at once. */
  readonly parallelSteps?: ReadonlySet<string>;
}

const WALL_MARGIN = 1.5;
const MIN_WALL_MINUTES = 60;
const MIN_EVENTS = 100;
/** Memory that was measured once stays as it is while no more than this is missing. */
const WORTH_A_CHANGE = 1.05;
/** Events per job at most double from round to round: a first measurement may be wrong. */
const MAX_GROWTH = 2;
/** So many times the events before: memory that grows with them shows. */
const MANY_MORE = 1.25;
/** Jobs that keep so much of their cores busy keep their cores. */
const BUSY_ENOUGH = 0.75;

/** Whether measurements count yet. */
export const isMeasured = ({ metrics, isRoundOver }: SizingFacts, { minJobs }: SizingLimits): boolean =>
  metrics !== null && metrics.jobs > 0 && (isRoundOver || metrics.jobs >= minJobs);

/** The sizes of the next round's jobs. Pure, and the same for the same facts. */
export function sizeJobs(facts: SizingFacts, limits: SizingLimits): Sizes {
  const { asked, before, metrics } = facts;
  const now = before ?? asked;
  if (!metrics || !isMeasured(facts, limits)) {
    const few = metrics?.jobs
      ? `only ${metrics.jobs} of ${limits.minJobs} jobs were measured`
      : "nothing was measured yet";
    const stays = (value: number) => ({ value, why: `${few}: as ${before ? "before" : "the request says"}` });
    return {
      cores: stays(now.cores),
      areCoresDecided: before?.areCoresDecided ?? false,
      memoryMb: sizeMemory(facts, limits, null, now.cores),
      wallMinutes: stays(now.wallMinutes),
      diskMb: stays(now.diskMb),
      eventsPerJob: now.eventsPerJob === null ? null : stays(now.eventsPerJob),
      runs: {},
    };
  }
  const taught = facts.killedAtMb === null ? null : taughtByKills(facts.killedAtMb, metrics, now.cores, {});
  const needed = Math.max(measuredMemory(metrics, now.cores)?.value ?? 0, taught ?? 0);
  const cores = sizeCores(facts, limits, metrics, needed);
  const eventsPerJob = sizeEvents(facts, limits, metrics);
  const runs = sizeRuns(facts, limits, metrics, cores.value);
  const moreEvents = (eventsPerJob?.value ?? 0) > (now.eventsPerJob ?? 0) * MANY_MORE;
  const measured = measuredMemory(metrics, cores.value, runs, moreEvents);
  return {
    cores,
    areCoresDecided: Object.values(metrics.steps).some(
      ({ busyCores, wallSecPerEvent }) => busyCores && wallSecPerEvent,
    ),
    memoryMb: sizeMemory(facts, limits, measured, cores.value, runs),
    wallMinutes: sizeWall(now.wallMinutes, limits, metrics, eventsPerJob?.value ?? null),
    diskMb: sizeDisk(asked, limits, metrics),
    eventsPerJob,
    runs,
  };
}

/** How steps are run that would leave cores idle: as many instances as the most memory that may be asked for has room for. */
function sizeRuns(facts: SizingFacts, limits: SizingLimits, metrics: Metrics, cores: number): Sizes["runs"] {
  const slot = { cores, memoryMb: mostMemoryMb(limits, cores), overcommitMax: limits.overcommitMax ?? 1 };
  const runs = Object.entries(metrics.steps).flatMap(([name, step]): [string, StepRun][] => {
    const maySplit = facts.parallelSteps?.has(name) ?? false;
    const run = decideInstances({ name, metrics: step, maySplit }, slot);
    return run ? [[name, run]] : [];
  });
  return Object.fromEntries(runs);
}

/** The memory of jobs that are planned and have not begun: their cores stay. null: as it was. */
export function resizeMemory(facts: SizingFacts, limits: SizingLimits): Sized | null {
  const { before, metrics } = facts;
  if (!before || !metrics || !isMeasured(facts, limits)) return null;
  const sized = sizeMemory(facts, limits, measuredMemory(metrics, before.cores), before.cores);
  return sized.value === before.memoryMb ? null : sized;
}

/** Jobs need more than may be asked for on all the cores of the request; null: they do not, or an operator knows better. */
export function memoryBeyondLimit(
  facts: SizingFacts,
  limits: SizingLimits,
): { readonly neededMb: number; readonly mostMb: number; readonly why: string } | null {
  const { asked, metrics, saidMb } = facts;
  if (!metrics || saidMb !== null || !isMeasured(facts, limits)) return null;
  const measured = measuredMemory(metrics, asked.cores);
  const mostMb = mostMemoryMb(limits, asked.cores);
  const neededMb = Math.ceil((measured?.value ?? 0) / MARGIN);
  return measured && neededMb > mostMb ? { neededMb, mostMb, why: measured.why } : null;
}

/** Within the window; as much as kills taught; and once measured with as many cores, never less than before. */
function sizeMemory(
  facts: SizingFacts,
  limits: SizingLimits,
  measured: Sized | null,
  cores: number,
  runs: Sizes["runs"] = {},
): Sized {
  const { asked, before, metrics, killedAtMb, saidMb } = facts;
  const least = limits.leastMemoryPerCoreMb * cores;
  const most = Math.max(least, mostMemoryMb(limits, cores));
  const killed = `jobs with ${Math.round(killedAtMb ?? 0)} MB were killed for using more`;
  const taught = killedAtMb === null ? null : taughtByKills(killedAtMb, metrics, cores, runs);
  const isKept = before?.isMeasured && before.cores === cores;
  const kept = isKept ? { value: before.memoryMb, why: "once measured, it does not shrink" } : null;
  const isWorth = (value = 0) => !kept || value > kept.value * WORTH_A_CHANGE;
  const known = [
    isWorth(measured?.value) ? measured : null,
    taught !== null && isWorth(taught) ? { value: taught, why: killed } : null,
    saidMb === null ? null : { value: saidMb, why: "an operator said so" },
    kept,
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

/** The hungriest step decides, with all its instances; the job as a whole where no step was measured alone. */
function measuredMemory(metrics: Metrics, cores: number, runs: Sizes["runs"] = {}, moreEvents = false): Sized | null {
  const steps = Object.entries(metrics.steps).map(([name, step]) => {
    const { instances = 1, threads = cores } = runs[name] ?? {};
    const one = memoryOfStep(name, step, threads, moreEvents);
    if (!one || instances === 1) return one;
    return { value: one.value * instances, why: `${one.why} × ${instances} instances` };
  });
  return largest(steps) ?? (metrics.memoryMb && memoryOf(metrics.memoryMb, "whole jobs", moreEvents));
}

/** As many events as fill the target, at most twice as many as before; few only where more would not end in time. */
function sizeEvents({ asked, before }: SizingFacts, limits: SizingLimits, metrics: Metrics): Sized | null {
  const now = (before ?? asked).eventsPerJob;
  if (now === null) return null;
  if (!metrics.wallSecPerEvent || typical(metrics.wallSecPerEvent).value <= 0)
    return { value: now, why: "the time of an event was not measured: as before" };
  const perEvent = typical(metrics.wallSecPerEvent).value;
  const startSec = metrics.startSec ? typical(metrics.startSec).value : 0;
  const within = (minutes: number) => Math.max(1, Math.floor((minutes * 60 - startSec) / perEvent));
  const fits = within(limits.targetWallMinutes);
  const most = now * MAX_GROWTH;
  const least = Math.min(MIN_EVENTS, now, within(limits.maxWallMinutes / WALL_MARGIN));
  const value = Math.max(least, Math.min(fits, most));
  const measured = `${perEvent.toPrecision(3)} s an event over ${metrics.wallSecPerEvent.jobs} jobs, ${limits.targetWallMinutes} minutes a job`;
  if (value === fits) return { value, why: measured };
  return { value, why: value === most ? `${measured}; at most × ${MAX_GROWTH}` : `${measured}; at least ${least}` };
}

/** For the biggest job; null events: nobody counted them. */
export function sizeWall(
  nowMinutes: number,
  limits: Pick<SizingLimits, "maxWallMinutes">,
  metrics: Metrics,
  events: number | null,
): Sized {
  if (!metrics.wallSecPerEvent || !events) return { value: nowMinutes, why: "events were not counted: as before" };
  const high = Math.max(p90(metrics.wallSecPerEvent), typical(metrics.wallSecPerEvent).value);
  const startSec = metrics.startSec ? p90(metrics.startSec) : 0;
  const minutes = Math.ceil(((events * high + startSec) / 60) * WALL_MARGIN);
  const value = Math.min(Math.max(minutes, MIN_WALL_MINUTES), limits.maxWallMinutes);
  const why = `${events} events of ${high.toPrecision(3)} s (p90) × ${WALL_MARGIN}`;
  if (value === minutes) return { value, why };
  return { value, why: `${why}; ${value > minutes ? `at least ${MIN_WALL_MINUTES}` : `at most ${value}`} minutes` };
}

function sizeDisk(asked: Asked, limits: SizingLimits, { diskMb }: Metrics): Sized {
  if (!diskMb) return { value: asked.diskMb, why: "not measured: as the request says" };
  const wanted = Math.ceil(diskMb.max * MARGIN);
  const why = `measured ${Math.round(diskMb.max)} MB at most over ${diskMb.jobs} jobs × ${MARGIN}`;
  return { value: Math.min(Math.max(wanted, asked.diskMb), limits.maxDiskMb), why };
}

/**
 * As many as the steps kept busy, as a power of two, never more than the request says, and so many that its memory may be asked
 * for. Steps weigh by their time; one that can be cut in parts keeps as many busy as its instances do. Decided once: fewer cores
 * are always busier, so they would go down and up again.
 */
function sizeCores(facts: SizingFacts, limits: SizingLimits, metrics: Metrics, memoryMb: number): Sized {
  const { asked, before } = facts;
  const now = before?.cores ?? asked.cores;
  let [weight, used] = [0, 0];
  const runs = sizeRuns(facts, limits, metrics, now);
  for (const [name, { busyCores, wallSecPerEvent }] of Object.entries(metrics.steps)) {
    if (!busyCores || !wallSecPerEvent) continue;
    const seconds = median(wallSecPerEvent);
    weight += seconds;
    used += seconds * Math.min(now, median(busyCores) * (runs[name]?.instances ?? 1));
  }
  if (weight === 0) return { value: now, why: "the use of cores was not measured" };
  const busy = used / weight;
  const forMemory = Math.ceil(memoryMb / limits.maxMemoryPerCoreMb);
  const value = Math.min(asked.cores, Math.max(powerOfTwo(busy), powerOfTwoAbove(forMemory)));
  if (before && (before.areCoresDecided || before.isMeasured || now < asked.cores))
    return { value: Math.max(now, Math.min(asked.cores, powerOfTwoAbove(forMemory))), why: "decided once, as before" };
  const split = Object.keys(runs).filter((name) => runs[name]!.instances > 1);
  const apart = split.length > 0 ? ` or will be (${split.join(", ")} in parts)` : "";
  const why = `${busy.toFixed(1)} of ${now} cores were busy${apart} over ${metrics.jobs} jobs`;
  if (value >= now || busy >= now * BUSY_ENOUGH) return { value: Math.max(value, now), why };
  return { value, why: powerOfTwo(busy) < value ? `${why}; the memory takes ${value}` : why };
}

/** The nearest by ratio: 1.4 is 1, 1.5 is 2. */
const powerOfTwo = (value: number): number => 2 ** Math.max(0, Math.min(6, Math.round(Math.log2(Math.max(value, 1)))));
const powerOfTwoAbove = (value: number): number => 2 ** Math.ceil(Math.log2(Math.max(value, 1)));
