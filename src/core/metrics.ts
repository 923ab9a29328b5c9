/**
 * What was measured of many jobs, small enough to be kept for each work unit: how many there were, the largest value, and up
 * to 32 values that stand for all of them, ascending. Samples of units and rounds join by weight.
 */
export interface Sample {
  readonly jobs: number;
  readonly max: number;
  readonly values: readonly number[];
}

/** Of jobs with about as many events each. */
export interface EventsSample extends Sample {
  /** Of a job, on average. */
  readonly events: number;
}

export interface MemorySample extends Sample {
  /** The same by the events that an instance did, in steps of a fifth; absent: nobody counted them. */
  readonly byEvents?: Readonly<Record<string, EventsSample>>;
}

/** Where a peak of memory comes from; a cgroup sees files in memory too, and is what an OOM killer goes by. */
export const MEMORY_SOURCES = ["cgroup", "framework", "process-tree"] as const;
export type MemorySource = (typeof MEMORY_SOURCES)[number];

/** What the jobs of a unit, a round or a request showed of one step. */
export interface StepMetrics {
  readonly jobs: number;
  /** What most jobs had; of equally common ones, the smaller. */
  readonly threads: number;
  /** Of jobs that ran it in one instance, as are the busy cores: what several did says nothing of one. */
  readonly cpuEfficiency: Sample | null;
  /** CPU time over wall time, however many threads there were. */
  readonly busyCores: Sample | null;
  /** Of one instance, by source; the best there is counts. */
  readonly memoryMb: Partial<Readonly<Record<MemorySource, Sample>>>;
  /** The same memory by the number of threads, whatever its source. */
  readonly memoryMbByThreads: Readonly<Record<string, MemorySample>>;
  readonly wallSecPerEvent: Sample | null;
  readonly startSec: Sample | null;
}

/** The same of whole jobs, and of each of their steps. */
export interface Metrics {
  readonly jobs: number;
  readonly steps: Readonly<Record<string, StepMetrics>>;
  readonly wallSecPerEvent: Sample | null;
  readonly startSec: Sample | null;
  readonly memoryMb: Sample | null;
  readonly diskMb: Sample | null;
  /** What a job leaves. */
  readonly kbPerEvent: Sample | null;
  /** What is left of it when merged; absent: nobody measured it. */
  readonly mergedKbPerEvent?: Sample | null;
  /** The most memory a job had that was killed for using more; null: none was. */
  readonly killedAtMb: number | null;
  /** How many were; absent: nobody counted them. */
  readonly killedJobs?: number;
}

/** A size that a round asks for, and the reason that is shown to people. */
export interface Sized {
  readonly value: number;
  readonly why: string;
}

/** What a round asks for its jobs. */
export interface Sizes {
  readonly cores: Sized;
  readonly areCoresDecided: boolean;
  readonly memoryMb: Sized;
  readonly wallMinutes: Sized;
  readonly diskMb: Sized;
  /** null: jobs are not cut by events. */
  readonly eventsPerJob: Sized | null;
  /** Steps that do not run as they are. */
  readonly runs: Readonly<Record<string, StepRun>>;
}

/** How a step runs within its job: in so many instances at once, each with its part of the events. */
export interface StepRun {
  readonly instances: number;
  /** Of each instance. */
  readonly threads: number;
  readonly why: string;
}

/** One step as people and the payload are told (docs/guides/adaptive.md). */
export interface StepFigures {
  readonly cpuEfficiency: number | null;
  readonly rssMb: number | null;
  readonly rssMbP90: number | null;
  readonly rssMbMax: number | null;
  readonly wallSecPerEvent: number | null;
  readonly wallSecPerEventP90: number | null;
  readonly threads: number;
  readonly source: MemorySource | null;
  readonly samples: number;
}

export interface Figures {
  /** The last round that is part of it. */
  readonly round: number;
  readonly jobsSampled: number;
  readonly steps: Readonly<Record<string, StepFigures>>;
}

/** What a round asked for, by measurements or by what the request says, and what its jobs used. */
export interface RoundFigures extends Figures {
  readonly requested: RequestedSizes | null;
  readonly killedAtMb: number | null;
  readonly killedJobs?: number;
}

export interface RequestedSizes {
  /** By jobs with as many cores. */
  readonly isMeasured: boolean;
  /** By how busy they were: they stay. */
  readonly areCoresDecided?: boolean;
  readonly cores: number;
  readonly memoryMb: number;
  readonly wallMinutes: number;
  readonly diskMb: number;
  readonly eventsPerJob: number | null;
  /** cores, memory, wall, disk, events, "step NAME": one sentence for each that is not as the request says. */
  readonly why: Readonly<Record<string, string>>;
}

/** All rounds together, weighted by their jobs, and each of them. */
export interface WorkflowMetrics extends Figures {
  readonly rounds: readonly RoundFigures[];
}
