import type { Metrics, Sample, Sized, Sizes, StepMetrics } from "../domain/metrics.ts";
import { bestMemory } from "./metrics.ts";
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
/** Of many jobs, one so far above the others stands alone: it is tried again with more, rather than all asking for it. */
const ALONE = 1.5;
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
  const isOnly = Object.keys(seen).length === 1;
  const here = seen[threads];
  if (here && !isOnly && here.jobs >= ENOUGH) return memoryOf(here, `${name} with ${threads} threads`, moreEvents);
  if (!model) return memoryOf(best.sample, `${name}, by ${best.source}`, moreEvents);
  const { value, which } = typical(best.sample);
  const modeled = (model.baseMb + model.perThreadMb * threads) * Math.max(1, value / median(best.sample));
  const line = `${Math.round(model.baseMb)} MB and ${Math.round(model.perThreadMb)} MB a thread`;
  const why = `measured ${line} (${name}, ${which} over ${best.sample.jobs} jobs) with ${threads} threads × ${MARGIN}`;
  return { value: modeled * MARGIN, why };
}

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
  const isAlone = isMany && sample.max > quantile(sample, 0.95) * ALONE;
  const isKnown = isMany && which === "p90" && most < value * MARGIN;
  if (!isAlone && (most > value * MARGIN || isKnown))
    return { value: most, why: `measured ${Math.round(sample.max)} MB at most ${over} × ${Number(margin.toFixed(3))}` };
  return { value: value * MARGIN, why: `measured ${Math.round(value)} MB ${which} ${over} × ${MARGIN}` };
}

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
    return (memoryMbByThreads[threads]?.max ?? 0) * instances;
  });
  const most = Math.max(0, ...here);
  return most > killedAtMb ? Math.min(guess, most * SEEN_MARGIN) : null;
}
/** A job that was killed needed more than it had, nobody knows how much. */
const KILLED_MARGIN = 1.5;
