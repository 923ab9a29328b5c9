import type { ResourceSpec } from "../domain/request.ts";
import type { IntakeRules } from "../domain/submission.ts";
import type { Form } from "./form.ts";
import type { Notes } from "./notes.ts";
import type { Reading } from "./reading.ts";

const ANY = { min: 1, max: 1e15 };
const MB = 1e6;
export const RESOURCE_DEFAULTS = { wallMinutes: 480, diskMb: 1000 };

export function readResources(top: Form, reading: Reading): ResourceSpec {
  const { rules, notes } = reading;
  const form = top.section("resources");
  const cores = form.integer("cores", { min: 1, max: 1024 }, 1);
  const gpus = form.integer("gpus", { min: 0, max: 64 }, 0);
  const memory = form.spot("memory") ?? top.spot("memory_mb");
  if (form.spot("memory") !== null && top.spot("memory_mb") !== null)
    notes.problem("memory_mb", "says the same as resources.memory; keep one of them");
  const memoryBytes = form.size("memory", ANY, null);
  const memoryMb =
    memoryBytes === null
      ? top.integer("memory_mb", { min: 1, max: 1e9 }, rules.defaultMemoryPerCoreMb * cores)
      : Math.ceil(memoryBytes / MB);
  const wallSeconds = form.duration("time", ANY, RESOURCE_DEFAULTS.wallMinutes * 60)!;
  const diskBytes = form.size("disk", ANY, RESOURCE_DEFAULTS.diskMb * MB)!;
  const secondsPerEvent = hint(form, "time_per_event", top, "time_per_event_sec", () =>
    form.duration("time_per_event", { min: 0, max: 1e9 }, null),
  );
  const bytesPerEvent = form.size("size_per_event", { min: 0, max: 1e15 }, null);
  const kbPerEvent = hint(form, "size_per_event", top, "size_per_event_kb", () =>
    bytesPerEvent === null ? null : bytesPerEvent / 1000,
  );
  form.close({ time_limit: "write time", walltime: "write time", cpus: "write cores", threads: "write cores" });
  const resources = {
    cores,
    memoryMb,
    wallMinutes: Math.max(1, Math.ceil(wallSeconds / 60)),
    diskMb: Math.max(1, Math.ceil(diskBytes / MB)),
    gpus,
    secondsPerEvent,
    kbPerEvent,
  };
  checkMemory(resources, memory?.path ?? "resources.memory", rules, notes);
  checkWallTime(resources.wallMinutes, "resources.time", rules, notes);
  return resources;
}

/** 003's top-level names carry their unit, so theirs are plain numbers. */
function hint(form: Form, key: string, top: Form, oldKey: string, read: () => number | null): number | null {
  const old = top.spot(oldKey);
  if (form.spot(key) === null) return top.number(oldKey, { min: 0, above: 0, max: 1e12 }, null);
  if (old !== null) top.notes.problem(old.path, `says the same as ${form.pathOf(key)}; keep one of them`);
  const value = read();
  if (value !== 0) return value;
  top.notes.problem(form.pathOf(key), "must be above 0 (got 0)");
  return null;
}

/** The window of 003 §5.2: beyond it too few sites could run the request at all. */
export function checkMemory(
  { memoryMb, cores }: { memoryMb: number; cores: number },
  path: string,
  rules: IntakeRules,
  notes: Notes,
): void {
  const perCore = memoryMb / cores;
  const sum = `${memoryMb} MB on ${cores} core${cores === 1 ? "" : "s"} is ${Math.ceil(perCore)} MB per core`;
  if (perCore > rules.maxMemoryPerCoreMb) {
    notes.problem(
      path,
      `asks for too much: ${sum}, and ${rules.maxMemoryPerCoreMb} MB per core is the most`,
      `up to ${rules.maxMemoryPerCoreMb * cores} MB, or more cores`,
    );
  } else if (perCore > rules.defaultMemoryPerCoreMb) {
    notes.warn(path, `${sum}, above the usual ${rules.defaultMemoryPerCoreMb} MB: fewer sites can run it`);
  }
}

export function checkWallTime(minutes: number, path: string, rules: IntakeRules, notes: Notes): void {
  if (minutes <= rules.maxWallMinutes) return;
  notes.problem(
    path,
    `${minutes} min is longer than a job may run`,
    `at most ${rules.maxWallMinutes} min (${Math.floor(rules.maxWallMinutes / 60)} h)`,
  );
}
