import type { Metrics, RoundFigures, Sample, Sized, Sizes, StepMetrics } from "../domain/metrics.ts";
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
 * What one instance of a step is to be given. By jobs with as many threads, where there were some; else by the line through what
 * was seen, as far above it as the jobs were.
 */
export function memoryOfStep(name: string, step: StepMetrics, threads: number, moreEvents = false): Sized | null {
  const best = bestMemory(step);
  if (!best) return null;
  const seen = step.memoryMbByThreads;
  const model = memoryModel(seen);
  const here = seen[threads];
  const most = Object.values(seen).reduce((a, b) => (b.jobs > a.jobs ? b : a));
  const isOnly = Object.keys(seen).length === 1;
  if (here && !isOnly && (here.jobs >= ENOUGH || here.jobs === most.jobs))
    return memoryOf(here, `${name} with ${threads} threads`, moreEvents);
  if (!model) return memoryOf(best.sample, `${name}, by ${best.source}`, moreEvents);
  const share = (model.baseMb + model.perThreadMb * threads) / median(most);
  const line = `${Math.round(model.baseMb)} MB and ${Math.round(model.perThreadMb)} MB a thread`;
  return memoryOf(scaled(most, share), `${name}, by ${line} with ${threads} threads`, moreEvents);
}

const scaled = ({ jobs, max, values }: Sample, by: number): Sample => ({
  jobs,
  max: max * by,
  values: values.map((value) => value * by),
});

/**
 * The margin over what is typical, and over the most that was seen, unless that stands alone. Of many jobs that differ much the
 * most is known, and then it is enough.
 */
export function memoryOf(sample: Sample, what: string, moreEvents = false): Sized {
  const { value, which } = typical(sample);
  const over = `over ${sample.jobs} jobs (${what})`;
  const isMany = sample.jobs >= MANY;
  const margin = (isMany ? SEEN_MARGIN : SEEN_FEW_MARGIN) * (moreEvents ? MORE_EVENTS_MARGIN : 1);
  const most = sample.max * margin;
  const isAlone = mostOfOthers(sample) < sample.max;
  const isKnown = isMany && which === "p90" && most < value * MARGIN;
  if (!isAlone && (most > value * MARGIN || isKnown))
    return { value: most, why: `measured ${Math.round(sample.max)} MB at most ${over} × ${Number(margin.toFixed(3))}` };
  return { value: value * MARGIN, why: `measured ${Math.round(value)} MB ${which} ${over} × ${MARGIN}` };
}

/** What nearly all jobs stay below, where the largest stand alone; else the largest. */
function mostOfOthers(sample: Sample): number {
  if (sample.jobs < FEW) return sample.max;
  const others = quantile(sample, Math.min(NEARLY_ALL, (sample.jobs - 2) / (sample.jobs - 1)));
  return sample.max > others * ALONE ? others : sample.max;
}

/** What jobs had that were killed, by round: where they were few of many, they say nothing of the others. null: nothing. */
export const killsThatTeach = (rounds: readonly Pick<RoundFigures, "jobsSampled" | "killedAtMb" | "killedJobs">[]) =>
  rounds.reduce<number | null>((most, { jobsSampled: jobs, killedAtMb, killedJobs }) => {
    const isFew = killedJobs !== undefined && jobs >= FEW && killedJobs <= Math.max(1, jobs * (1 - NEARLY_ALL));
    return isFew ? most : larger(most, killedAtMb);
  }, null);

/** Whether it is by jobs with as many threads; else it is inferred from others. */
export const wereSeen = (steps: Metrics["steps"], cores: number, runs: Sizes["runs"]): boolean =>
  Object.entries(steps).every(([name, { memoryMbByThreads: seen }]) => {
    const here = seen[runs[name]?.threads ?? cores];
    return here !== undefined && (here.jobs >= ENOUGH || Object.keys(seen).length === 1);
  });

/**
 * What jobs that were killed with so much teach about those to come: where jobs with as many threads came to their end since, as
 * much as these took; nothing where jobs with other threads were the ones that took more. null: nothing.
 */
export function taughtByKills(
  killedAtMb: number,
  metrics: Metrics | null,
  cores: number,
  runs: Sizes["runs"],
): number | null {
  const steps = Object.entries(metrics?.steps ?? {});
  const seen = steps.flatMap(([, { memoryMbByThreads }]) => Object.values(memoryMbByThreads).map(({ max }) => max));
  const guess = killedAtMb * KILLED_MARGIN;
  if (Math.max(metrics?.memoryMb?.max ?? 0, ...seen) <= killedAtMb) return guess;
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
