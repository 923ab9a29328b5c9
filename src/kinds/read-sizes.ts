import { mostMemoryMb, type NodeResources } from "../core/plan.ts";
import type { IntakeRules } from "../core/submission.ts";
import type { Form } from "../intake/reading/form.ts";
import type { Notes } from "../intake/reading/notes.ts";

const ANY = { min: 1, max: 1e15 };
const MB = 1e6;

/** What a job asks for, as it is written; null: by its cores. */
export interface WrittenSizes extends Omit<NodeResources, "memoryMb"> {
  readonly memoryMb: number | null;
}
export const USUAL_JOB: WrittenSizes = { cores: 1, memoryMb: null, wallMinutes: 480, diskMb: 1000, gpus: 0 };

/** `resources: {cores, gpus, memory, time, disk}`; what is left out is as usual. The form is still open. */
export function readSizes(form: Form, usual: WrittenSizes = USUAL_JOB): WrittenSizes {
  const cores = form.integer("cores", { min: 1, max: 1024 }, usual.cores);
  const gpus = form.integer("gpus", { min: 0, max: 64 }, usual.gpus);
  const memory = form.size("memory", ANY, null);
  const seconds = form.duration("time", ANY, usual.wallMinutes * 60);
  const disk = form.size("disk", { min: 1, max: 1e18 }, usual.diskMb * MB);
  return {
    cores,
    memoryMb: memory === null ? usual.memoryMb : Math.ceil(memory / MB),
    wallMinutes: Math.max(1, Math.ceil(seconds / 60)),
    diskMb: Math.max(1, Math.ceil(disk / MB)),
    gpus,
  };
}

/** What other systems call the same. */
export const SIZE_HINTS = {
  time_limit: "write time",
  walltime: "write time",
  runtime: "write time",
  cpus: "write cores",
  num_cpus: "write cores",
  threads: "write cores",
  num_gpus: "write gpus",
};

export const sizesFor = (written: WrittenSizes, { defaultMemoryPerCoreMb }: IntakeRules): NodeResources => ({
  ...written,
  memoryMb: written.memoryMb ?? defaultMemoryPerCoreMb * written.cores,
});

/** No job is larger than what there is. */
export function checkSizes(sizes: NodeResources, form: Form, memoryPath: string | null, rules: IntakeRules): void {
  checkMemory(sizes, memoryPath ?? form.pathOf("memory"), form.notes, rules);
  if (rules.maxCores !== null && sizes.cores > rules.maxCores)
    form.problem("cores", `${sizes.cores} cores is more than there is anywhere`, `at most ${rules.maxCores}`);
  if (sizes.wallMinutes > rules.maxWallMinutes)
    form.problem(
      "time",
      `${sizes.wallMinutes} min is longer than a job may run`,
      `at most ${rules.maxWallMinutes} min (${Math.floor(rules.maxWallMinutes / 60)} h)`,
    );
  if (sizes.diskMb > rules.maxDiskMb)
    form.problem(
      "disk",
      `${sizes.diskMb} MB is more than a job may ask for`,
      `at most ${rules.maxDiskMb} MB (planning.max_disk_mb)`,
    );
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
    const tooMuch = isPerCore
      ? `${sum}, and ${maxMemoryPerCoreMb} MB per core is the most`
      : `${memoryMb} MB, and no site has more than ${most} MB`;
    notes.problem(path, `asks for too much: ${tooMuch}`, `up to ${most} MB${isPerCore ? ", or more cores" : ""}`);
  } else if (perCore > defaultMemoryPerCoreMb) {
    notes.warn(path, `${sum}, above the usual ${defaultMemoryPerCoreMb} MB: fewer sites can run it, and fewer at once`);
  }
}
