import type { Metrics, RequestedSizes } from "../../src/core/metrics.ts";
import { parallelSteps } from "../../src/core/parallel-steps.ts";
import type { DagPlan, UnitPlan } from "../../src/core/plan.ts";
import type { RequestSpec } from "../../src/core/request.ts";
import type { PlanFacts } from "../../src/planning/facts.ts";
import { askedOf, sizeRound } from "../../src/planning/size-round.ts";
import { joinMetrics, larger, summariseJobs } from "../../src/planning/sizing/metrics.ts";
import { killsThatTeach } from "../../src/planning/sizing/step-memory.ts";
import { checkPlan, generateSpec, planRound, sampleFacts } from "../../tests/support/sample-facts.ts";
import {
  type Dice,
  dice,
  type Hostile,
  makeWorkload,
  type RunOf,
  simulateJob,
  truePeakMb,
  type Workload,
} from "./adaptive-model.ts";

/**
 * What sizing by measurements gains. Real: requests, the planner with its checks, the summaries of units, and sizing, round by
 * round with the settings WMS2 has by default (only memory per core may be as low as it is, so that what is measured shows;
 * rounds are limited, so that there are some). Modelled (adaptive-model.ts): the jobs. One that needs more memory than it has is
 * killed when it needs it and tried again with half as much more, as the recovery policy does. No job is killed for its time,
 * which is kind to wrong hints. Rounds are numbered from 0, as everywhere.
 */
const WORKLOADS = 200;
const ROUNDS = 5;
const TARGET_SEC = 8 * 3600;
const MOST_ATTEMPTS = 6;
const MOST_PER_CORE_MB = 3000;
/** As `planning.probe_jobs` is by default. */
const PROBE_JOBS = 2;
/** One job in so many takes three times the memory of the others: it should be tried again, and not be what all ask for. */
const RARE_SHARE = 1 / 500;
/** Cores of each of the sites; they differ in memory per core. */
const SITE_CORES = 100;
const SITES_MB_PER_CORE = [1000, 1500, 1750, 2000, 2000, 2000, 2000, 2500, 2500, 3000, 3000, 4000];

/** Beside the kind workloads, each with one thing that is not: memory without a most, in two modes, with leaks; few jobs. */
const HOSTILE: Readonly<Record<string, Hostile>> = {
  lognormal: { tail: [0.3, 0.6] },
  bimodal: { modes: [1.8, 3] },
  leaking: { leak: [0.5, 4] },
  fewJobs: { jobs: [10, 40] },
};

/**
 * Who sizes: `static` asks for what the request says, for ever; `selfCorrecting` for what the most demanding job of the round
 * before took and a tenth, and for half as much more than jobs were killed with; `adaptive` is WMS2.
 */
const RULES = ["static", "selfCorrecting", "adaptive"] as const;
type Rule = (typeof RULES)[number];

export async function run() {
  const began = performance.now();
  const seeds = Array.from({ length: WORKLOADS }, (_, at) => at + 1);
  const requests = (rule: Rule, hostile: Hostile = {}) => seeds.map((seed) => runRequest(seed, rule, hostile));
  const adaptive = requests("adaptive");
  const [hints, corrected, measured] = [
    summary(requests("static")),
    summary(requests("selfCorrecting")),
    summary(adaptive),
  ];
  const hostile = Object.entries(HOSTILE).map(([name, change]) => [
    name,
    Object.fromEntries(RULES.map((rule) => [rule, summary(requests(rule, change))])),
  ]);
  return {
    workloads: WORKLOADS,
    static: hints,
    selfCorrecting: corrected,
    adaptive: measured,
    adaptiveWithRareJobs: summary(requests("adaptive", { rareShare: RARE_SHARE })),
    hostile: Object.fromEntries(hostile),
    coreHoursRatio: rounded(measured.coreHours / hints.coreHours),
    turnsMoreThanOnce: share(adaptive, ({ rounds }) => turns(rounds.map(({ requested }) => requested.memoryMb)) > 1),
    seconds: rounded((performance.now() - began) / 1000),
  };
}

interface RoundSeen {
  readonly requested: RequestedSizes;
  readonly truePeakMb: number;
  readonly jobs: number;
  readonly kills: number;
  readonly jobsSampled: number;
  readonly killedJobs: number;
  readonly killedAtMb: number | null;
  readonly coreSec: number;
  readonly wastedCoreSec: number;
  readonly wallSec: number;
  readonly sites: number;
}

interface RequestSeen {
  readonly rounds: readonly RoundSeen[];
  /** Why it stopped before its end; null: it did not. */
  readonly heldFor: string | null;
}

/** A whole request, from its first event to its last. */
function runRequest(seed: number, rule: Rule, hostile: Hostile): RequestSeen {
  const workload = makeWorkload(dice(seed), hostile, dice(seed + 3_000_000));
  const chances = { random: dice(seed + 1_000_000), rarely: dice(seed + 2_000_000) };
  let spec = specOf(workload, rule === "adaptive");
  const last = BigInt(workload.totalEvents);
  const rounds: RoundSeen[] = [];
  let measured: Metrics | null = null;
  let next: PlanFacts["next"] = { unit: 0, node: 0, block: 0, firstEvent: 1n, firstLumi: 1n };
  while (next.firstEvent <= last) {
    const base = sampleFacts(spec, { round: rounds.length, next, policy: policyFor(workload) });
    const sized: ReturnType<typeof sizeRound> =
      rule === "adaptive" && rounds.length > 0
        ? sizeRound(base, {
            asked: askedOf(spec),
            before: rounds.at(-1)!.requested,
            metrics: measured,
            ...killsThatTeach(rounds),
            saidMb: null,
            isRoundOver: true,
            parallelSteps: parallelSteps(spec),
          })
        : { ok: true, value: base };
    if (!sized.ok) return { rounds, heldFor: sized.error.code };
    const outcome = planRound(sized.value);
    if (outcome.kind !== "planned") throw new Error(`seed ${seed}: ${JSON.stringify(outcome)}`);
    const [violation] = checkPlan(outcome.plan, sized.value);
    if (violation) throw new Error(`seed ${seed}: ${violation.message}`);
    const { plan } = outcome;
    const seen = [...plan.units].map((unit) => runUnit(workload, plan, unit, chances));
    measured = joinMetrics([measured, ...seen.map(({ metrics }) => metrics)]);
    rounds.push(roundSeen(workload, plan, seen));
    if (rule === "selfCorrecting") spec = corrected(spec, rounds.at(-1)!, joinMetrics(seen.map((one) => one.metrics)));
    next = plan.summary.next;
  }
  return { rounds, heldFor: null };
}

function specOf({ hints, steps, totalEvents, maySplit }: Workload, adaptive: boolean): RequestSpec {
  const eventsPerJob = Math.max(1, Math.round(TARGET_SEC / hints.secPerEvent));
  const plain = generateSpec({
    adaptive,
    steps: steps.map(({ name }) => ({ name, argv: ["./step"], env: {}, ...(maySplit && { parallel: "by-events" }) })),
    generation: { totalEvents: BigInt(totalEvents), eventsPerLumi: 1 },
    split: { algorithm: "EventBased", filesPerJob: 1, eventsPerJob, lumisPerJob: 1 },
    unit: { jobsPerUnit: null, targetMergedBytes: 4e9, blockTargetBytes: 1e12, maxUnitsPerBlock: 100 },
  });
  const { cores, memoryMb, secPerEvent: secondsPerEvent, kbPerEvent } = hints;
  return {
    ...plain,
    resources: { ...plain.resources, cores, memoryMb, wallMinutes: 720, secondsPerEvent, kbPerEvent },
  };
}

/** Next time what the last round took at most and a tenth more; more than it was killed with where none came to its end. */
function corrected(spec: RequestSpec, { killedAtMb }: RoundSeen, metrics: Metrics | null): RequestSpec {
  const most = Math.max((metrics?.memoryMb?.max ?? 0) * 1.1, metrics?.jobs ? 0 : (killedAtMb ?? 0) * 1.5);
  const memoryMb = Math.ceil(Math.min(most || spec.resources.memoryMb, MOST_PER_CORE_MB * spec.resources.cores));
  return { ...spec, resources: { ...spec.resources, memoryMb } };
}

function policyFor({ hints, totalEvents }: Workload): Partial<PlanFacts["policy"]> {
  const units = (totalEvents * hints.kbPerEvent * 1000) / 4e9;
  return {
    leastMemoryPerCoreMb: 1,
    maxMemoryPerCoreMb: MOST_PER_CORE_MB,
    maxUnitsPerRound: Math.ceil(units / ROUNDS),
    probeJobs: PROBE_JOBS,
  };
}

const runsOf =
  ({ steps, requested: { cores } }: DagPlan, isProbe = false): RunOf =>
  (name) => {
    const step = steps.find((one) => one.name === name);
    return (isProbe ? step?.probe : step?.run) ?? { instances: 1, threads: cores };
  };

/** Its jobs, each until it succeeds. */
function runUnit(workload: Workload, plan: DagPlan, { nodes }: UnitPlan, chances: { random: Dice; rarely: Dice }) {
  let [kills, killedJobs, coreSec, cpuSec, totalSec, longestSec] = [0, 0, 0, 0, 0, 0];
  let killedAtMb: number | null = null;
  const jobs = nodes.flatMap(({ events, isProbe, resources: { cores, memoryMb } }) => {
    let job = simulateJob(workload, runsOf(plan, isProbe), events!, chances.random, chances.rarely);
    let [given, took, ended] = [memoryMb, 0, false];
    for (let attempt = 0; attempt < MOST_ATTEMPTS && !ended; attempt++) {
      ended = job.neededMb <= given;
      took += ended ? job.wallSec : job.wallSec * job.peakAt;
      if (ended) break;
      kills += 1;
      // A probe that is killed is none any more.
      if (isProbe && attempt === 0) job = simulateJob(workload, runsOf(plan), events!, chances.random, chances.rarely);
      else killedAtMb = larger(killedAtMb, given);
      given = Math.min(given * 1.5, MOST_PER_CORE_MB * cores);
    }
    if (!ended || given > memoryMb) killedJobs += 1;
    coreSec += took * cores;
    totalSec += took;
    longestSec = Math.max(longestSec, took);
    if (ended) cpuSec += job.cpuSec;
    return ended ? [job.measured] : [];
  });
  return {
    jobs: nodes.length,
    biggest: Math.max(...nodes.map(({ events }) => events!)),
    metrics: summariseJobs(jobs, killedAtMb, killedJobs),
    ...{ kills, coreSec, cpuSec, totalSec, longestSec },
  };
}

function roundSeen(workload: Workload, plan: DagPlan, units: readonly ReturnType<typeof runUnit>[]): RoundSeen {
  const { requested } = plan;
  const { cores, memoryMb } = requested;
  const sum = (of: (unit: (typeof units)[number]) => number) => units.reduce((all, unit) => all + of(unit), 0);
  const sites = SITES_MB_PER_CORE.filter((perCoreMb) => perCoreMb * cores >= memoryMb).length;
  const slots = (Math.max(sites, 1) * SITE_CORES) / cores;
  const coreSec = sum((unit) => unit.coreSec);
  const metrics = joinMetrics(units.map((unit) => unit.metrics));
  return {
    requested,
    truePeakMb: truePeakMb(workload, runsOf(plan), Math.max(...units.map(({ biggest }) => biggest))),
    jobs: sum((unit) => unit.jobs),
    kills: sum((unit) => unit.kills),
    jobsSampled: metrics?.jobs ?? 0,
    killedJobs: metrics?.killedJobs ?? 0,
    killedAtMb: metrics?.killedAtMb ?? null,
    coreSec,
    wastedCoreSec: coreSec - sum((unit) => unit.cpuSec),
    // No order of the jobs takes longer.
    wallSec: sum((unit) => unit.totalSec) / slots + Math.max(...units.map(({ longestSec }) => longestSec)),
    sites,
  };
}

function summary(requests: readonly RequestSeen[]) {
  const isNear = ({ requested, truePeakMb: peak }: RoundSeen) => Math.abs(requested.memoryMb - peak) <= 0.2 * peak;
  const near = (from: number) =>
    share(requests, ({ rounds, heldFor }) => heldFor === null && fromRound(rounds, from).every(isNear));
  const killed = (from: number) =>
    share(requests, ({ rounds }) => fromRound(rounds, from).some(({ kills }) => kills > 0));
  const all = requests.flatMap(({ rounds }) => rounds);
  const hours = (of: (round: RoundSeen) => number) => Math.round(all.reduce((sum, round) => sum + of(round), 0) / 3600);
  const jobs = all.reduce((sum, round) => sum + round.jobs, 0);
  return {
    withinTwentyPercentByRound1: near(1),
    withinTwentyPercentByRound2: near(2),
    oomFromRound1: killed(1),
    oomFromRound2: killed(2),
    killsPerJob: rounded(all.reduce((sum, round) => sum + round.kills, 0) / jobs),
    coreHours: hours(({ coreSec }) => coreSec),
    wastedCoreHours: hours(({ wastedCoreSec }) => wastedCoreSec),
    wallHours: hours(({ wallSec }) => wallSec),
    sitesReachable: rounded(all.reduce((sum, round) => sum + round.sites * round.jobs, 0) / jobs),
    held: requests.filter(({ heldFor }) => heldFor !== null).length,
    jobs,
  };
}

/** Of a request that ended before it, its last one. */
const fromRound = (rounds: readonly RoundSeen[], from: number): readonly RoundSeen[] =>
  rounds.length > from ? rounds.slice(from) : rounds.slice(-1);

/** How often a series that rose falls, or the other way round. */
function turns(values: readonly number[]): number {
  const moves = values.slice(1).map((value, at) => Math.sign(value - values[at]!));
  const real = moves.filter((move) => move !== 0);
  return real.filter((move, at) => at > 0 && move !== real[at - 1]).length;
}

const rounded = (value: number): number => Number(value.toPrecision(3));
const share = <T>(all: readonly T[], holds: (one: T) => boolean): number =>
  rounded(all.filter(holds).length / all.length);
