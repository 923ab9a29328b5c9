import { join } from "node:path";
import { isName, jobIndex } from "../../core/names.ts";
import { ROLES, roleOfNode } from "../../core/roles.ts";
import { type Attempt, NO_ATTEMPT, ownReport, readReport } from "../../recovery/attempt.ts";
import { type JobRecord, readJobEvents } from "../../recovery/job-events.ts";
import { asksOf, believedSite } from "../include-file.ts";
import { type JobEntry, jobsIn } from "../jobs.ts";
import { plannedFor } from "../manifest.ts";
import { isWholeMergeOutput } from "../markers.ts";
import { attemptFile, TOP, UNIT } from "../names.ts";
import { readPlanFile } from "../plan-file.ts";
import { PostTrouble, readIfThere, readParts, readTail } from "./disk.ts";
import { forgedOutput } from "./forged-output.ts";

/** What DAGMan tells a POST script: JOB RETURN RETRY MAX_RETRIES CLUSTERID; and "script" from verdict.sh. */
export type PostArguments = Readonly<ReturnType<typeof readArguments>>;

/** An argument that cannot be true never helps a node: it is taken as a failure without retries. */
export function readArguments(argv: readonly string[]) {
  const [node = "", returned, retry, maxRetries, cluster, script] = argv;
  if (!isName(node)) throw new PostTrouble("person", `not the name of a node: ${JSON.stringify(node)}`);
  const number = (text: string | undefined, otherwise: number): number =>
    /^-?\d{1,12}$/.test(text ?? "") ? Number(text) : otherwise;
  const id = number(cluster, -1);
  return {
    node,
    returned: number(returned, -1003),
    retry: Math.max(0, number(retry, 0)),
    maxRetries: Math.max(0, number(maxRetries, 0)),
    /** null: nothing was submitted. */
    cluster: id > 0 ? id : null,
    /** Nobody waits with a deadline. */
    mayRunScript: script === "script",
  };
}

const STDERR_BYTES = 65_536;

/** Everything the unit's directory knows of this attempt. Siblings' files are never opened. */
export function observe(dir: string, args: PostArguments): Attempt {
  const { node, cluster } = args;
  const role = roleOfNode(node);
  const file = (kind: Parameters<typeof attemptFile>[2]): string => join(dir, attemptFile(node, cluster ?? -1, kind));
  const manifest = readIfThere(join(dir, UNIT.manifest)) ?? "";
  const job = jobIndex(node) === null ? null : jobsIn(manifest, node).get(node);
  const usual = job === null ? usualResources(dir, role) : sizeOf(job, node);
  const include = readIfThere(join(dir, UNIT.include)) ?? "";
  const asks = asksOf(include, node);
  // Where the unit may run at all, whatever it was pinned to since.
  const { sites, inputs } = plannedFor(manifest, node);
  const attempt: Attempt = {
    ...NO_ATTEMPT,
    node,
    unit: jobIndex(node) === null ? (/[^/]+$/.exec(dir)?.[0] ?? null) : node,
    role,
    handlers: job?.handlers.length ? job.handlers : null,
    cluster,
    dagRetry: args.retry,
    maxRetries: args.maxRetries,
    dagReturn: args.returned,
    report: cluster === null ? null : readReport(readIfThere(file("report"))),
    stderrTail: cluster === null ? "" : readTail(file("err"), STDERR_BYTES),
    sites,
    cores: usual.cores,
    memoryMb: asks.memoryMb ?? usual.memoryMb,
    wallMinutes: asks.wallMinutes ?? usual.wallMinutes,
    missingOutputs: missingOutputs(dir, args),
  };
  const own = ownReport(attempt);
  const logged = cluster === null ? null : readJobLog(join(dir, UNIT.log), cluster);
  const { events = null, startedAt = null, endedAt = null } = logged ?? {};
  const seconds = startedAt && endedAt ? Math.max(0, (endedAt.getTime() - startedAt.getTime()) / 1000) : null;
  return {
    ...attempt,
    events,
    site: events?.site ?? believedSite(include, own?.site ?? null),
    forgedOutput: attempt.missingOutputs.length > 0 ? null : forgedOutput(dir, args, events?.site ?? null),
    startedAt: own?.startedAt ? null : (startedAt?.toISOString() ?? null),
    endedAt: own?.endedAt ? null : (endedAt?.toISOString() ?? null),
    wallSec: own?.wallSec === null || own === null ? seconds : null,
    inputs: own && own.inputs.length > 0 ? [] : inputs,
  };
}

const FIRST_CHUNK = 128 * 1024;

/**
 * What the unit's event log says of one job. The log is shared by the unit, and the job that just ended is near its
 * end: it is read backwards, only as far as this job's submission, and only this job's events are taken apart.
 */
function readJobLog(path: string, cluster: number): JobRecord | null {
  const mark = `000 (${String(cluster).padStart(3, "0")}.`;
  const text = readParts(path, (size, part) => {
    let tail = Buffer.alloc(0);
    for (let [start, most] = [size, FIRST_CHUNK]; start > 0; most *= 2) {
      const length = Math.min(most, start);
      start -= length;
      tail = Buffer.concat([part(start, length), tail]);
      // Only what is new can hold the mark; a mark cut in two is found with the next chunk.
      const at = tail.subarray(0, length + mark.length).indexOf(mark, 0, "latin1");
      if (at >= 0) return tail.toString("utf8", at);
    }
    return tail.toString("utf8");
  });
  return text === null ? null : readJobEvents(text, cluster);
}

/** Control code 0 needs whole results. */
function missingOutputs(dir: string, { node, returned }: PostArguments): readonly string[] {
  if (ROLES[roleOfNode(node)].proof !== "outputs" || returned !== 0) return [];
  return isWholeMergeOutput(readTail(join(dir, UNIT.mergeOutput), 4)) ? [] : [UNIT.mergeOutput];
}

/** A job of a graph has a size of its own. */
function sizeOf(job: JobEntry | undefined, node: string) {
  if (!job?.resources) throw new PostTrouble("person", `${UNIT.manifest} does not say what ${node} asks for`);
  return job.resources;
}

/** From the plan, by role. Without it no boost could be told from a first try. */
function usualResources(dir: string, role: string) {
  const path = join(dir, "..", TOP.plan);
  const usual = readPlanFile(readIfThere(path)).resources(role);
  if (usual === null) throw new PostTrouble("person", `${path} does not say what a ${role} job asks for`);
  return usual;
}
