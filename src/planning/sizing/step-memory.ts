import type { Metrics, RequestedSizes, RoundFigures, Sample, Sized, Sizes, StepMetrics } from "../../core/metrics.ts";
import { decideGrowth, eventsSeen, movedTo, scaled } from "./event-model.ts";
import { bestMemory, larger } from "./metrics.ts";
import { median, p90, quantile } from "./sample.ts";
import { memoryModel } from "./thread-model.ts";

/** Of measurements: somewhat more than they say. */
export const MARGIN = 1.2;

/** Where the slow tenth is far from the middle, it counts; else the middle with its margin covers it. */
export function typical(sample: Sample): { value: number; which: string } {
  const [middle, high] = [median(sample), p90(sample)];
  return high > middle * MARGIN ? { value: high, which: "p90" } : { value: middle, which: "median" };
}

/** Over the most that a job was seen to take: of many jobs the most is known well, of few less so. */
const SEEN_MARGIN = 1.05;
const SEEN_FEW_MARGIN = 1.1;
/** And where jobs will have more events than before: they may leak. */
const MORE_EVENTS_MARGIN = 1.05;
/** One so far above nearly all others stands alone: it is tried again with more, rather than all asking for it. */
const ALONE = 1.5;
const NEARLY_ALL = 0.95;
/** Of fewer jobs nobody can tell which stand alone. */
const FEW = 10;
const MANY = 100;
/** So many jobs say more than a line through those with other threads. */
const ENOUGH = 5;

/**
 * What one instance of a step is to be given for so many events (null: as many as the jobs had). By jobs with as many threads,
 * where there were some; else by the line through what was seen, as far above it as the jobs were.
 */
export function memoryOfStep(
  name: string,
  step: StepMetrics,
  threads: number,
  events: number | null = null,
  moreEvents = false,
): SizedMemory | null {
  const best = bestMemory(step);
  if (!best) return null;
  const growth = decideGrowth(step.memoryMbByThreads);
  const line = events !== null && growth.kind === "grows" ? { events, mbPerEvent: growth.mbPerEvent } : null;
  const seen = line ? moved(step.memoryMbByThreads, line) : step.memoryMbByThreads;
  const byLine = line ? `, ${perEvent(line)}` : "";
  const of = (sample: Sample, what: string): SizedMemory => ({
    ...memoryOf(sample, `${what}${byLine}`, {
      moreEvents: moreEvents && !line,
      events: eventsSeen(step.memoryMbByThreads),
      isMoved: line !== null,
    }),
    isByEvents: line !== null,
  });
  const model = memoryModel(seen);
  const here = seen[threads];
  const most = Object.values(seen).reduce((a, b) => (b.jobs > a.jobs ? b : a));
  const isOnly = Object.keys(seen).length === 1;
  if (here && !isOnly && (here.jobs >= ENOUGH || here.jobs === most.jobs))
    return of(here, `${name} with ${threads} threads`);
  if (!model) return of(line ? most : best.sample, `${name}, by ${best.source}`);
  const share = (model.baseMb + model.perThreadMb * threads) / median(most);
  const byThread = `${Math.round(model.baseMb)} MB and ${Math.round(model.perThreadMb)} MB a thread`;
  return of(scaled(most, share), `${name}, by ${byThread} with ${threads} threads`);
}

interface SizedMemory extends Sized {
  /** By how memory grows with events: for fewer of them it may be less than before. */
  readonly isByEvents: boolean;
}

/** What jobs will be like: how their steps run, and their events (null: as they were). */
interface JobShape {
  readonly runs?: Sizes["runs"];
  readonly events?: number | null;
  readonly moreEvents?: boolean;
}

/** The hungriest step decides, with all its instances; the job as a whole where no step was measured alone. */
export function memoryOfJob(metrics: Metrics, cores: number, shape: JobShape = {}): SizedMemory | null {
  const { runs = {}, events = null, moreEvents = false } = shape;
  const steps = Object.entries(metrics.steps).map(([name, step]) => {
    const { instances = 1, threads = cores } = runs[name] ?? {};
    const one = memoryOfStep(name, step, threads, events === null ? null : events / instances, moreEvents);
    if (!one || instances === 1) return one;
    return { ...one, value: one.value * instances, why: `${one.why} × ${instances} instances` };
  });
  const whole = metrics.memoryMb && memoryOf(metrics.memoryMb, "whole jobs", { moreEvents });
  return largest(steps) ?? (whole && { ...whole, isByEvents: false });
}

export const largest = <T extends Sized>(all: readonly (T | null)[]): T | null =>
  all.reduce<T | null>((best, one) => (one && (!best || one.value > best.value) ? one : best), null);

interface EventLine {
  readonly events: number;
  readonly mbPerEvent: number;
}

const moved = (seen: StepMetrics["memoryMbByThreads"], { events, mbPerEvent }: EventLine): Record<string, Sample> =>
  Object.fromEntries(Object.entries(seen).map(([threads, sample]) => [threads, movedTo(sample, events, mbPerEvent)]));
const perEvent = ({ events, mbPerEvent }: EventLine): string =>
  `by ${mbPerEvent.toPrecision(3)} MB more an event for ${Math.round(events)} events`;

/** Of the jobs of a sample: whether the next ones have more events, how many these had, and whether it is moved to other lengths. */
interface Seen {
  readonly moreEvents?: boolean;
  readonly events?: readonly [number, number] | null;
  readonly isMoved?: boolean;
}

/**
 * The margin over what is typical, and over the most that was seen, unless that stands alone. Of many jobs that differ much the
 * most is known, and then it is enough.
 */
function memoryOf(
  sample: Sample,
  what: string,
  { moreEvents = false, events = null, isMoved = false }: Seen = {},
): Sized {
  const seen = isMoved ? "expected" : "measured";
  const { value, which } = typical(sample);
  const over = `over ${sample.jobs} ${sample.jobs === 1 ? "job" : "jobs"}${ofEvents(events)} (${what})`;
  const isMany = sample.jobs >= MANY;
  const margin = (isMany ? SEEN_MARGIN : SEEN_FEW_MARGIN) * (moreEvents ? MORE_EVENTS_MARGIN : 1);
  const most = sample.max * margin;
  const isAlone = mostOfOthers(sample) < sample.max;
  const isKnown = isMany && which === "p90" && most < value * MARGIN;
  const unsure = uncertainty(sample, isAlone);
  if (!isAlone && (most > value * MARGIN || isKnown)) {
    const why = `${seen} ${Math.round(sample.max)} MB at most ${over} × ${Number(margin.toFixed(3))}${unsure}`;
    return { value: most, why };
  }
  return { value: value * MARGIN, why: `${seen} ${Math.round(value)} MB ${which} ${over} × ${MARGIN}${unsure}` };
}

function ofEvents(events: readonly [number, number] | null): string {
  if (!events) return "";
  const [fewest, most] = events;
  return fewest === most ? ` of ${most} events` : ` of ${fewest} to ${most} events`;
}

/**
 * Where what was seen says little of what comes. Whatever jobs are like: of jobs that are drawn alike, the next one is above all n
 * before it once in n + 1 times.
 */
function uncertainty(sample: Sample, isAlone: boolean): string {
  const mostMb = Math.round(sample.max);
  if (isAlone) return `; up to ${mostMb} MB were seen, too rarely to ask for: such jobs are tried again with more`;
  if (sample.jobs < FEW) return `; of so few jobs: up to one in ${sample.jobs + 1} may take more than all of them`;
  if (sample.max < median(sample) * TAIL) return "";
  return `; they took ${Math.round(median(sample))} to ${mostMb} MB, so that single jobs may need more and are tried again`;
}
/** Jobs that differ by so much may differ by more. */
const TAIL = 2;

/** What nearly all jobs stay below, where the largest stand alone; else the largest. */
function mostOfOthers(sample: Sample): number {
  if (sample.jobs < FEW) return sample.max;
  const others = quantile(sample, Math.min(NEARLY_ALL, (sample.jobs - 2) / (sample.jobs - 1)));
  return sample.max > others * ALONE ? others : sample.max;
}

type RoundWithKills = Pick<RoundFigures, "jobsSampled" | "killedAtMb" | "killedJobs"> & {
  readonly requested?: Pick<RequestedSizes, "eventsPerJob"> | null;
};

/**
 * What jobs had that were killed, by round, and how many events those with the most memory: where they were few of many, they
 * say nothing of the others. null: nothing.
 */
export function killsThatTeach(rounds: readonly RoundWithKills[]): {
  readonly killedAtMb: number | null;
  readonly killedEvents: number | null;
} {
  const teaching = rounds.filter(({ jobsSampled: jobs, killedJobs }) => {
    const isFew = killedJobs !== undefined && jobs >= FEW && killedJobs <= Math.max(1, jobs * (1 - NEARLY_ALL));
    return !isFew;
  });
  const killedAtMb = teaching.reduce<number | null>((most, round) => larger(most, round.killedAtMb), null);
  const lengths = teaching.flatMap((round) =>
    killedAtMb !== null && round.killedAtMb === killedAtMb ? (round.requested?.eventsPerJob ?? []) : [],
  );
  return { killedAtMb, killedEvents: lengths.length === 0 ? null : Math.min(...lengths) };
}

/** Whether it is by jobs with as many threads; else it is inferred from others. */
export const wereSeen = (steps: Metrics["steps"], cores: number, runs: Sizes["runs"]): boolean =>
  Object.entries(steps).every(([name, { memoryMbByThreads: seen }]) => {
    const here = seen[runs[name]?.threads ?? cores];
    return here !== undefined && (here.jobs >= ENOUGH || Object.keys(seen).length === 1);
  });

/**
 * What jobs that were killed with so much teach about those to come: where jobs with as many threads came to their end since, as
 * much as these took; nothing where jobs with other threads were the ones that took more, or where they are part of a line over
 * events that says it of the next ones. null: nothing.
 */
export function taughtByKills(
  killedAtMb: number,
  metrics: Metrics | null,
  cores: number,
  runs: Sizes["runs"],
  isByEvents = false,
): number | null {
  const steps = Object.entries(metrics?.steps ?? {});
  const seen = steps.flatMap(([, { memoryMbByThreads }]) => Object.values(memoryMbByThreads).map(({ max }) => max));
  const guess = killedAtMb * KILLED_MARGIN;
  if (Math.max(metrics?.memoryMb?.max ?? 0, ...seen) <= killedAtMb) return guess;
  if (isByEvents) return null;
  const here = steps.map(([name, { memoryMbByThreads }]) => {
    const { instances = 1, threads = cores } = runs[name] ?? {};
    const seen = memoryMbByThreads[threads];
    return seen ? mostOfOthers(seen) * instances : 0;
  });
  const most = Math.max(0, ...here);
  return most > killedAtMb ? Math.min(guess, most * SEEN_MARGIN) : null;
}
/** A job that was killed needed more than it had, nobody knows how much. */
const KILLED_MARGIN = 1.5;
