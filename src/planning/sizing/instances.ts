import type { StepMetrics, StepRun } from "../../core/metrics.ts";
import { median } from "./sample.ts";
import { MARGIN, memoryOfStep } from "./step-memory.ts";

interface InstanceFacts {
  readonly name: string;
  readonly metrics: StepMetrics;
  /** Of the whole job; null: jobs are not cut by events. */
  readonly events: number | null;
  /** Its parts can run apart and be joined; else only more threads can help it. */
  readonly maySplit: boolean;
}

/** What there is for all instances together. */
export interface Slot {
  readonly cores: number;
  readonly memoryMb: number;
  /** Threads per core that a step may have at most; 1: no more threads than cores. */
  readonly overcommitMax: number;
}

/** Below this share of busy threads a step is cut in parts; above it, up to the second, it may get more threads. */
const SPLIT_BELOW = 0.5;
const OVERCOMMIT_BELOW = 0.9;
/** What a further thread may take, where nobody measured it. */
const THREAD_MB = 250;

/**
 * How a step is run within its slot: as several instances where one leaves most of its threads idle, with more threads than
 * cores where it leaves some, else as it is (null).
 */
export function decideInstances({ name, metrics, events, maySplit }: InstanceFacts, slot: Slot): StepRun | null {
  if (!metrics.busyCores) return null;
  const busy = Math.max(median(metrics.busyCores), 0.01);
  const seen = Object.keys(metrics.memoryMbByThreads).map(Number);
  const most = Math.max(metrics.threads, ...seen);
  const threads = Math.min(most, slot.cores);
  const efficiency = busy / threads;
  const measured = `${busy.toFixed(1)} of ${threads} threads were busy over ${metrics.busyCores.jobs} jobs`;
  if (efficiency < SPLIT_BELOW) {
    if (!maySplit) return null;
    const wanted = Math.min(slot.cores, Math.ceil(slot.cores / busy));
    for (let instances = wanted; instances > 1; instances--) {
      const each = Math.max(1, Math.min(most, Math.floor(slot.cores / instances)));
      const memory = memoryOfStep(name, metrics, each, events === null ? null : events / instances);
      if (!memory || instances * memory.value > slot.memoryMb) continue;
      const less = instances < wanted ? `; more do not fit into ${slot.memoryMb} MB` : "";
      const one = `${Math.ceil(memory.value)} MB each`;
      return { instances, threads: each, why: `${measured}, ${one}${less}` };
    }
    return null;
  }
  if (efficiency >= OVERCOMMIT_BELOW || slot.overcommitMax <= 1) return null;
  const memory = memoryOfStep(name, metrics, threads, events);
  if (!memory) return null;
  const spare = Math.floor((slot.memoryMb - memory.value / MARGIN) / THREAD_MB);
  const more = Math.min(Math.floor(threads * slot.overcommitMax) - threads, spare);
  return more > 0 ? { instances: 1, threads: threads + more, why: `${measured}, ${THREAD_MB} MB a further one` } : null;
}
