import { type Attempt, type JobEvents, NO_EVENTS, type Report } from "../../recovery/attempt.ts";
import type { Beginning, Ending } from "./outcome.ts";

/** What POST would see of an execution that ended: its report, the job's events, $RETURN. */
export function attemptOf({ job, startedAt, events: read, steps }: Beginning, ending: Ending, endedAt: Date): Attempt {
  const { node, role, site, host, cluster, memoryMb, inputs } = job;
  const wallSec = Math.round((endedAt.getTime() - startedAt.getTime()) / 1000);
  const overused = ending.result.kind === "cause" && ending.result.cause === "oom";
  const peakMemoryMb = ending.rule?.peakMemoryMb ?? Math.round(memoryMb * (overused ? 1.25 : 0.6));
  const events: JobEvents = { ...NO_EVENTS, site, host, executions: 1 };
  const stderrTail = wordsOf(ending);
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
    ...differences(ending, events, peakMemoryMb, role === "landing" ? null : report),
  };
}

/** How the end of an attempt shows. `report` null: a landing job writes none. */
function differences(
  { result }: Ending,
  events: JobEvents,
  peakMemoryMb: number,
  report: ((exitCode: number) => Report) | null,
): Partial<Attempt> {
  const terminated = (code: number | null, signal: number | null): JobEvents => {
    return { ...events, terminated: { code, signal }, peakMemoryMb };
  };
  const held = (subcode: number, reason: string): Partial<Attempt> => ({
    dagReturn: -1002,
    events: { ...events, held: { code: 3, subcode, reason }, aborted: "removed while held", peakMemoryMb },
  });
  switch (result.kind) {
    case "succeed":
      return { events: terminated(0, null), report: report?.(0) ?? null };
    case "exit": {
      const short = result.code <= 255 && ![42, 43, 44].includes(result.code) ? result.code : 1;
      return { dagReturn: short, events: terminated(short, null), report: report?.(result.code) ?? null };
    }
    case "signal":
      return { dagReturn: -result.signal, events: terminated(null, result.signal) };
    case "cause":
      break;
  }
  switch (result.cause) {
    case "oom":
      return held(50660, "WMS2 memory");
    case "walltime":
      return held(50664, "WMS2 walltime");
    case "disk":
      return held(50662, "WMS2 disk");
    case "held":
      return {
        dagReturn: -1002,
        events: { ...events, held: { code: 13, subcode: 0, reason: "transfer of input files failed" } },
      };
    case "evicted":
      return { dagReturn: -1002, events: { ...events, evictions: 1, aborted: "taken away by the pool" } };
    case "node_lost":
      return { dagReturn: -1003, events: { ...events, lost: "the worker is gone" } };
    case "submit_failed":
      return { dagReturn: -1001, cluster: null, events: null, host: null };
    case "missing_output":
    case "forged_output":
      return { events: terminated(0, null), report: report?.(0) ?? null, missingOutputs: ["a declared output"] };
    case "missing_report":
      return { events: terminated(0, null) };
  }
}

/** What the job says on stderr: the story's words, or that it could not read the file the story speaks of. */
function wordsOf({ rule, file }: Ending): string {
  if (rule === null) return "";
  if (rule.stderr !== null) return rule.stderr;
  return file === null ? "" : `error while reading ${file}`;
}
