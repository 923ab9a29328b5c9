import { reports } from "../../../src/core/roles.ts";
import { type Attempt, type JobEvents, NO_EVENTS, type Report } from "../../../src/recovery/attempt.ts";
import { RESERVED } from "../../../src/submit-dir/codes.ts";
import type { Beginning, Ending } from "./outcome.ts";

/** What POST would see of an execution that ended: its report, the job's events, $RETURN. */
export function attemptOf({ job, startedAt, events: read, steps }: Beginning, ending: Ending, endedAt: Date): Attempt {
  const { node, role, site, host, cluster, memoryMb, inputs } = job;
  const wallSec = Math.round((endedAt.getTime() - startedAt.getTime()) / 1000);
  const overused = ending.result.kind === "cause" && ending.result.cause === "oom";
  const peakMemoryMb = ending.rule?.peakMemoryMb ?? Math.round(memoryMb * (overused ? 1.25 : 0.6));
  const events: JobEvents = { ...NO_EVENTS, site, host, executions: 1 };
  const stderrTail = stderrOf(ending);
  const report = (exitCode: number): Report => ({
    state: "finished",
    node,
    cluster,
    exitCode,
    error: exitCode === 0 ? null : stderrTail || null,
    site,
    host,
    startedAt: startedAt.getTime() / 1000,
    endedAt: endedAt.getTime() / 1000,
    wallSec,
    cpuSec: Math.round(wallSec * 0.9),
    peakMemoryMb,
    eventsRead: read,
    eventsWritten: exitCode === 0 ? read : null,
    framework: false,
    steps: steps.map((name) => ({ name, exitCode, status: exitCode & 255, signal: null })),
    inputs,
    outputs: [],
  });
  return {
    ...job,
    dagReturn: 0,
    events,
    stderrTail,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    peakMemoryMb,
    wallSec,
    ...differences(ending, events, peakMemoryMb, reports(role) ? report : null),
  };
}

const HOLDS = {
  oom: { code: 3, subcode: 50660, reason: "WMS2 memory" },
  walltime: { code: 3, subcode: 50664, reason: "WMS2 walltime" },
  disk: { code: 3, subcode: 50662, reason: "WMS2 disk" },
  held: { code: 13, subcode: 0, reason: "transfer of input files failed" },
};

/** How the end of an attempt shows. `report` null: a landing job writes none. */
function differences(
  { result }: Ending,
  events: JobEvents,
  peakMemoryMb: number,
  report: ((exitCode: number) => Report) | null,
): Partial<Attempt> {
  const terminated = (code: number | null, signal: number | null = null): JobEvents => {
    return { ...events, terminated: { code, signal }, peakMemoryMb };
  };
  const exited = (short: number, code = short): Partial<Attempt> => {
    return { dagReturn: short, events: terminated(short), report: report?.(code) ?? null };
  };
  if (result.kind === "succeed") return exited(0);
  if (result.kind === "exit")
    return exited(result.code <= 255 && !RESERVED.includes(result.code) ? result.code : 1, result.code);
  if (result.kind === "signal") return { dagReturn: -result.signal, events: terminated(null, result.signal) };
  switch (result.cause) {
    case "oom":
    case "walltime":
    case "disk":
      return {
        dagReturn: -1002,
        events: { ...events, held: HOLDS[result.cause], aborted: "removed while held", peakMemoryMb },
      };
    case "held":
      return { dagReturn: -1002, events: { ...events, held: HOLDS.held } };
    case "evicted":
      return { dagReturn: -1002, events: { ...events, evictions: 1, aborted: "taken away by the pool" } };
    case "node_lost":
      return { dagReturn: -1003, events: { ...events, lost: "the worker is gone" } };
    case "submit_failed":
      return { dagReturn: -1001, cluster: null, events: null, host: null };
    case "missing_output":
    case "forged_output":
      return { ...exited(0), missingOutputs: ["a declared output"] };
    case "missing_report":
      return { events: terminated(0) };
  }
}

/** What the job says on stderr: the story's words, or that it could not read the file the story speaks of. */
function stderrOf({ rule, file }: Ending): string {
  if (rule === null) return "";
  if (rule.stderr !== null) return rule.stderr;
  return file === null ? "" : `error while reading ${file}`;
}
