import { err, ok, type Result } from "../base/result.ts";
import type { NodeRole } from "../domain/dag.ts";
import type { Measured, NodeResources, PlanRefusal } from "../domain/plan.ts";
import type { ResourceSpec } from "../domain/request.ts";
import type { FullPolicy } from "./facts.ts";

/** The biggest job of the round: all jobs of a role ask for the same, so that one submit file serves them. */
export interface BiggestJob {
  readonly events: number;
}

export interface SizedResources {
  readonly byRole: Readonly<Record<NodeRole, NodeResources>>;
  readonly probe: NodeResources;
  readonly warnings: readonly string[];
}

/** Housekeeping roles: short, one core. */
const MIN_MERGE_MINUTES = 60;

export function sizeResources(
  asked: ResourceSpec,
  policy: FullPolicy,
  measured: Measured | null,
  biggest: BiggestJob,
): Result<SizedResources, PlanRefusal> {
  const warnings: string[] = [];
  const memory = sizeMemory(asked, policy, measured, warnings);
  if (!memory.ok) return memory;
  const processing: NodeResources = {
    cores: asked.cores,
    memoryMb: memory.value,
    diskMb: sizeDisk(asked, measured, biggest),
    wallMinutes: sizeWall(asked, policy, measured, biggest, warnings),
    gpus: asked.gpus,
  };
  const housekeeping: NodeResources = {
    cores: 1,
    memoryMb: Math.ceil(processing.memoryMb / processing.cores),
    diskMb: processing.diskMb,
    wallMinutes: Math.min(Math.max(asked.wallMinutes, MIN_MERGE_MINUTES), policy.maxWallMinutes),
    gpus: 0,
  };
  return ok({
    byRole: { landing: processing, processing, merge: housekeeping, cleanup: housekeeping },
    probe: { ...processing, memoryMb: Math.max(processing.memoryMb, policy.maxMemoryPerCoreMb * asked.cores) },
    warnings,
  });
}

/** The window of memory per core: below the default, the default; within, what was asked; above, refused. */
function sizeMemory(
  asked: ResourceSpec,
  policy: FullPolicy,
  measured: Measured | null,
  warnings: string[],
): Result<number, PlanRefusal> {
  const { cores } = asked;
  const least = policy.defaultMemoryPerCoreMb * cores;
  const most = Math.max(policy.maxMemoryPerCoreMb * cores, least);
  if (measured?.memoryMb) {
    const wanted = Math.ceil(measured.memoryMb * policy.memoryMargin);
    if (wanted > most) warnings.push(`jobs used ${measured.memoryMb} MB; only ${most} MB may be asked for`);
    return ok(Math.min(Math.max(wanted, least), most));
  }
  if (asked.memoryMb > most) {
    return err({
      code: "contradiction",
      message: `${asked.memoryMb} MB on ${cores} cores is more than ${policy.maxMemoryPerCoreMb} MB per core`,
      evidence: { memoryMb: asked.memoryMb, cores, maxMemoryPerCoreMb: policy.maxMemoryPerCoreMb },
    });
  }
  return ok(Math.max(asked.memoryMb, least));
}

/** What was asked for, or more when the biggest job is expected to write more. */
function sizeDisk(asked: ResourceSpec, measured: Measured | null, biggest: BiggestJob): number {
  const kbPerEvent = measured?.kbPerEvent ?? asked.kbPerEvent ?? 0;
  return Math.max(asked.diskMb, Math.ceil((biggest.events * kbPerEvent) / 1024));
}

/** What was asked for, or more when the biggest job is expected to take longer; never more than a job may. */
function sizeWall(
  asked: ResourceSpec,
  policy: FullPolicy,
  measured: Measured | null,
  biggest: BiggestJob,
  warnings: string[],
): number {
  const secondsPerEvent = measured?.secondsPerEvent ?? asked.secondsPerEvent ?? 0;
  const expected = Math.ceil((biggest.events * secondsPerEvent) / 60);
  if (expected > policy.maxWallMinutes) {
    warnings.push(`the biggest job is expected to take ${expected} minutes; ${policy.maxWallMinutes} are allowed`);
  }
  return Math.min(Math.max(asked.wallMinutes, expected), policy.maxWallMinutes);
}
