import type { Attempt, JobEvents, Report } from "../../recovery/attempt.ts";
import type { Beginning, Ending } from "./outcome.ts";

/** What POST would see of an execution that ended: its report, the job's events, $RETURN. */
export interface Execution {
  readonly begun: Beginning;
  readonly ending: Ending;
  readonly cluster: number;
  readonly dagRetry: number;
  readonly maxRetries: number;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly host: string;
  /** Where its unit may run; null: anywhere. */
  readonly sites: readonly string[] | null;
  readonly cores: number;
  readonly steps: readonly string[];
  readonly events: number | null;
}

const NO_EVENTS: JobEvents = {
  site: null,
  host: null,
  executions: 1,
  evictions: 0,
  terminated: null,
  held: null,
  aborted: null,
  lost: null,
  peakMemoryMb: null,
};

export function attemptOf(execution: Execution): Attempt {
  const { begun, ending, cluster } = execution;
  const wallSec = Math.round((execution.endedAt.getTime() - execution.startedAt.getTime()) / 1000);
  const overused = ending.result.kind === "cause" && ending.result.cause === "oom";
  const share = overused ? 1.25 : 0.6;
  const peakMemoryMb = ending.rule?.peakMemoryMb ?? Math.round(begun.memoryMb * share);
  const base = {
    node: begun.node,
    unit: begun.unit,
    role: begun.role,
    cluster: cluster as number | null,
    dagRetry: execution.dagRetry,
    maxRetries: execution.maxRetries,
    dagReturn: 0,
    report: null as Report | null,
    events: { ...NO_EVENTS, site: begun.site, host: execution.host } as JobEvents | null,
    stderrTail: wordsOf(ending),
    startedAt: execution.startedAt.toISOString(),
    endedAt: execution.endedAt.toISOString(),
    site: begun.site as string | null,
    host: execution.host as string | null,
    sites: execution.sites,
    cores: execution.cores,
    memoryMb: begun.memoryMb,
    peakMemoryMb,
    wallMinutes: begun.wallMinutes,
    wallSec,
    inputs: begun.files,
    missingOutputs: [] as readonly string[],
  };
  return { ...base, ...ended(execution, base.events as JobEvents, wallSec, peakMemoryMb) };
}

function ended(execution: Execution, events: JobEvents, wallSec: number, peakMemoryMb: number): Partial<Attempt> {
  const { ending, begun } = execution;
  const { result } = ending;
  const report = (exitCode: number, signal: number | null = null): Report => ({
    state: "finished",
    node: begun.node,
    cluster: execution.cluster,
    exitCode,
    error: exitCode === 0 ? null : wordsOf(ending) || null,
    site: begun.site,
    host: execution.host,
    startedAt: execution.startedAt.getTime() / 1000,
    endedAt: execution.endedAt.getTime() / 1000,
    wallSec,
    cpuSec: Math.round(wallSec * 0.9),
    peakMemoryMb,
    eventsRead: execution.events,
    eventsWritten: exitCode === 0 ? execution.events : null,
    steps: execution.steps.map((name) => ({ name, exitCode, status: exitCode & 255, signal })),
    inputs: begun.files,
    outputs: [],
  });
  const terminated = (code: number | null, signal: number | null): JobEvents => ({
    ...events,
    terminated: { code, signal },
    peakMemoryMb,
  });
  const held = (subcode: number, reason: string): Partial<Attempt> => ({
    dagReturn: -1002,
    events: { ...events, held: { code: 3, subcode, reason }, aborted: "removed while held", peakMemoryMb },
  });
  switch (result.kind) {
    case "succeed":
      return { events: terminated(0, null), report: begun.role === "landing" ? null : report(0) };
    case "exit": {
      const short = result.code <= 255 && ![42, 43, 44].includes(result.code) ? result.code : 1;
      const own = begun.role === "landing" ? null : report(result.code);
      return { dagReturn: short, events: terminated(short, null), report: own };
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
      return { events: terminated(0, null), report: report(0), missingOutputs: ["a declared output"] };
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
