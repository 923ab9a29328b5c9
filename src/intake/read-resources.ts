import { mostMemoryMb } from "../domain/plan.ts";
import type { ResourceSpec } from "../domain/request.ts";
import type { IntakeRules } from "../domain/submission.ts";
import type { Form } from "../reading/form.ts";
import type { Notes } from "../reading/notes.ts";

const ANY = { min: 1, max: 1e15 };
export const POSITIVE = { min: 0, above: 0, max: 1e12 };
const MB = 1e6;
export const RESOURCE_DEFAULTS = { wallMinutes: 480, diskMb: 1000 };

export function readResources(top: Form, rules: IntakeRules): ResourceSpec {
  const { notes } = top;
  const form = top.section("resources");
  const cores = form.integer("cores", { min: 1, max: 1024 }, 1);
  const gpus = form.integer("gpus", { min: 0, max: 64 }, 0);
  const memory = form.either("memory", top, "memory_mb");
  const memoryBytes = form.size("memory", ANY, null);
  const memoryMb =
    memoryBytes === null
      ? top.integer("memory_mb", { min: 1, max: 1e9 }, rules.defaultMemoryPerCoreMb * cores)
      : Math.ceil(memoryBytes / MB);
  const wallSeconds = form.duration("time", ANY, RESOURCE_DEFAULTS.wallMinutes * 60);
  const diskBytes = form.size("disk", { min: 1, max: 1e18 }, RESOURCE_DEFAULTS.diskMb * MB);
  // The older top-level names carry their unit, so theirs are plain numbers.
  const time = form.either("time_per_event", top, "time_per_event_sec");
  const size = form.either("size_per_event", top, "size_per_event_kb");
  const secondsPerEvent = form.duration("time_per_event", { min: 0, max: 1e9 }, null);
  const bytesPerEvent = form.size("size_per_event", { min: 0, max: 1e15 }, null);
  if (secondsPerEvent === 0) time?.problem("must be above 0 (got 0)");
  if (bytesPerEvent === 0) size?.problem("must be above 0 (got 0)");
  form.close({ time_limit: "write time", walltime: "write time", cpus: "write cores", threads: "write cores" });
  const resources = {
    cores,
    memoryMb,
    wallMinutes: Math.max(1, Math.ceil(wallSeconds / 60)),
    diskMb: Math.max(1, Math.ceil(diskBytes / MB)),
    gpus,
    secondsPerEvent: secondsPerEvent ?? top.number("time_per_event_sec", POSITIVE, null),
    kbPerEvent: bytesPerEvent === null ? top.number("size_per_event_kb", POSITIVE, null) : bytesPerEvent / 1000,
  };
  checkMemory(resources, memory?.path ?? "resources.memory", notes, rules);
  if (resources.wallMinutes > rules.maxWallMinutes)
    notes.problem(
      "resources.time",
      `${resources.wallMinutes} min is longer than a job may run`,
      `at most ${rules.maxWallMinutes} min (${Math.floor(rules.maxWallMinutes / 60)} h)`,
    );
  if (resources.diskMb > rules.maxDiskMb)
    notes.problem(
      "resources.disk",
      `${resources.diskMb} MB is more than a job may ask for`,
      `at most ${rules.maxDiskMb} MB (planning.max_disk_mb)`,
    );
  return resources;
}

/** Beyond the window of memory per core too few sites could run the request at all. */
export function checkMemory(
  { memoryMb, cores }: { memoryMb: number; cores: number },
  path: string,
  notes: Notes,
  rules: IntakeRules,
): void {
  const { maxMemoryPerCoreMb, defaultMemoryPerCoreMb } = rules;
  const perCore = memoryMb / cores;
  const most = mostMemoryMb(rules, cores);
  const sum = `${memoryMb} MB on ${cores} core${cores === 1 ? "" : "s"} is ${Math.ceil(perCore)} MB per core`;
  if (memoryMb > most) {
    const isPerCore = most === maxMemoryPerCoreMb * cores;
    const limit = isPerCore ? `${maxMemoryPerCoreMb} MB per core is the most` : `no place has more than ${most} MB`;
    notes.problem(
      path,
      `asks for too much: ${sum}, and ${limit}`,
      `up to ${most} MB${isPerCore ? ", or more cores" : ""}`,
    );
  } else if (perCore > defaultMemoryPerCoreMb) {
    notes.warn(path, `${sum}, above the usual ${defaultMemoryPerCoreMb} MB: fewer sites can run it, and fewer at once`);
  }
}
