import { dirname } from "node:path";
import { isName } from "../../../../domain/names.ts";
import { UNIT } from "../../../../submit-dir/names.ts";
import type { JobSpec } from "../../../dag/job-spec.ts";
import { CONCLUDED, shQuote } from "../task-files.ts";
import type { DirectJob } from "./job.ts";

/** What our own files in a job's working directory begin with, as in payload/worker/run.sh. */
const WORK = ".wms2";
/** By kind: what the one step of a job leaves for run.sh or for us. */
export const OWN = {
  peak: `${WORK}.step-0.peak`,
  report: `${WORK}.step-0.report`,
  notice: `${WORK}.step-0.notice`,
  status: `${WORK}.step-0.status`,
  stop: `${WORK}.stop`,
  reads: `${WORK}.reads`,
  makes: `${WORK}.makes`,
  ran: `${WORK}.ran`,
} as const;

/**
 * What a task does instead of `exec setsid run.sh job NODE`, in its working directory. Nothing of the person's directory is
 * touched by the engine: a file server that does not answer holds up the job alone. A job that ended well, made what it was to
 * make and had nothing more to say is over; of all others run.sh says how they ended.
 */
export function directText(
  job: DirectJob,
  spec: JobSpec,
  { site, scratch, state }: { readonly site: string; readonly scratch: string; readonly state: string },
): string {
  const run = `${shQuote(spec.executable)} job ${shQuote(spec.node)}`;
  const full = (path: string): string => shQuote(path.startsWith("/") ? path : `${job.directory}/${path}`);
  const [reads, makes] = [job.reads.map(full), job.makes.map(full)];
  const parents = [...new Set(job.makes.map((path) => dirname(path)))].filter((parent) => parent !== ".").map(full);
  const [directory, out, err] = [job.directory, spec.stdout ?? "", spec.stderr ?? ""].map(shQuote);
  const program = job.argv[0] ?? "";
  const here = shQuote(`${scratch}/${program.slice(2)}`);
  const stat = (into: string): string => `LC_ALL=C stat -L --printf '%s %.6Y %n\\0' -- "$@" >${into} 2>/dev/null`;
  const simple = [
    "[ $status -eq 0 ]",
    `[ ! -e ${OWN.stop} ]`,
    `[ ! -s ${OWN.report} ]`,
    "[ ! -e FrameworkJobReport.xml ]",
  ];
  const lines = [
    // What this shell says of a command that a signal ended goes to the state of the task, as its supervisor's words do.
    "exec 4>&2 2>&3",
    `wholly() { exec 2>&4 4>&-; started; exec "$setsid" ${run}; }`,
    `[ -d ${directory} ] && [ -x ${directory} ] || wholly`,
    ...parents.map((parent) => `[ -d ${parent} ] || mkdir -p ${parent} 2>/dev/null || wholly`),
    ...(reads.length > 0
      ? [
          `set --; for file in ${reads.join(" ")}; do [ ! -e "$file" ] || set -- "$@" "$file"; done`,
          `[ $# -eq 0 ] || ${stat(OWN.reads)}`,
        ]
      : []),
    "read -r began rest </proc/uptime",
    "(",
    "read -r task_pid rest </proc/self/stat",
    "exec 2>&4 4>&-",
    "started",
    `set -- "$setsid" ${job.argv.map(shQuote).join(" ")}`,
    `cd ${directory} || exit 126`,
    // A program that only travelled with the request is here, not there.
    ...(program.startsWith("./")
      ? [`[ -e "$2" ] || [ ! -e ${here} ] || { shift 2; set -- "$setsid" ${here} "$@"; }`]
      : []),
    ...environmentOf(job, spec, site, scratch).map(([key, value]) => `export ${key}=${shQuote(value)}`),
    // What is not there a shell says better than setsid.
    'case $2 in */*) [ -x "$2" ] ;; *) command -v "$2" >/dev/null ;; esac || { shift; exec "$@"; }',
    'exec "$@"',
    ")",
    "status=$?",
    `if ${[...simple, ...makes.map((path) => `[ -e ${path} ]`)].join(" && ")}; then`,
    ...(makes.length > 0 ? [`set -- ${makes.join(" ")}`, stat(OWN.makes)] : []),
    "exit 0",
    "fi",
    `{ echo $status; times; } >${OWN.status}`,
    `echo "${Math.floor(Date.now() / 1000)} $began" >${OWN.ran}`,
    `while read -r line; do case $line in claim\\ * | pid\\ * | '') ;; *) echo "$line" >${OWN.notice} ;; esac; done <${shQuote(state)}`,
    `mv -f ${out} job.stdout.log; mv -f ${err} job.stderr.log`,
    `echo ${CONCLUDED} >&3`,
    `exec >${out} 2>${err} 3>&- 4>&-`,
    `exec ${run}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** The job's view of itself, as export_step_environment of payload/worker/step.sh has it; its own variables come last. */
function environmentOf(job: DirectJob, spec: JobSpec, site: string, scratch: string): (readonly [string, string])[] {
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
