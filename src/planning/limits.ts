import type { PlanRefusal } from "../core/plan.ts";
import type { RequestSpec } from "../core/request.ts";
import type { PlanFacts } from "./facts.ts";
import { MAX_NODES_PER_UNIT } from "./units.ts";

/** Most units and most jobs of a round; null: as many as there are. */
export interface RoundLimits {
  readonly units: number | null;
  readonly nodes: number | null;
  /** It takes more units than that until it has so many jobs. */
  readonly leastNodes?: number;
}
export const NO_LIMITS: RoundLimits = { units: null, nodes: null };
/** One or two jobs say little of all others: the first look is at this many, where the request does not say. */
const FIRST_LOOK_LEAST_JOBS = 10;

/**
 * How big a round may be. A round that would have too many jobs (`mostJobs`, computed without a walk) takes a part of
 * the work and leaves the rest to later ones.
 */
export function roundLimits({ spec, round, policy }: PlanFacts, mostJobs: bigint): RoundLimits {
  const isFirstLook = spec.adaptive && round === 0;
  return {
    units: isFirstLook ? Math.max(1, policy.roundZeroUnits) : (policy.maxUnitsPerRound ?? null),
    nodes: mostJobs > BigInt(policy.maxNodesPerRound) ? policy.maxNodesPerRound : null,
    ...(isFirstLook && spec.unit.jobsPerUnit === null && { leastNodes: FIRST_LOOK_LEAST_JOBS }),
  };
}

/** The size of a unit, and the numbers its kind goes by (`needed`), have to be whole and positive. */
export function refuseNumbers({ unit, work }: RequestSpec, needed: Record<string, number>): PlanRefusal | null {
  const { jobsPerUnit } = unit;
  if (jobsPerUnit !== null && (jobsPerUnit < 1 || jobsPerUnit > MAX_NODES_PER_UNIT)) {
    const message = `a work unit has 1 to ${MAX_NODES_PER_UNIT} jobs, not ${jobsPerUnit}`;
    return { code: "contradiction", message, evidence: { jobsPerUnit } };
  }
  for (const [what, value] of Object.entries(needed)) {
    if (Number.isSafeInteger(value) && value > 0) continue;
    const message = `${what} must be a whole number above 0, not ${value}`;
    return { code: "contradiction", message, evidence: { algorithm: work.split?.algorithm, [what]: value } };
  }
  return null;
}

/** Only event ranges can make more jobs than anybody listed. */
export function refuseJobs(
  { next, policy: { maxNodesPerRequest } }: PlanFacts,
  mostJobs: bigint,
  eventsPerJob: number,
): PlanRefusal | null {
  const jobs = BigInt(next.node) + mostJobs;
  if (jobs <= BigInt(maxNodesPerRequest)) return null;
  const message = `the request would have ${jobs} jobs of ${eventsPerJob} events; at most ${maxNodesPerRequest} are allowed (planning.max_nodes_per_request): put more events into a job`;
  return { code: "too-many-nodes", message, evidence: { jobs: String(jobs), eventsPerJob, maxNodesPerRequest } };
}
