import type { PlanRefusal } from "../domain/plan.ts";
import type { InputFile } from "../domain/workflow.ts";
import { countLumis } from "../kinds/process/mask.ts";
import type { FullPolicy, PlanFacts } from "./facts.ts";

/** Most units and most jobs of a round; null: as many as there are. */
export interface RoundLimits {
  readonly units: number | null;
  readonly nodes: number | null;
}

/**
 * How big a round may be. A round that would have too many jobs takes a part of the work and leaves the rest to later
 * ones; whether it would is reckoned, not walked.
 */
export function roundLimits(facts: PlanFacts, policy: FullPolicy): RoundLimits {
  const isFirstLook = facts.spec.adaptive && facts.round === 0;
  return {
    units: isFirstLook ? Math.max(1, policy.roundZeroUnits) : policy.maxUnitsPerRound,
    nodes: mostJobs(facts) > BigInt(policy.maxNodesPerRound) ? policy.maxNodesPerRound : null,
  };
}

/** Only event ranges can make more jobs than anybody listed. */
export function refuseSize(facts: PlanFacts, { maxNodesPerRound, maxNodesPerRequest }: FullPolicy): PlanRefusal | null {
  const { spec, files, next } = facts;
  if (spec.kind === "process" && spec.split.algorithm !== "EventBased") return null;
  const { eventsPerJob } = spec.split;
  const jobs = BigInt(next.node) + mostJobs(facts);
  if (jobs > BigInt(maxNodesPerRequest)) {
    const message = `the request would have ${jobs} jobs of ${eventsPerJob} events; at most ${maxNodesPerRequest} are allowed (planning.max_nodes_per_request): put more events into a job`;
    return { code: "too-many-nodes", message, evidence: { jobs: String(jobs), eventsPerJob, maxNodesPerRequest } };
  }
  // A round takes files whole.
  const file = spec.kind === "process" ? files.find((one) => jobsOf(one, facts) > maxNodesPerRound) : undefined;
  if (!file) return null;
  const message = `${file.lfn} alone would be ${jobsOf(file, facts)} jobs of ${eventsPerJob} events; a round has at most ${maxNodesPerRound} (planning.max_nodes_per_round): put more events into a job`;
  return { code: "too-many-nodes", message, evidence: { lfn: file.lfn, eventsPerJob, maxNodesPerRound } };
}

/** Exact where work is split by events, else no fewer than there will be. */
function mostJobs(facts: PlanFacts): bigint {
  const { spec, next, files } = facts;
  if (spec.kind === "process") return BigInt(files.reduce((sum, file) => sum + jobsOf(file, facts), 0));
  const left = lastEvent(facts) - next.firstEvent + 1n;
  return left > 0n ? (left + BigInt(spec.split.eventsPerJob) - 1n) / BigInt(spec.split.eventsPerJob) : 0n;
}

function jobsOf(file: InputFile, { spec: { split } }: PlanFacts): number {
  if (split.algorithm === "FileBased") return 1;
  if (split.algorithm === "EventBased") return Math.max(1, Math.ceil((file.events ?? 0) / split.eventsPerJob));
  return countLumis(file.lumis);
}

/** Of a generation, with what is to be made again. */
export function lastEvent({ spec: { generation }, abandonedEvents = 0n }: PlanFacts): bigint {
  if (generation === null) return 0n;
  return generation.firstEvent + generation.totalEvents + (generation.topUp ? abandonedEvents : 0n) - 1n;
}
