import { err, ok, type Result } from "../core/base/result.ts";
import type { Figures, Metrics, Sizes } from "../core/metrics.ts";
import type { PlanRefusal } from "../core/plan.ts";
import type { RequestSpec } from "../core/request.ts";
import type { CommonWork } from "../core/work.ts";
import type { PlanFacts, PlanPolicy } from "./facts.ts";
import { figuresOf } from "./sizing/figures.ts";
import { median } from "./sizing/sample.ts";
import {
  type Asked,
  isMeasured,
  memoryBeyondLimit,
  type SizingFacts,
  type SizingLimits,
  sizeJobs,
} from "./sizing/size.ts";
import { wereSeen } from "./sizing/step-memory.ts";

/** What measurements of earlier rounds make of this one. */
export interface RoundSizing {
  readonly sizes: Sizes;
  /** null: only that jobs were killed is known. */
  readonly metrics: Metrics | null;
  /** Memory is by jobs with as many cores: from here on it only grows. */
  readonly isFirm: boolean;
  readonly secondsPerEvent: number | null;
  /** What jobs write per event read or generated, and what is left of it when merged. */
  readonly kbPerEvent: number | null;
  readonly mergedKbPerEvent: number | null;
  /** Goes to the payload as step_profile.json. */
  readonly profile: Figures;
}

/** What a job is made to last. */
const TARGET_WALL_MINUTES = 8 * 60;

export const sizingLimits = (policy: PlanPolicy): SizingLimits => ({
  leastMemoryPerCoreMb: policy.leastMemoryPerCoreMb,
  maxMemoryPerCoreMb: policy.maxMemoryPerCoreMb,
  maxMemoryMb: policy.maxMemoryMb ?? null,
  maxWallMinutes: policy.maxWallMinutes,
  maxDiskMb: policy.maxDiskMb,
  targetWallMinutes: Math.min(TARGET_WALL_MINUTES, policy.maxWallMinutes),
  minJobs: policy.minSampledJobs,
  overcommitMax: policy.overcommitMax,
});

/** What the request says of its jobs. */
export function askedOf({ resources, work }: RequestSpec): Asked {
  const { cores, memoryMb, wallMinutes, diskMb } = resources;
  const { split, eventsPerLumi = 1 }: CommonWork = work;
  const isByEvents = split?.algorithm === "EventBased" || split?.algorithm === "EventAwareLumiBased";
  return { cores, memoryMb, wallMinutes, diskMb, eventsPerJob: isByEvents ? split.eventsPerJob : null, eventsPerLumi };
}

/** The facts of a round as measurements change them: its jobs are cut, and later sized, by what earlier ones used. */
export function sizeRound(facts: PlanFacts, known: SizingFacts): Result<PlanFacts, PlanRefusal> {
  const limits = sizingLimits(facts.policy);
  const { metrics, before, killedAtMb } = known;
  if (!isMeasured(known, limits) && killedAtMb === null && !before?.isMeasured) {
    const warning = "no report of a job could be read: jobs ask for what the request says";
    return ok({ ...facts, warnings: [...(facts.warnings ?? []), warning] });
  }
  const beyond = memoryBeyondLimit(known, limits);
  if (beyond) {
    const { neededMb, mostMb, why } = beyond;
    const { cores } = known.asked;
    const message = `jobs need ${neededMb} MB on ${cores} cores, ${why}; at most ${mostMb} MB may be asked for (planning.max_memory_per_core_mb)`;
    return err({ code: "memory-beyond-limit", message, evidence: { neededMb, mostMb, cores, measured: why } });
  }
  const sizes = sizeJobs(known, limits);
  const sizing: RoundSizing = {
    sizes,
    metrics,
    isFirm: isMeasured(known, limits)
      ? wereSeen(metrics?.steps ?? {}, sizes.cores.value, sizes.runs)
      : (before?.isMeasured ?? false),
    secondsPerEvent: metrics?.wallSecPerEvent ? median(metrics.wallSecPerEvent) : null,
    kbPerEvent: metrics?.kbPerEvent ? median(metrics.kbPerEvent) : null,
    mergedKbPerEvent: metrics?.mergedKbPerEvent ? median(metrics.mergedKbPerEvent) : null,
    profile: figuresOf(facts.round - 1, metrics),
  };
  return ok({ ...facts, sizing, spec: cutByEvents(facts.spec, sizes) });
}

/** With so many events in a job, in whole lumis where it has one or more. */
function cutByEvents(spec: RequestSpec, { eventsPerJob }: Sizes): RequestSpec {
  const { work } = spec;
  if (!eventsPerJob || !work.split) return spec;
  const { eventsPerLumi = 1 }: CommonWork = work;
  const lumis = Math.floor(eventsPerJob.value / eventsPerLumi);
  const split = { ...work.split, eventsPerJob: lumis > 0 ? lumis * eventsPerLumi : eventsPerJob.value };
  return { ...spec, work: { ...work, split } };
}
