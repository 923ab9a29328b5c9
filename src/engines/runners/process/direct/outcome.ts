import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isName } from "../../../../core/names.ts";
import { REPORT } from "../../../../submit-dir/names.ts";
import type { JobSpec } from "../../../dag/job-spec.ts";
import type { Hold } from "../../../dag/runner.ts";
import type { TaskEnd } from "../task-files.ts";
import { failed, isNewer } from "../transfer.ts";
import type { DirectJob } from "./job.ts";
import { OWN } from "./task.ts";

/** What the engine knows of a job that it ran directly. */
interface Facts {
  readonly scratch: string;
  readonly site: string;
  readonly host: string;
  readonly startedMs: number;
  readonly wallSec: number;
  /** An engine before us may have done all this. */
  readonly adopted: boolean;
}

/** Does for a job that ended what run.sh would have done, unless that was asked. Asked again, it does what is missing. */
export function tellEnd(spec: JobSpec, job: DirectJob, end: TaskEnd, facts: Facts): Hold | null {
  const home = join(spec.initialDir, spec.remaps[REPORT] ?? REPORT);
  try {
    if (existsSync(join(facts.scratch, REPORT)) || (facts.adopted && isNewer(home, facts.startedMs))) return null;
    cutStreams(spec);
    writeReport(spec, job, end, facts);
    return null;
  } catch (error) {
    return failed("output", error);
  }
}

/** As payload/worker/report.sh does. A job that was cut short with its shell got no further than "started". */
function writeReport(spec: JobSpec, job: DirectJob, { exit, userSec, systemSec }: TaskEnd, facts: Facts): void {
  const { scratch, site, host, wallSec } = facts;
  const isDone = exit.kind === "exited" && exit.code === 0;
  const started = Math.floor(facts.startedMs / 1000);
  const ended = isDone ? started + Math.floor(wallSec) : null;
  const [wall, cpu] = [wallSec.toFixed(2), (userSec + systemSec).toFixed(2)];
  const peak = isDone ? Math.max(1, Math.ceil(peakKb(scratch) / 1024)) : null;
  const step =
    `{"name":"job","exitCode":0,"status":0,"signal":null,"wallSec":${wall},"cpuSec":${cpu},"peakMemoryMb":${peak},` +
    `"eventsRead":null,"eventsWritten":null,"threads":${spec.cpus},"memorySource":"process-tree","startSec":null,"instances":1}`;
  const lines = [
    '"version":1',
    `"state":"${isDone ? "finished" : "started"}"`,
    '"role":"job"',
    `"node":"${spec.node}"`,
    `"unit":${isDone ? `"${spec.node}"` : null}`,
    `"cluster":${spec.cluster}`,
    `"site":${isName(site) ? `"${site}"` : null}`,
    `"host":${JSON.stringify(host)}`,
    `"startedAt":${started}`,
    `"endedAt":${ended}`,
    `"wallSec":${isDone ? wall : null}`,
    `"cpuSec":${isDone ? cpu : "0.00"}`,
    `"peakMemoryMb":${peak}`,
    `"exitCode":${isDone ? 0 : null}`,
    '"error":null',
    '"eventsRead":null',
    '"eventsWritten":null',
    '"framework":false',
    `"steps":[${isDone ? step : ""}]`,
    '"inputs":[]',
    '"outputs":[]',
    `"reads":[${isDone ? stamps(scratch, OWN.reads, job.directory, job.reads) : ""}]`,
    `"makes":[${isDone ? stamps(scratch, OWN.makes, job.directory, job.makes) : ""}]`,
  ];
  writeFileSync(join(scratch, REPORT), `{\n${lines.join(",\n")}\n}\n`);
}

/** As far as anybody looked. */
export function peakKb(scratch: string): number {
  const path = join(scratch, OWN.peak);
  return existsSync(path) ? Number(readFileSync(path, "utf8")) || 0 : 0;
}

/** What `stat` left of those files that are there, in the order in which the job names them. */
function stamps(scratch: string, file: string, directory: string, paths: readonly string[]): string {
  if (paths.length === 0 || !existsSync(join(scratch, file))) return "";
  const found = new Map<string, string>();
  for (const record of readFileSync(join(scratch, file), "utf8").split("\0")) {
    const [, size, mtime, name = ""] = /^(\d+) ([\d.]+) (.*)$/s.exec(record) ?? [];
    found.set(name, `"sizeBytes":${size},"mtime":${mtime}`);
  }
  const entries = paths.flatMap((path) => {
    const stamp = found.get(path.startsWith("/") ? path : `${directory}/${path}`);
    return stamp === undefined ? [] : [`{"path":${JSON.stringify(path)},${stamp}}`];
  });
  return entries.join(",");
}

/** As in payload/worker/job.sh: what a job said is kept up to a limit, the beginning and the end. */
const [LIMIT, FIRST, LAST, WORDS] = [1_000_000, 100_000, 900_000, 1000];

/** Cuts what a job said and was too much. Once: what is left is not cut again. */
function cutStreams(spec: JobSpec): void {
  for (const stream of ["stdout", "stderr"] as const) {
    const path = spec[stream];
    const size = (path && statSync(path, { throwIfNoEntry: false })?.size) || 0;
    if (path === null || size <= LIMIT + (isCut(path, size) ? WORDS : 0)) continue;
    const word = `\nwms2: ${size - LIMIT} bytes of ${stream} are left out here: only the first ${FIRST} and the last ${LAST} are kept\n`;
    writeFileSync(
      `${path}.tmp`,
      Buffer.concat([part(path, 0, FIRST), Buffer.from(word), part(path, size - LAST, LAST)]),
    );
    renameSync(`${path}.tmp`, path);
  }
}

const isCut = (path: string, size: number): boolean =>
  size <= LIMIT + WORDS && part(path, FIRST, 7).toString() === "\nwms2: ";

function part(path: string, from: number, length: number): Buffer {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, from));
  } finally {
    closeSync(file);
  }
}
