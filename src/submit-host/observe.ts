import { join } from "node:path";
import { parseJson } from "../base/json.ts";
import { isName, isSiteName } from "../domain/names.ts";
import { type Attempt, NO_ATTEMPT, ownReport, readReport, roleByName } from "../recovery/attempt.ts";
import { type JobRecord, readJobEvents } from "../recovery/job-events.ts";
import { PostTrouble, readIfThere, readParts, readTail } from "./disk.ts";
import { forgedOutput } from "./forged-output.ts";
import { asksOf, believedSite } from "./include-file.ts";

/** What DAGMan tells a POST script: JOB RETURN RETRY MAX_RETRIES CLUSTERID; and "script" from verdict.sh. */
export interface PostArguments {
  readonly node: string;
  readonly returned: number;
  readonly retry: number;
  readonly maxRetries: number;
  /** null: nothing was submitted. */
  readonly cluster: number | null;
  /** Nobody waits with a deadline. */
  readonly mayRunScript: boolean;
}

/** An argument that cannot be true never helps a node: it is taken as a failure without retries. */
export function readArguments(argv: readonly string[]): PostArguments {
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
    cluster: id > 0 ? id : null,
    mayRunScript: script === "script",
  };
}

const STDERR_BYTES = 65_536;

/** Everything the unit's directory knows of this attempt. Siblings' files are never opened. */
export function observe(dir: string, args: PostArguments): Attempt {
  const { node, cluster } = args;
  const role = roleByName(node);
  const file = (suffix: string): string => join(dir, `${node}.${cluster}.${suffix}`);
  const usual = usualResources(dir, role);
  const include = readIfThere(join(dir, "group.inc")) ?? "";
  const asks = asksOf(include, node);
  const { sites, inputs } = planned(dir, node);
  const attempt: Attempt = {
    ...NO_ATTEMPT,
    node,
    unit: /[^/]+$/.exec(dir)?.[0] ?? null,
    role,
    cluster,
    dagRetry: args.retry,
    maxRetries: args.maxRetries,
    dagReturn: args.returned,
    report: cluster === null ? null : readReport(readIfThere(file("report.json"))),
    stderrTail: cluster === null ? "" : readTail(file("err"), STDERR_BYTES),
    sites,
    cores: usual.cores,
    memoryMb: asks.memoryMb ?? usual.memoryMb,
    wallMinutes: asks.wallMinutes ?? usual.wallMinutes,
    missingOutputs: missingOutputs(dir, args),
  };
  const own = ownReport(attempt);
  const logged = cluster === null ? null : readJobLog(join(dir, "group.log"), cluster);
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

/** Control code 0 needs whole results: the last line shows that the file arrived. */
function missingOutputs(dir: string, { node, returned }: PostArguments): readonly string[] {
  if (node !== "merge" || returned !== 0) return [];
  return readTail(join(dir, "merge_output.json"), 4).trimEnd().endsWith("]}") ? [] : ["merge_output.json"];
}

/** From the plan, by role. Without it no boost could be told from a first try. */
function usualResources(dir: string, role: string): { cores: number; memoryMb: number; wallMinutes: number } {
  const path = join(dir, "..", "plan.json");
  const plan = parseJson(readIfThere(path) ?? "");
  const all = plan.ok ? (plan.value as { resources?: Record<string, unknown> } | null)?.resources : undefined;
  const { cores, memoryMb, wallMinutes } = (all?.[role] ?? {}) as Record<string, unknown>;
  if (typeof cores !== "number" || typeof memoryMb !== "number" || typeof wallMinutes !== "number")
    throw new PostTrouble("person", `${path} does not say what a ${role} job asks for`);
  return { cores, memoryMb, wallMinutes };
}

/** What the unit's manifest says of one node. It has a line per key and per node; only the two needed are parsed. */
function planned(
  dir: string,
  node: string,
): { readonly sites: readonly string[] | null; readonly inputs: readonly string[] } {
  const text = readIfThere(join(dir, "manifest.json")) ?? "";
  const sites = lineValue(text, "sites");
  const entry = lineValue(text, node) as { inputs?: { lfn?: unknown }[] } | null;
  const named = Array.isArray(sites) ? sites.filter((site) => typeof site === "string" && isSiteName(site)) : [];
  return {
    // Where the unit may run at all, whatever it was pinned to since; none named: anywhere.
    sites: named.length > 0 ? named : null,
    inputs: (entry?.inputs ?? []).flatMap(({ lfn }) => (typeof lfn === "string" ? [lfn] : [])),
  };
}

function lineValue(text: string, key: string): unknown {
  const head = `\n${JSON.stringify(key)}:`;
  const at = text.indexOf(head);
  if (at < 0) return null;
  const end = text.indexOf("\n", at + 1);
  const parsed = parseJson(text.slice(at + head.length, end < 0 ? undefined : end).replace(/,$/, ""));
  return parsed.ok ? parsed.value : null;
}
