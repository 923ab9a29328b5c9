import { randomFrom } from "../../src/core/base/random.ts";
import type { StepRun } from "../../src/core/metrics.ts";
import type { MeasuredJob, MeasuredStep } from "../../src/planning/sizing/metrics.ts";

/**
 * What the jobs of a request do, instead of running them. A step takes its time by Amdahl's law and memory by its threads, and
 * each job differs from the next by the noise of its workload. Some workloads leak, some have a share of heavy events, and now
 * and then a job lands on a slow machine.
 */
export interface Workload {
  readonly steps: readonly StepModel[];
  /** No job is further from the middle than this share, in time or in memory. */
  readonly noise: number;
  /** Of the logarithm of memory, on top: 0 where the noise is all there is. */
  readonly tail: number;
  /** So many of the jobs take so much more memory. */
  readonly heavy: { readonly share: number; readonly factor: number };
  /** So few take so much more that all others should not ask for it. */
  readonly rare: { readonly share: number; readonly factor: number };
  readonly slowShare: number;
  /** Its steps can do a part of their events. */
  readonly maySplit: boolean;
  readonly startSec: number;
  readonly totalEvents: number;
  /** What the person who made the request believes. */
  readonly hints: {
    readonly cores: number;
    readonly memoryMb: number;
    readonly secPerEvent: number;
    readonly kbPerEvent: number;
  };
}

interface StepModel {
  readonly name: string;
  readonly serial: number;
  readonly baseMb: number;
  readonly perThreadMb: number;
  readonly leakMbPerEvent: number;
  /** On one core. */
  readonly secPerEvent: number;
  readonly kbPerEvent: number;
}

/** One job, whatever memory it is given. */
interface SimulatedJob {
  readonly measured: MeasuredJob;
  readonly wallSec: number;
  readonly cpuSec: number;
  readonly neededMb: number;
  /** How far it comes before it needs the most. */
  readonly peakAt: number;
}

/** How a step runs in a job. */
export type RunOf = (step: string) => Pick<StepRun, "instances" | "threads">;

/** name, serial fraction, MB, MB a thread, seconds and kB an event */
const PROFILES = [
  ["GEN", 0.3, 1500, 250, 0.05, 50],
  ["DIGI", 0.1, 1800, 300, 0.03, 30],
  ["RECO", 0.1, 1800, 300, 0.03, 20],
  ["MINI", 0.08, 1600, 200, 0.02, 15],
  ["NANO", 0.05, 1200, 150, 0.01, 5],
] as const;

/** The simulator's events are fast; those of real detectors take so much longer, at least and at most. */
const SLOWER = [30, 300] as const;
const TARGET_SEC = 8 * 3600;
const MOST_PER_CORE_MB = 3000;

/** The same for the same seed. */
export function dice(seed: number) {
  const next = randomFrom(seed);
  return {
    between: (low: number, high: number) => low + (high - low) * next(),
    /** As often half as double. */
    byRatio: (low: number, high: number) => low * (high / low) ** next(),
    chance: (share: number) => next() < share,
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    whole: (low: number, high: number) => low + Math.floor(next() * (high - low + 1)),
  };
}
export type Dice = ReturnType<typeof dice>;

/** What is unlike the kind workloads; each adds one thing and changes nothing else. */
export interface Hostile {
  /** One job in so many takes three times the memory. */
  readonly rareShare?: number;
  /** Memory is lognormal with such a deviation of its logarithm, at least and at most. */
  readonly tail?: readonly [number, number];
  /** 20 to 50 % of the jobs take so many times the memory. */
  readonly modes?: readonly [number, number];
  /** By the end of a job of eight hours a leak takes so many times the base. */
  readonly leak?: readonly [number, number];
  /** So many jobs of eight hours are all there is. */
  readonly jobs?: readonly [number, number];
}

export function makeWorkload(random: Dice, hostile: Hostile, unlike: Dice): Workload {
  const first = random.whole(0, PROFILES.length - 1);
  const chain = PROFILES.slice(first, random.whole(first, PROFILES.length - 1) + 1);
  const slower = random.byRatio(...SLOWER);
  const cores = 2 ** random.whole(1, 3);
  const usualLeak = random.chance(0.25) ? random.between(0.02, 0.15) : 0;
  const leak = hostile.leak ? unlike.byRatio(...hostile.leak) : usualLeak;
  const plain = chain.map(([name, serial, baseMb, perThreadMb, secPerEvent, kbPerEvent]) => ({
    name,
    serial: Math.min(0.9, serial * random.byRatio(0.5, 2)),
    baseMb: baseMb * random.byRatio(0.7, 1.4),
    perThreadMb: perThreadMb * random.byRatio(0.7, 1.4),
    secPerEvent: secPerEvent * slower * random.byRatio(0.7, 1.4),
    kbPerEvent: kbPerEvent * random.byRatio(0.7, 1.4),
  }));
  const secPerEvent = plain.reduce((sum, step) => sum + step.secPerEvent * slowdown(step.serial, cores), 0);
  // A leak takes such a share of the base by the end of a job of eight hours.
  const steps = plain.map((step) => ({ ...step, leakMbPerEvent: (leak * step.baseMb * secPerEvent) / TARGET_SEC }));
  const noise = random.between(0.05, 0.3);
  const usual = random.chance(0.15)
    ? { share: random.between(0.15, 0.3), factor: random.between(1.2, 1.5) }
    : NOT_HEAVY;
  const { modes, tail, jobs } = hostile;
  const workload = {
    steps,
    noise,
    heavy: modes ? { share: unlike.between(0.2, 0.5), factor: unlike.between(...modes) } : usual,
    tail: tail ? unlike.between(...tail) : 0,
    rare: { share: hostile.rareShare ?? 0, factor: 3 },
    slowShare: 0.02,
    startSec: random.between(60, 600),
    totalEvents: Math.round(((jobs ? unlike.between(...jobs) : random.between(300, 900)) * TARGET_SEC) / secPerEvent),
  };
  const peakMb = truePeakMb(workload, () => ({ instances: 1, threads: cores }), TARGET_SEC / secPerEvent);
  return {
    ...workload,
    hints: {
      cores,
      memoryMb: Math.round(Math.min(peakMb * random.byRatio(0.3, 3), MOST_PER_CORE_MB * cores)),
      secPerEvent: secPerEvent * random.byRatio(0.3, 3),
      kbPerEvent: steps.at(-1)!.kbPerEvent * random.byRatio(0.3, 3),
    },
    maySplit: random.chance(0.5),
  };
}
const NOT_HEAVY = { share: 0, factor: 1 };

/** Compared with one core. */
const slowdown = (serial: number, cores: number): number => serial + (1 - serial) / cores;

const middleMb = (step: StepModel, { instances, threads }: ReturnType<RunOf>, events: number): number =>
  instances * (step.baseMb + step.perThreadMb * threads + (step.leakMbPerEvent * events) / instances);

/** The most that a job of so many events can take, but for the rare ones; where there is no most, what 99 of 100 stay below. */
export function truePeakMb(
  { steps, noise, heavy, tail }: Pick<Workload, "steps" | "noise" | "heavy" | "tail">,
  runOf: RunOf,
  events: number,
): number {
  const most = tail > 0 ? Math.exp(NORMAL_P99 * tail) : 1 + noise;
  return Math.max(...steps.map((step) => middleMb(step, runOf(step.name), events))) * most * heavy.factor;
}
const NORMAL_P99 = 2.326;

export function simulateJob(
  workload: Workload,
  runOf: RunOf,
  events: number,
  random: Dice,
  rarely: Dice,
): SimulatedJob {
  const { noise, heavy, tail, rare, slowShare, startSec } = workload;
  const slow = random.between(1 - noise, 1 + noise) * (random.chance(slowShare) ? random.between(1.5, 4) : 1);
  const even = random.between(1 - noise, 1 + noise);
  const own = tail > 0 ? Math.exp(tail * rarely.normal()) : even;
  const usual = own * (random.chance(heavy.share) ? heavy.factor : 1);
  const large = usual * (rarely.chance(rare.share) ? rare.factor : 1);
  const steps = workload.steps.map((step, at): MeasuredStep => {
    const start = at === 0 ? startSec : 0;
    const { instances, threads } = runOf(step.name);
    const cpuSec = step.secPerEvent * events * slow;
    return {
      name: step.name,
      wallSec: start + (cpuSec * slowdown(step.serial, threads)) / instances,
      cpuSec: cpuSec + start * instances,
      threads,
      instances,
      memoryMb: middleMb(step, { instances, threads }, events) * large,
      memorySource: "cgroup",
      events,
      startSec: start,
    };
  });
  const wallSec = steps.reduce((sum, step) => sum + step.wallSec!, 0);
  const neededMb = Math.max(...steps.map(({ memoryMb }) => memoryMb!));
  const outputBytes = workload.steps.at(-1)!.kbPerEvent * 1000 * events * random.between(1 - noise, 1 + noise);
  return {
    measured: { steps, wallSec, memoryMb: neededMb, diskMb: outputBytes / 1e6, events, outputBytes },
    wallSec,
    cpuSec: steps.reduce((sum, step) => sum + step.cpuSec!, 0),
    neededMb,
    peakAt: random.between(0.2, 1),
  };
}
