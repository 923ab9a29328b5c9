import type { Sample, Sized, StepMetrics } from "../domain/metrics.ts";
import { bestMemory } from "./metrics.ts";
import { median, p90 } from "./sample.ts";
import { memoryModel } from "./thread-model.ts";

/** Of measurements: somewhat more than they say. */
export const MARGIN = 1.2;

/** Where the slow tenth is far from the middle, it counts; else the middle with its margin covers it. */
export function typical(sample: Sample): { value: number; which: string } {
  const [middle, high] = [median(sample), p90(sample)];
  return high > middle * MARGIN ? { value: high, which: "p90" } : { value: middle, which: "median" };
}

/**
 * What one instance of a step is to be given. With other threads than most jobs had: by the line through what was seen, as far
 * above it as the jobs were.
 */
export function memoryOfStep(name: string, step: StepMetrics, threads: number): Sized | null {
  const best = bestMemory(step);
  if (!best) return null;
  const model = memoryModel(step.memoryMbByThreads);
  if (!model || threads === step.threads) return memoryOf(best.sample, `${name}, by ${best.source}`);
  const { value, which } = typical(best.sample);
  const modeled = (model.baseMb + model.perThreadMb * threads) * Math.max(1, value / median(best.sample));
  const line = `${Math.round(model.baseMb)} MB and ${Math.round(model.perThreadMb)} MB a thread`;
  const why = `measured ${line} (${name}, ${which} over ${best.sample.jobs} jobs) with ${threads} threads × ${MARGIN}`;
  return { value: modeled * MARGIN, why };
}

export function memoryOf(sample: Sample, what: string): Sized {
  const { value, which } = typical(sample);
  const why = `measured ${Math.round(value)} MB ${which} over ${sample.jobs} jobs (${what}) × ${MARGIN}`;
  return { value: value * MARGIN, why };
}
