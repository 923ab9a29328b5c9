import { MEMORY_SOURCES, type MemorySource, type Metrics, type Sample, type StepMetrics } from "../../core/metrics.ts";
import { joinMemory, joinSamples, memorySampleOf, sampleOf } from "./sample.ts";

/** One step of one job, as its report says. null: nobody measured it. */
export interface MeasuredStep {
  readonly name: string;
  readonly wallSec: number | null;
  readonly cpuSec: number | null;
  /** Of each instance. */
  readonly threads: number;
  readonly instances: number;
  /** Of all instances together. */
  readonly memoryMb: number | null;
  readonly memorySource: MemorySource;
  /** Read, or made by a step that reads none. */
  readonly events: number | null;
  /** Before its first event. */
  readonly startSec: number | null;
}

export interface MeasuredJob {
  readonly steps: readonly MeasuredStep[];
  /** Of the whole job. */
  readonly wallSec: number | null;
  readonly memoryMb: number | null;
  readonly diskMb: number | null;
  readonly events: number | null;
  readonly outputBytes: number | null;
}

const inKb = (bytes: number | null): number | null => (bytes === null ? null : bytes / 1000);
const per = (value: number | null, events: number | null): number | null =>
  value === null || events === null || events <= 0 ? null : value / events;
const rest = (wallSec: number | null, startSec: number | null): number | null =>
  wallSec === null ? null : Math.max(0, wallSec - (startSec ?? 0));

/** Only jobs that succeeded belong here; of those that were killed, the most memory one had. null: nothing is known. */
export function summariseJobs(
  jobs: readonly MeasuredJob[],
  killedAtMb: number | null = null,
  killedJobs = 0,
): Metrics | null {
  if (jobs.length === 0 && killedAtMb === null) return null;
  const names = [...new Set(jobs.flatMap(({ steps }) => steps.map(({ name }) => name)))];
  const starts = jobs.map(({ steps }) => sum(steps.map(({ startSec }) => startSec)));
  return {
    jobs: jobs.length,
    steps: Object.fromEntries(names.map((name) => [name, summariseStep(jobs.flatMap((job) => runsOf(job, name)))])),
    wallSecPerEvent: sampleOf(jobs.map(({ wallSec, events }, at) => per(rest(wallSec, starts[at] ?? null), events))),
    startSec: sampleOf(starts),
    memoryMb: sampleOf(jobs.map(({ memoryMb }) => memoryMb)),
    diskMb: sampleOf(jobs.map(({ diskMb }) => diskMb)),
    kbPerEvent: sampleOf(jobs.map(({ outputBytes, events }) => per(inKb(outputBytes), events))),
    killedAtMb,
    killedJobs,
  };
}

const sum = (values: readonly (number | null)[]): number | null =>
  values.every((value) => value === null) ? null : values.reduce<number>((all, value) => all + (value ?? 0), 0);

/** A step of a job, and the events of the whole job: a filter before it leaves fewer. */
interface StepOfJob extends MeasuredStep {
  readonly jobEvents: number | null;
}

const runsOf = ({ steps, events }: MeasuredJob, name: string): readonly StepOfJob[] =>
  steps.filter((step) => step.name === name).map((step) => ({ ...step, jobEvents: events }));

function summariseStep(runs: readonly StepOfJob[]): StepMetrics {
  const alone = runs.filter(({ instances }) => instances === 1);
  const busyCores = ({ cpuSec, wallSec }: MeasuredStep) => (cpuSec === null || !wallSec ? null : cpuSec / wallSec);
  const efficiency = (run: MeasuredStep) => per(busyCores(run), run.threads);
  const memoryOfOne = ({ memoryMb, instances }: MeasuredStep) => per(memoryMb, instances);
  const bySource = MEMORY_SOURCES.flatMap((source) => {
    const found = sampleOf(runs.filter((run) => run.memorySource === source).map(memoryOfOne));
    return found ? [[source, found] as const] : [];
  });
  return {
    jobs: runs.length,
    threads: mostCommon(runs.map(({ threads }) => threads)),
    cpuEfficiency: sampleOf(alone.map(efficiency)),
    busyCores: sampleOf(alone.map(busyCores)),
    memoryMb: Object.fromEntries(bySource),
    memoryMbByThreads: Object.fromEntries(
      [...new Set(runs.map(({ threads }) => threads))].flatMap((threads) => {
        const own = runs.filter((run) => run.threads === threads);
        const found = memorySampleOf(
          own.map((run) => ({ mb: memoryOfOne(run), events: per(run.jobEvents, run.instances) })),
        );
        return found ? [[threads, found] as const] : [];
      }),
    ),
    wallSecPerEvent: sampleOf(runs.map(({ wallSec, startSec, events }) => per(rest(wallSec, startSec), events))),
    startSec: sampleOf(runs.map(({ startSec }) => startSec)),
  };
}

/** Of equally common ones, the smaller. */
function mostCommon(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, often], [b, rather]) => rather - often || a - b)[0]?.[0] ?? 1;
}

/** With the merged files of a unit, which may weigh other than what its jobs left. */
export function withMerged(metrics: Metrics | null, bytes: number, events: number): Metrics | null {
  const kb = per(inKb(bytes), events);
  if (!metrics || kb === null || kb === 0) return metrics;
  return { ...metrics, mergedKbPerEvent: { jobs: Math.max(1, metrics.jobs), max: kb, values: [kb] } };
}

export const larger = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b);

/** Of units and rounds together, each with the weight of its jobs. */
export function joinMetrics(all: readonly (Metrics | null)[]): Metrics | null {
  const known = all.filter((one) => one !== null);
  if (known.length <= 1) return known[0] ?? null;
  const names = [...new Set(known.flatMap(({ steps }) => Object.keys(steps)))];
  return {
    jobs: known.reduce((total, { jobs }) => total + jobs, 0),
    steps: Object.fromEntries(names.map((name) => [name, joinSteps(known.flatMap(({ steps }) => steps[name] ?? []))])),
    wallSecPerEvent: joinSamples(known.map(({ wallSecPerEvent }) => wallSecPerEvent)),
    startSec: joinSamples(known.map(({ startSec }) => startSec)),
    memoryMb: joinSamples(known.map(({ memoryMb }) => memoryMb)),
    diskMb: joinSamples(known.map(({ diskMb }) => diskMb)),
    kbPerEvent: joinSamples(known.map(({ kbPerEvent }) => kbPerEvent)),
    mergedKbPerEvent: joinSamples(known.map(({ mergedKbPerEvent }) => mergedKbPerEvent ?? null)),
    killedAtMb: known.reduce<number | null>((most, { killedAtMb }) => larger(most, killedAtMb), null),
    ...(known.every(({ killedJobs }) => killedJobs !== undefined) && {
      killedJobs: known.reduce((total, { killedJobs = 0 }) => total + killedJobs, 0),
    }),
  };
}

function joinSteps(all: readonly StepMetrics[]): StepMetrics {
  const bySource = MEMORY_SOURCES.flatMap((source) => {
    const joined = joinSamples(all.map(({ memoryMb }) => memoryMb[source] ?? null));
    return joined ? [[source, joined] as const] : [];
  });
  return {
    jobs: all.reduce((total, { jobs }) => total + jobs, 0),
    threads: mostCommon(all.flatMap(({ threads, jobs }) => new Array<number>(Math.min(jobs, 1000)).fill(threads))),
    cpuEfficiency: joinSamples(all.map(({ cpuEfficiency }) => cpuEfficiency)),
    busyCores: joinSamples(all.map(({ busyCores }) => busyCores)),
    memoryMb: Object.fromEntries(bySource),
    memoryMbByThreads: Object.fromEntries(
      [...new Set(all.flatMap(({ memoryMbByThreads }) => Object.keys(memoryMbByThreads)))].map((threads) => [
        threads,
        joinMemory(all.flatMap(({ memoryMbByThreads }) => memoryMbByThreads[threads] ?? [])),
      ]),
    ),
    wallSecPerEvent: joinSamples(all.map(({ wallSecPerEvent }) => wallSecPerEvent)),
    startSec: joinSamples(all.map(({ startSec }) => startSec)),
  };
}

/** The best source that measured at least this share of the jobs; null: nobody did. */
export function bestMemory({ memoryMb, jobs }: StepMetrics): { source: MemorySource; sample: Sample } | null {
  for (const source of MEMORY_SOURCES) {
    const sample = memoryMb[source];
    if (sample && sample.jobs >= jobs * TRUSTED_SHARE) return { source, sample };
  }
  return null;
}
const TRUSTED_SHARE = 0.5;
