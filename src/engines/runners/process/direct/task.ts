import { dirname } from "node:path";
import { isName } from "../../../../core/names.ts";
import { UNIT } from "../../../../submit-dir/names.ts";
import type { JobSpec } from "../../../dag/job-spec.ts";
import { exportLine, shQuote } from "../task-files.ts";
import type { DirectJob } from "./job.ts";

/** What our own files in a job's working directory begin with, as in payload/worker/run.sh. */
const WORK = ".wms2";
/** By kind: what the one step of a job leaves there; direct.sh and run.sh have names of their own for these. */
export const OWN = {
  peak: `${WORK}.step-0.peak`,
  report: `${WORK}.step-0.report`,
  stop: `${WORK}.stop`,
  reads: `${WORK}.reads`,
  makes: `${WORK}.makes`,
} as const;

/** Where a directly run job is, and what it joins (task-files.ts). */
interface DirectPlace {
  readonly site: string;
  readonly scratch: string;
  readonly joins: string | null;
  readonly environment: readonly (readonly [string, string])[];
}

/** The task of a job that direct.sh runs: nothing but calls of what is there, with words. */
export function directText(job: DirectJob, spec: JobSpec, at: DirectPlace): string {
  const full = (path: string): string => (path.startsWith("/") ? path : `${job.directory}/${path}`);
  const line = (...words: readonly string[]): string => words.map(shQuote).join(" ");
  const parents = [...new Set(job.makes.map((path) => dirname(path)))].filter((parent) => parent !== ".").map(full);
  const [program = "", ...rest] = job.argv;
  const lines = [
    `joins=${shQuote(at.joins ?? "")}`,
    exportLine(at.environment),
    `${line("direct", at.scratch, job.directory, spec.executable, spec.node, spec.stdout ?? "", spec.stderr ?? "")} || return 125`,
    `${line("prepare", ...parents)} || { wholly; return; }`,
    ...(job.reads.length > 0 ? [line("stamp", OWN.reads, ...job.reads.map(full))] : []),
    "(",
    line("enter", program),
    `set -- "$setsid" "$program" ${line(...rest)}`,
    exportLine(environmentOf(job, spec, at)),
    'become "$@"',
    ")",
    line("conclude", String(Math.floor(Date.now() / 1000)), ...job.makes.map(full)),
  ];
  return `${lines.join("\n")}\n`;
}

/** The job's view of itself, as export_step_environment of payload/worker/step.sh has it; its own variables come last. */
function environmentOf(job: DirectJob, spec: JobSpec, { site, scratch }: DirectPlace): (readonly [string, string])[] {
  return [
    ["WMS2_UNIT", spec.node],
    ["WMS2_NODE", spec.node],
    ["WMS2_ROLE", "job"],
    ["WMS2_STEP", "job"],
    ["WMS2_STEP_INDEX", "0"],
    ["WMS2_STEP_REPORT", `${scratch}/${OWN.report}`],
    ["WMS2_MANIFEST", `${scratch}/${UNIT.manifest}`],
    ...(isName(site) ? ([["WMS2_SITE", site]] as const) : []),
    ["WMS2_CLUSTER", String(spec.cluster)],
    ["WMS2_CORES", String(spec.cpus)],
    ["WMS2_MEMORY_MB", String(spec.memoryMb)],
    ...job.env,
  ];
}
