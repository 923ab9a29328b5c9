import { err, ok, type Result } from "../core/base/result.ts";
import type { RequestedSizes, Sized } from "../core/metrics.ts";
import { mostMemoryMb, type NodeResources, type PlanRefusal } from "../core/plan.ts";
import type { ResourceSpec } from "../core/request.ts";
import { byRole, type NodeRole, ROLES } from "../core/roles.ts";
import type { PlanPolicy } from "./facts.ts";
import type { RoundSizing } from "./size-round.ts";
import { sizeWall } from "./sizing/size.ts";

export interface SizedResources {
  readonly byRole: Readonly<Record<NodeRole, NodeResources>>;
  /** null: jobs ask for so much that nothing is left for a probe to be given more. */
  readonly probe: NodeResources | null;
  /** Why a number is what it is, where somebody decided it. */
  readonly why: RequestedSizes["why"];
  readonly warnings: readonly string[];
}

/** Our own programs: short, one core. */
const MIN_MERGE_MINUTES = 60;

/**
 * By the biggest job of the round: all jobs of a role ask for the same, so that one submit file serves them. Whatever
 * differs from what the request asked for is a warning, with its reason.
 */
export function sizeResources(
  asked: ResourceSpec,
  policy: PlanPolicy,
  sizing: RoundSizing | null,
  biggestEvents: number,
): Result<SizedResources, PlanRefusal> {
  const memory = sizing ? ok(sizing.sizes.memoryMb) : askedMemory(asked, policy);
  if (!memory.ok) return memory;
  const cores = sizing?.sizes.cores ?? { value: asked.cores, why: "" };
  const disk = sizeDisk(asked, sizing, biggestEvents);
  const { maxWallMinutes, maxDiskMb } = policy;
  if (disk.value > maxDiskMb) {
    const message = `the biggest job would need ${disk.value} MB of disk; at most ${maxDiskMb} MB may be asked for (planning.max_disk_mb): put fewer events into a job`;
    return err({ code: "contradiction", message, evidence: { diskMb: disk.value, maxDiskMb, events: biggestEvents } });
  }
  const minutes = Math.ceil((biggestEvents * (sizing?.secondsPerEvent ?? asked.secondsPerEvent ?? 0)) / 60);
  const wall = sizing?.metrics
    ? sizeWall(asked.wallMinutes, policy, sizing.metrics, biggestEvents)
    : expectedWall(asked, minutes, maxWallMinutes);
  const warnings = [
    ...tell(cores, asked.cores, "cores"),
    ...tell(memory.value, asked.memoryMb, "MB of memory"),
    ...tell(disk, asked.diskMb, "MB of disk"),
    ...(minutes > maxWallMinutes
      ? [`the biggest job is expected to take ${minutes} minutes; ${maxWallMinutes} are allowed`]
      : tell(wall, asked.wallMinutes, "minutes")),
  ];
  const processing: NodeResources = {
    cores: cores.value,
    memoryMb: memory.value.value,
    diskMb: disk.value,
    wallMinutes: wall.value,
    gpus: asked.gpus,
    ...(asked.gpuKind && { gpuKind: asked.gpuKind }),
  };
  const helper: NodeResources = {
    cores: 1,
    memoryMb: Math.ceil(processing.memoryMb / cores.value),
    diskMb: disk.value,
    wallMinutes: Math.min(Math.max(asked.wallMinutes, MIN_MERGE_MINUTES), maxWallMinutes),
    gpus: 0,
  };
  const why = { cores, memory: memory.value, wall, disk };
  return ok({
    byRole: byRole((role) => (ROLES[role].size === "work" ? processing : helper)),
    probe: probeOf(processing, policy),
    why: Object.fromEntries(Object.entries(why).flatMap(([name, { why }]) => (why === "" ? [] : [[name, why]]))),
    warnings,
  });
}

/**
 * Nearly the most there is: whoever is given more was killed with that, and is no probe any more (payload/worker/manifest.sh).
 * So two instances that do not fit cost one attempt, and never a unit.
 */
function probeOf(processing: NodeResources, policy: PlanPolicy): NodeResources | null {
  const memoryMb = Math.floor(mostMemoryMb(policy, processing.cores) * PROBE_SHARE);
  return memoryMb >= processing.memoryMb ? { ...processing, memoryMb } : null;
}
const PROBE_SHARE = 0.9;

const tell = ({ value, why }: Sized, asked: number, what: string): readonly string[] =>
  value === asked ? [] : [`jobs ask for ${value} ${what}, not ${asked}: ${why}`];

/** The window of memory per core: below the least, the least; within, what was asked; above, refused. */
function askedMemory({ cores, memoryMb }: ResourceSpec, policy: PlanPolicy): Result<Sized, PlanRefusal> {
  const { leastMemoryPerCoreMb, maxMemoryPerCoreMb } = policy;
  const least = leastMemoryPerCoreMb * cores;
  const most = Math.max(mostMemoryMb(policy, cores), least);
  if (memoryMb > most) {
    const message = `${memoryMb} MB on ${cores} cores is more than ${most} MB (${maxMemoryPerCoreMb} MB per core)`;
    return err({ code: "contradiction", message, evidence: { memoryMb, cores, maxMemoryPerCoreMb } });
  }
  const why = `planning.least_memory_per_core_mb is ${leastMemoryPerCoreMb}`;
  return ok(memoryMb < least ? { value: least, why } : { value: memoryMb, why: "" });
}

/** What was asked for or measured, or more when the biggest job is expected to write more. */
function sizeDisk({ diskMb, kbPerEvent }: ResourceSpec, sizing: RoundSizing | null, events: number): Sized {
  const known = sizing?.sizes.diskMb ?? { value: diskMb, why: "" };
  const expected = Math.ceil((events * (sizing?.kbPerEvent ?? kbPerEvent ?? 0)) / 1000);
  return expected > known.value ? { value: expected, why: "the biggest is expected to write as much" } : known;
}

function expectedWall({ wallMinutes }: ResourceSpec, minutes: number, maxWallMinutes: number): Sized {
  const value = Math.min(Math.max(wallMinutes, minutes), maxWallMinutes);
  if (value === wallMinutes) return { value, why: "" };
  const isLonger = value === minutes;
  const limit = `planning.max_wall_minutes is ${maxWallMinutes}`;
  return { value, why: isLonger ? "the biggest is expected to take as long" : limit };
}
