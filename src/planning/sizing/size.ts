import type { Metrics, RequestedSizes, Sized, Sizes, StepRun } from "../../core/metrics.ts";
import { decideInstances } from "./instances.ts";
import { fewerAfterKills, fitEvents, sizeEvents, WALL_MARGIN } from "./job-events.ts";
import { median, p90 } from "./sample.ts";
import { largest, MARGIN, memoryOfJob, taughtByKills, typical } from "./step-memory.ts";

/** What the request says, or what the round before asked for. */
export interface Asked {
  readonly cores: number;
  readonly memoryMb: number;
  readonly wallMinutes: number;
  readonly diskMb: number;
  /** null: jobs are not cut by events. */
  readonly eventsPerJob: number | null;
  /** Jobs have whole lumis of so many; absent: any number. */
  readonly eventsPerLumi?: number;
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
  /** The fewest events of a job that was; null or absent: nobody knows. */
  readonly killedEvents?: number | null;
  /** What an operator said at a release: no less than this. null: nobody did. */
  readonly saidMb: number | null;
  /** No more jobs will come of what was measured. */
  readonly isRoundOver: boolean;
  /** Steps whose events may be done in parts, at once. */
  readonly parallelSteps?: ReadonlySet<string>;
}

const MIN_WALL_MINUTES = 60;
/** Memory that was measured once stays as it is while no more than this is missing. */
const WORTH_A_CHANGE = 1.05;
/** And less is asked for only where jobs have fewer events, which are known to take memory, and this share is enough. */
const WORTH_LESS = 0.85;
/** So many times the events before: memory that grows with them shows. */
const MANY_MORE = 1.1;
/** Jobs that keep so much of their cores busy keep their cores. */
const BUSY_ENOUGH = 0.75;

/** Whether measurements count yet. */
export const isMeasured = ({ metrics, isRoundOver }: SizingFacts, { minJobs }: SizingLimits): boolean =>
  metrics !== null && metrics.jobs > 0 && (isRoundOver || metrics.jobs >= minJobs);

/** The sizes of the next round's jobs. Pure, and the same for the same facts. */
export function sizeJobs(facts: SizingFacts, limits: SizingLimits): Sizes {
  const { asked, before, metrics } = facts;
  const now = before ?? asked;
  const mostMb = mostMemoryMb(limits, asked.cores);
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
      eventsPerJob: fewerAfterKills(now.eventsPerJob === null ? null : stays(now.eventsPerJob), facts, mostMb),
      runs: {},
    };
  }
  const taught = facts.killedAtMb === null ? null : taughtByKills(facts.killedAtMb, metrics, now.cores, {});
  const wished = fewerAfterKills(sizeEvents(facts, limits, metrics), facts, mostMb);
  const atMost = Math.min(wished?.value ?? 0, now.eventsPerJob ?? 0) || null;
  const needed = Math.max(memoryOfJob(metrics, now.cores, { events: atMost })?.value ?? 0, taught ?? 0);
  const cores = sizeCores(facts, limits, metrics, needed);
  const runs = sizeRuns(facts, limits, metrics, cores.value, wished?.value ?? null);
  const eventsPerJob = wished && fitEvents(wished, metrics, cores.value, runs, mostMemoryMb(limits, cores.value));
  const events = eventsPerJob?.value ?? null;
  const moreEvents = (events ?? 0) > (now.eventsPerJob ?? 0) * MANY_MORE;
  const measured = memoryOfJob(metrics, cores.value, { runs, events, moreEvents });
  return {
    cores,
    areCoresDecided: Object.values(metrics.steps).some(
      ({ busyCores, wallSecPerEvent }) => busyCores && wallSecPerEvent,
    ),
    memoryMb: sizeMemory(facts, limits, measured, cores.value, runs),
    wallMinutes: sizeWall(now.wallMinutes, limits, metrics, events),
    diskMb: sizeDisk(asked, limits, metrics),
    eventsPerJob,
    runs,
  };
}

/** How steps are run that would leave cores idle: as many instances as the most memory that may be asked for has room for. */
function sizeRuns(
  facts: SizingFacts,
  limits: SizingLimits,
  metrics: Metrics,
  cores: number,
  events: number | null,
): Sizes["runs"] {
  const slot = { cores, memoryMb: mostMemoryMb(limits, cores), overcommitMax: limits.overcommitMax ?? 1 };
  const runs = Object.entries(metrics.steps).flatMap(([name, step]): [string, StepRun][] => {
    const maySplit = facts.parallelSteps?.has(name) ?? false;
    const run = decideInstances({ name, metrics: step, events, maySplit }, slot);
    return run ? [[name, run]] : [];
  });
  return Object.fromEntries(runs);
}

/** The memory of jobs that are planned and have not begun: their cores stay. null: as it was. */
export function resizeMemory(facts: SizingFacts, limits: SizingLimits): Sized | null {
  const { before, metrics } = facts;
  if (!before || !metrics || !isMeasured(facts, limits)) return null;
  const measured = memoryOfJob(metrics, before.cores, { events: before.eventsPerJob });
  const sized = sizeMemory(facts, limits, measured, before.cores);
  return sized.value === before.memoryMb ? null : sized;
}

/** Jobs need more than may be asked for on all the cores of the request; null: they do not, or an operator knows better. */
export function memoryBeyondLimit(
  facts: SizingFacts,
  limits: SizingLimits,
): { readonly neededMb: number; readonly mostMb: number; readonly why: string } | null {
  const { asked, metrics, saidMb } = facts;
  if (!metrics || saidMb !== null || !isMeasured(facts, limits)) return null;
  const mostMb = mostMemoryMb(limits, asked.cores);
  const wished = sizeEvents(facts, limits, metrics);
  const events = wished && fitEvents(wished, metrics, asked.cores, {}, mostMb).value;
  const measured = memoryOfJob(metrics, asked.cores, { events });
  const neededMb = Math.ceil((measured?.value ?? 0) / MARGIN);
  return measured && neededMb > mostMb ? { neededMb, mostMb, why: measured.why } : null;
}

/** Within the window; as much as kills taught; and once measured with as many cores, less than before only by how memory grows with events. */
function sizeMemory(
  facts: SizingFacts,
  limits: SizingLimits,
  measured: ReturnType<typeof memoryOfJob>,
  cores: number,
  runs: Sizes["runs"] = {},
): Sized {
  const { asked, before, metrics, killedAtMb, saidMb } = facts;
  const least = limits.leastMemoryPerCoreMb * cores;
  const most = Math.max(least, mostMemoryMb(limits, cores));
  const killed = `jobs with ${Math.round(killedAtMb ?? 0)} MB were killed for using more`;
  const taught = killedAtMb === null ? null : taughtByKills(killedAtMb, metrics, cores, runs, measured?.isByEvents);
  const isLess = measured?.isByEvents && measured.value < (before?.memoryMb ?? 0) * WORTH_LESS;
  const isKept = before?.isMeasured && before.cores === cores && !isLess;
  const kept = isKept ? { value: before.memoryMb, why: "once measured, it does not shrink" } : null;
  const isWorth = (value = 0) => !kept || value > kept.value * WORTH_A_CHANGE;
  const known: readonly (Sized | null)[] = [
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
  const runs = sizeRuns(facts, limits, metrics, now, (before ?? asked).eventsPerJob);
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
