import { err, ok, type Result } from "../base/result.ts";
import type { NodeRole } from "../domain/dag.ts";
import type { Measured, NodeResources, PlanRefusal } from "../domain/plan.ts";
import type { ResourceSpec } from "../domain/request.ts";
import type { FullPolicy } from "./facts.ts";

export interface SizedResources {
  readonly byRole: Readonly<Record<NodeRole, NodeResources>>;
  readonly probe: NodeResources;
  readonly warnings: readonly string[];
}

/** Housekeeping roles: short, one core. */
const MIN_MERGE_MINUTES = 60;
/** Measured memory is a peak of the past: jobs get somewhat more. */
const MEMORY_MARGIN = 1.2;

/** By the biggest job of the round: all jobs of a role ask for the same, so that one submit file serves them. */
export function sizeResources(
  asked: ResourceSpec,
  policy: FullPolicy,
  measured: Measured | null,
  biggestEvents: number,
): Result<SizedResources, PlanRefusal> {
  const { cores } = asked;
  const { maxWallMinutes, maxMemoryPerCoreMb } = policy;
  const warnings: string[] = [];
  const memory = sizeMemory(asked, policy, measured?.memoryMb ?? null, warnings);
  if (!memory.ok) return memory;
  const memoryMb = memory.value;
  // What was asked for, or more when the biggest job is expected to write more or to take longer.
  const megabytes = Math.ceil((biggestEvents * (measured?.kbPerEvent ?? asked.kbPerEvent ?? 0)) / 1024);
  const minutes = Math.ceil((biggestEvents * (measured?.secondsPerEvent ?? asked.secondsPerEvent ?? 0)) / 60);
  if (minutes > maxWallMinutes) {
    warnings.push(`the biggest job is expected to take ${minutes} minutes; ${maxWallMinutes} are allowed`);
  }
  const diskMb = Math.max(asked.diskMb, megabytes);
  const wallMinutes = Math.min(Math.max(asked.wallMinutes, minutes), maxWallMinutes);
  const processing: NodeResources = { cores, memoryMb, diskMb, wallMinutes, gpus: asked.gpus };
  const housekeeping: NodeResources = {
    cores: 1,
    memoryMb: Math.ceil(memoryMb / cores),
    diskMb,
    wallMinutes: Math.min(Math.max(asked.wallMinutes, MIN_MERGE_MINUTES), maxWallMinutes),
    gpus: 0,
  };
  return ok({
    byRole: { landing: processing, processing, merge: housekeeping, cleanup: housekeeping },
    probe: { ...processing, memoryMb: Math.max(memoryMb, maxMemoryPerCoreMb * cores) },
    warnings,
  });
}

/** The window of memory per core: below the default, the default; within, what was asked; above, refused. */
function sizeMemory(
  { cores, memoryMb }: ResourceSpec,
  { defaultMemoryPerCoreMb, maxMemoryPerCoreMb }: FullPolicy,
  measuredMb: number | null,
  warnings: string[],
): Result<number, PlanRefusal> {
  const least = defaultMemoryPerCoreMb * cores;
  const most = Math.max(maxMemoryPerCoreMb * cores, least);
  if (measuredMb) {
    const wanted = Math.ceil(measuredMb * MEMORY_MARGIN);
    if (wanted > most) warnings.push(`jobs used ${measuredMb} MB; only ${most} MB may be asked for`);
    return ok(Math.min(Math.max(wanted, least), most));
  }
  if (memoryMb <= most) return ok(Math.max(memoryMb, least));
  const message = `${memoryMb} MB on ${cores} cores is more than ${maxMemoryPerCoreMb} MB per core`;
  return err({ code: "contradiction", message, evidence: { memoryMb, cores, maxMemoryPerCoreMb } });
}
