import { EVENT_NUMBERS, type EventKind } from "../../submit-dir/event-log.ts";
import { localTime, quoteAd, two } from "./bookkeeping-text.ts";
import type { JobSpec } from "./job-spec.ts";
import type { Hold, Usage } from "./runner.ts";

/** Events of a job's `log =` file in HTCondor 23.9.6's format: bin/elect, bin/post and the reader know it. */
function render(kind: EventKind, spec: JobSpec, at: Date, text: string): string {
  return `${EVENT_NUMBERS[kind]} (${String(spec.cluster).padStart(3, "0")}.000.000) ${localTime(at)} ${text}\n...\n`;
}

export const submitted = (spec: JobSpec, at: Date): string =>
  render("submit", spec, at, `Job submitted from host: <127.0.0.1:0?local>\n    DAG Node: ${spec.node}`);

export function executing(spec: JobSpec, at: Date, site: string, scratch: string): string {
  const asked = spec.ulogAttributes.some((name) => name.toLowerCase() === "glidein_cmssite");
  const text =
    `Job executing on host: <127.0.0.1:0?local>\n\tSlotName: slot1@${site}\n` +
    `\tCondorScratchDir = ${quoteAd(scratch)}\n\tCpus = ${spec.cpus}\n` +
    `${asked ? `\tGLIDEIN_CMSSite = ${quoteAd(site)}\n` : ""}\tMemory = ${spec.memoryMb}`;
  return render("execute", spec, at, text);
}

export const evicted = (spec: JobSpec, at: Date, why: string): string =>
  render("evicted", spec, at, `Job was evicted.\n\t(0) CPU times\n\t${why}`);

export const lost = (spec: JobSpec, at: Date, why: string): string =>
  render("lost", spec, at, `Job reconnection failed\n\t${why}`);

/** After the job's size, as on a pool: a job that is held tells its peak nowhere else. */
export const held = (spec: JobSpec, at: Date, hold: Hold, peakMb: number | null): string => {
  const event = render("held", spec, at, `Job was held.\n\t${hold.why}\n\tCode ${hold.code} Subcode ${hold.subcode}`);
  if (peakMb === null) return event;
  const size = `Image size of job updated: ${peakMb * 1024}\n\t${peakMb}  -  MemoryUsage of job (MB)`;
  return render("size", spec, at, size) + event;
};

export const aborted = (spec: JobSpec, at: Date, why: string): string =>
  render("aborted", spec, at, `Job was aborted.\n\t${why}`);

/** `code`: the exit code, or minus the signal. */
export function terminated(spec: JobSpec, at: Date, code: number, used: Usage): string {
  const signal = code < 0 ? -code : null;
  const ending =
    signal === null
      ? `\t(1) Normal termination (return value ${code})\n`
      : `\t(0) Abnormal termination (signal ${signal})\n\t(0) No core file\n`;
  const how = signal === null ? `exit-code ${code}` : `signal ${signal}`;
  const accord = `\n\tJob terminated of its own accord at ${at.toISOString().slice(0, 19)}Z with ${how}.`;
  const cpu = `Usr ${span(used.userSec)}, Sys ${span(used.systemSec)}`;
  const zero = "Usr 0 00:00:00, Sys 0 00:00:00";
  const right = (value: number | null, width: number): string => String(value ?? "").padStart(width);
  const usage =
    `\t\t${cpu}  -  Run Remote Usage\n\t\t${zero}  -  Run Local Usage\n` +
    `\t\t${cpu}  -  Total Remote Usage\n\t\t${zero}  -  Total Local Usage\n` +
    "\t0  -  Run Bytes Sent By Job\n\t0  -  Run Bytes Received By Job\n" +
    "\t0  -  Total Bytes Sent By Job\n\t0  -  Total Bytes Received By Job\n" +
    "\tPartitionable Resources :    Usage  Request Allocated \n" +
    `\t   Cpus                 : ${right(null, 8)} ${right(spec.cpus, 8)} ${right(spec.cpus, 9)} \n` +
    `\t   Memory (MB)          : ${right(used.memoryMb, 8)} ${right(spec.memoryMb, 8)} ${right(spec.memoryMb, 9)} \n` +
    `\t   TimeExecute (s)      : ${right(Math.round(used.wallSec), 8)}                    \n`;
  return render("terminated", spec, at, `Job terminated.\n${ending}${usage}${accord}`);
}

function span(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 86400)} ${two(Math.floor(whole / 3600) % 24)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}
