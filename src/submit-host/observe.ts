import { join } from "node:path";
import { parseJson } from "../base/json.ts";
import { type Attempt, ownReport } from "../recovery/attempt.ts";
import { readReport, roleByName } from "../recovery/attempt.ts";
import type { PostArguments } from "./arguments.ts";
import { readIfThere, readTail } from "./disk.ts";
import { asksOf } from "./include-file.ts";
import { readJobLog } from "./job-log.ts";
import { planned } from "./planned.ts";
import { PostTrouble } from "./trouble.ts";

const STDERR_BYTES = 65_536;

/** Everything the unit's directory knows of this attempt. Siblings' files are never opened. */
export function observe(dir: string, args: PostArguments): Attempt {
  const { node, cluster } = args;
  const role = roleByName(node);
  const include = readIfThere(join(dir, "group.inc")) ?? "";
  const logged = cluster === null ? null : readJobLog(join(dir, "group.log"), cluster);
  const report = cluster === null ? null : readReport(readIfThere(join(dir, `${node}.${cluster}.report.json`)));
  const usual = usualResources(dir, role);
  const asks = asksOf(include, node);
  const { sites, inputs } = planned(dir, node);
  const attempt: Attempt = {
    node,
    unit: /[^/]+$/.exec(dir)?.[0] ?? null,
    role,
    cluster,
    dagRetry: args.retry,
    maxRetries: args.maxRetries,
    dagReturn: args.returned,
    report,
    events: logged?.events ?? null,
    stderrTail: cluster === null ? "" : readTail(join(dir, `${node}.${cluster}.err`), STDERR_BYTES),
    startedAt: null,
    endedAt: null,
    site: null,
    host: null,
    sites,
    cores: usual.cores,
    memoryMb: asks.memoryMb ?? usual.memoryMb,
    peakMemoryMb: null,
    wallMinutes: asks.wallMinutes ?? usual.wallMinutes,
    wallSec: null,
    inputs: [],
    missingOutputs: missingOutputs(dir, args),
  };
  const own = ownReport(attempt);
  const { startedAt = null, endedAt = null } = logged ?? {};
  const seconds = startedAt && endedAt ? Math.max(0, (endedAt.getTime() - startedAt.getTime()) / 1000) : null;
  return {
    ...attempt,
    startedAt: own?.startedAt ? null : (startedAt?.toISOString() ?? null),
    endedAt: own?.endedAt ? null : (endedAt?.toISOString() ?? null),
    wallSec: own?.wallSec === null || own === null ? seconds : null,
    inputs: own && own.inputs.length > 0 ? [] : inputs,
  };
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
  const found = (all?.[role] ?? {}) as Record<string, unknown>;
  const { cores, memoryMb, wallMinutes } = found;
  if (typeof cores !== "number" || typeof memoryMb !== "number" || typeof wallMinutes !== "number")
    throw new PostTrouble("person", `${path} does not say what a ${role} job asks for`);
  return { cores, memoryMb, wallMinutes };
}
