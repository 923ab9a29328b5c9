import { writeFileSync } from "node:fs";
import { quoteAd } from "../../dag/bookkeeping-text.ts";
import type { JobSpec } from "../../dag/job-spec.ts";
import type { DirectJob } from "./direct/job.ts";
import { directText } from "./direct/task.ts";
import { MARK } from "./families.ts";
import { ADS } from "./spares.ts";
import { renderTask } from "./task-files.ts";
import type { Tasks } from "./tasks.ts";
import { EXECUTABLE } from "./transfer.ts";

/**
 * Writes what a job needs to run: its ads and its task. A job that runs in its own directory brings nothing back and
 * has no scratch directory; its two ads then share a file, as do those of one that is run directly. The spec stays with the task, for an engine that takes it over.
 */
export function layTask(
  tasks: Tasks,
  spec: JobSpec,
  at: { readonly site: string; readonly host: string; readonly scratch: string; readonly joins: string | null },
  direct: DirectJob | null,
): void {
  const { scratch } = at;
  const [jobAd, machineAd] = [renderJobAd(spec), renderMachineAd(spec, at.site, at.host)];
  const jobPath = spec.transfers ? `${scratch}/${ADS}` : `${tasks.pathOf(spec.cluster)}.ad`;
  const isShared = !spec.transfers || direct !== null;
  const machinePath = isShared ? jobPath : `${scratch}/.machine.ad`;
  writeFileSync(jobPath, isShared ? jobAd + machineAd : jobAd);
  if (!isShared) writeFileSync(machinePath, machineAd);
  const environment: [string, string][] = [
    ["_CONDOR_SCRATCH_DIR", scratch],
    ["_CONDOR_JOB_AD", jobPath],
    ["_CONDOR_MACHINE_AD", machinePath],
    ["_CONDOR_SLOT", "slot1"],
    [MARK, tasks.pathOf(spec.cluster)],
  ];
  if (spec.transfers) environment.push(["TMPDIR", scratch]);
  const travelled = spec.transfers && spec.transferExecutable;
  const into = (path: string | null, append: boolean) => (path === null ? null : { path, append });
  const text = direct
    ? directText(direct, spec, { ...at, environment })
    : renderTask({
        cwd: scratch,
        joins: at.joins,
        argv: [travelled ? `${scratch}/${EXECUTABLE}` : spec.executable, ...spec.arguments],
        environment,
        stdout: into(spec.stdout, false),
        stderr: into(spec.stderr, spec.stderr === spec.stdout),
      });
  tasks.write(spec.cluster, text, JSON.stringify({ ...spec, direct }));
}

/** What a job can read about itself and its place: the files _CONDOR_JOB_AD and _CONDOR_MACHINE_AD name. */
function renderJobAd(spec: JobSpec): string {
  const lines = [
    `ClusterId = ${spec.cluster}`,
    "ProcId = 0",
    `DAGNodeName = ${quoteAd(spec.node)}`,
    `RequestCpus = ${spec.cpus}`,
    `RequestMemory = ${spec.memoryMb}`,
    ...spec.attributes.map(([name, expression]) => `${name} = ${expression}`),
  ];
  return `${lines.join("\n")}\n`;
}

const renderMachineAd = (spec: JobSpec, site: string, host: string): string =>
  `Machine = ${quoteAd(host)}\nGLIDEIN_CMSSite = ${quoteAd(site)}\nCpus = ${spec.cpus}\nMemory = ${spec.memoryMb}\n`;
