import { err, ok, type Result } from "../base/result.ts";
import { type Measured, mostMemoryMb, type NodeResources, type PlanRefusal } from "../domain/plan.ts";
import type { ResourceSpec } from "../domain/request.ts";
import { byRole, type NodeRole, ROLES } from "../domain/roles.ts";
import type { FullPolicy } from "./facts.ts";

export interface SizedResources {
  readonly byRole: Readonly<Record<NodeRole, NodeResources>>;
  readonly probe: NodeResources;
  readonly warnings: readonly string[];
}

/** Our own programs: short, one core. */
const MIN_MERGE_MINUTES = 60;
/** Measured memory is a peak of the past: jobs get somewhat more. */
const MEMORY_MARGIN = 1.2;

/**
 * By the biggest job of the round: all jobs of a role ask for the same, so that one submit file serves them. Whatever
 * differs from what the request asked for is told.
 */
export function sizeResources(
  asked: ResourceSpec,
  policy: FullPolicy,
  measured: Measured | null,
  biggestEvents: number,
): Result<SizedResources, PlanRefusal> {
  const { cores } = asked;
  const { maxWallMinutes, maxDiskMb } = policy;
  const warnings: string[] = [];
  const memory = sizeMemory(asked, policy, measured?.memoryMb ?? null, warnings);
  if (!memory.ok) return memory;
  const memoryMb = memory.value;
  // What was asked for, or more when the biggest job is expected to write more or to take longer.
  const megabytes = Math.ceil((biggestEvents * (measured?.kbPerEvent ?? asked.kbPerEvent ?? 0)) / 1000);
  const minutes = Math.ceil((biggestEvents * (measured?.secondsPerEvent ?? asked.secondsPerEvent ?? 0)) / 60);
  const diskMb = Math.max(asked.diskMb, megabytes);
  if (diskMb > maxDiskMb) {
    const message = `the biggest job would need ${diskMb} MB of disk; at most ${maxDiskMb} MB may be asked for (planning.max_disk_mb): put fewer events into a job`;
    return err({ code: "contradiction", message, evidence: { diskMb, maxDiskMb, events: biggestEvents } });
  }
  const wallMinutes = Math.min(Math.max(asked.wallMinutes, minutes), maxWallMinutes);
  if (diskMb > asked.diskMb)
    warnings.push(`jobs ask for ${diskMb} MB of disk, not ${asked.diskMb}: the biggest is expected to write as much`);
  if (minutes > maxWallMinutes)
    warnings.push(`the biggest job is expected to take ${minutes} minutes; ${maxWallMinutes} are allowed`);
  else if (wallMinutes !== asked.wallMinutes)
    warnings.push(
      `jobs ask for ${wallMinutes} minutes, not ${asked.wallMinutes}: ${wallMinutes === minutes ? "the biggest is expected to take as long" : `planning.max_wall_minutes is ${maxWallMinutes}`}`,
    );
  const processing: NodeResources = { cores, memoryMb, diskMb, wallMinutes, gpus: asked.gpus };
  const helper: NodeResources = {
    cores: 1,
    memoryMb: Math.ceil(memoryMb / cores),
    diskMb,
    wallMinutes: Math.min(Math.max(asked.wallMinutes, MIN_MERGE_MINUTES), maxWallMinutes),
    gpus: 0,
  };
  return ok({
    byRole: byRole((role) => (ROLES[role].size === "work" ? processing : helper)),
    probe: { ...processing, memoryMb: Math.max(memoryMb, mostMemoryMb(policy, cores)) },
    warnings,
  });
}

/** The window of memory per core: below the least, the least; within, what was asked; above, refused. */
function sizeMemory(
  { cores, memoryMb }: ResourceSpec,
  policy: FullPolicy,
  measuredMb: number | null,
  warnings: string[],
): Result<number, PlanRefusal> {
  const { leastMemoryPerCoreMb, maxMemoryPerCoreMb } = policy;
  const least = leastMemoryPerCoreMb * cores;
  const most = Math.max(mostMemoryMb(policy, cores), least);
  const wanted = measuredMb ? Math.ceil(measuredMb * MEMORY_MARGIN) : memoryMb;
  if (wanted > most && !measuredMb) {
    const message = `${memoryMb} MB on ${cores} cores is more than ${most} MB (${maxMemoryPerCoreMb} MB per core)`;
    return err({ code: "contradiction", message, evidence: { memoryMb, cores, maxMemoryPerCoreMb } });
  }
  const given = Math.min(Math.max(wanted, least), most);
  if (wanted > most) warnings.push(`jobs used ${measuredMb} MB; only ${most} MB may be asked for`);
  else if (given !== memoryMb) {
    const why =
      given === wanted ? `they used ${measuredMb} MB` : `planning.least_memory_per_core_mb is ${leastMemoryPerCoreMb}`;
    warnings.push(`jobs ask for ${given} MB of memory, not ${memoryMb}: ${why}`);
  }
  return ok(given);
}
