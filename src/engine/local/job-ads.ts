import { quoteAd } from "./bookkeeping-text.ts";
import type { JobSpec } from "./job-spec.ts";

/** What a job can read about itself and its place: the files _CONDOR_JOB_AD and _CONDOR_MACHINE_AD name. */
export function renderJobAd(spec: JobSpec): string {
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

export const renderMachineAd = (spec: JobSpec, site: string, host: string): string =>
  `Machine = ${quoteAd(host)}\nGLIDEIN_CMSSite = ${quoteAd(site)}\nCpus = ${spec.cpus}\nMemory = ${spec.memoryMb}\n`;
