import { cut } from "../core/base/text.ts";
import { reports } from "../core/roles.ts";
import {
  type Attempt,
  type Cause,
  type JobEvents,
  ownReport,
  peakMemoryOf,
  type Report,
  wallSecOf,
} from "./attempt.ts";
import { ALIASES, causeOfCode, isKillingSignal, signalName } from "./codes.ts";

/**
 * What an attempt came to. The true exit code is looked for in the job's own report, then in why the batch system
 * held or removed the job, then in its signal or exit status, and last in $RETURN, which has only eight bits. It
 * fails closed: success needs $RETURN 0 and a finished report of this very attempt that says 0.
 */
type Outcome = { readonly kind: "succeeded" } | Failure;

/**
 * What a code below 256 means: the framework's word (a report of the framework is there, or its payload or simulator
 * runs), or what any program means by it.
 */
export type Speech = "cms" | "ordinary";

const speechOf = (attempt: Attempt, { cmsCodes }: CodeReading): Speech =>
  cmsCodes || ownReport(attempt)?.framework ? "cms" : "ordinary";

/** How codes are read: of the policy's settings. */
interface CodeReading {
  readonly cmsCodes: boolean;
  readonly shortCodes: boolean;
}
const DEFAULT_READING: CodeReading = { cmsCodes: true, shortCodes: true };

export interface Failure {
  readonly kind: "failed";
  readonly speech: Speech;
  readonly cause: Cause;
  /** The true code; 128+n for signal n; -1001 … -1004 when no job ended. */
  readonly exitCode: number;
  /** The eight-bit code it was guessed from, when decodedFrom is "alias". */
  readonly shortCode: number | null;
  readonly signal: number | null;
  readonly hold: { readonly code: number; readonly subcode: number } | null;
  readonly decodedFrom: "report" | "hold" | "remove" | "signal" | "status" | "alias";
  /** What happened, without a full stop. */
  readonly text: string;
}

const failed = (
  cause: Cause,
  exitCode: number,
  decodedFrom: Failure["decodedFrom"],
  text: string,
  more: Partial<Failure> = {},
): Failure => ({
  kind: "failed",
  speech: "ordinary",
  cause,
  exitCode,
  shortCode: null,
  signal: null,
  hold: null,
  decodedFrom,
  text,
  ...more,
});

export function readOutcome(attempt: Attempt, reading: CodeReading = DEFAULT_READING): Outcome {
  const speech = speechOf(attempt, reading);
  const outcome = decode(attempt, speech === "cms" && reading.shortCodes);
  return outcome.kind === "failed" ? { ...outcome, speech } : outcome;
}

function decode(attempt: Attempt, useAliases: boolean): Outcome {
  const { dagReturn, events } = attempt;
  if (dagReturn === -1001) return failed("submit_failed", -1001, "status", "the job could not be submitted");
  if (dagReturn === -1004)
    return failed("submit_failed", -1004, "status", "the PRE script failed, so the job was not submitted");
  const report = ownReport(attempt);
  if (dagReturn === 0 && saysZero(attempt, report)) {
    const lost = attempt.missingOutputs;
    if (lost.length > 0)
      return failed("missing_output", 60302, "report", `the job ended well but left no whole ${lost.join(", ")}`);
    const forged = attempt.forgedOutput;
    if (forged === null) return { kind: "succeeded" };
    return failed("forged_output", 70318, "report", `its merge_output.json cannot be believed: ${forged}`);
  }
  const takenAway = dagReturn === -1002 || Boolean(events?.held) || Boolean(events?.aborted);
  if (report?.state === "finished" && report.exitCode !== null && report.exitCode !== 0) {
    // A job that is taken away is told to stop; its report then knows only the signal, not the reason.
    if (!takenAway || !isKillingSignal(report.exitCode - 128))
      return overLimits(fromReport(report, useAliases), attempt);
  }
  if (events?.held) return fromHold(events.held);
  if (takenAway) return fromRemoval(events);
  if (dagReturn === -1003 || events?.lost)
    return failed("node_lost", -1003, "status", events?.lost ?? "the engine lost track of the job");
  return overLimits(fromStatus(attempt, report, useAliases), attempt);
}

/** Landing jobs are there to land: they write no report. */
function saysZero(attempt: Attempt, report: Report | null): boolean {
  const code = attempt.events?.terminated?.code ?? 0;
  const signal = attempt.events?.terminated?.signal ?? 0;
  if (code !== 0 || signal !== 0) return false;
  if (!reports(attempt.role) && attempt.report === null) return true;
  return report?.state === "finished" && report.exitCode === 0;
}

function fromReport(report: Report, useAliases: boolean): Failure {
  const reported = report.exitCode ?? 0;
  // 99108: skipped because an earlier step failed; that step's code is the one that matters.
  const earlier = report.steps.find((step) => step.exitCode !== null && ![0, 99108].includes(step.exitCode));
  const code = reported === 99108 ? (earlier?.exitCode ?? reported) : reported;
  const signals = report.steps.map((step) => step.signal);
  const text = cut(report.error?.trim() ?? "", 300) || `the job reported exit ${code}`;
  if (code < 0 && code >= -64) return bySignal(-code, "report", text);
  if (code > 128 && code <= 192 && signals.includes(code - 128)) return bySignal(code - 128, "report", text);
  if (code > 255 || code < 0) return failed(causeOfCode(code), code, "report", text);
  return fromShort(code, "report", text, useAliases);
}

/** 1…255: a signal as shells tell it, the low eight bits of a long code, or just a code. */
function fromShort(code: number, from: Failure["decodedFrom"], text: string, useAliases: boolean): Failure {
  if (isKillingSignal(code - 128)) return bySignal(code - 128, from, text);
  const long = useAliases ? ALIASES[code] : undefined;
  if (long === undefined) return failed("exit", code, from, text);
  return failed(causeOfCode(long), long, "alias", text, { shortCode: code });
}

const bySignal = (signal: number, from: Failure["decodedFrom"], text: string): Failure =>
  failed("signal", 128 + signal, from, text, { signal });

function fromStatus(attempt: Attempt, report: Report | null, useAliases: boolean): Failure {
  const { dagReturn, events } = attempt;
  const noted = reportState(attempt, report);
  const signal = events?.terminated?.signal ?? (dagReturn < 0 && dagReturn >= -128 ? -dagReturn : 0);
  if (signal > 0) return bySignal(signal, "signal", `killed by ${signalName(signal)}${noted}`);
  const status = events?.terminated?.code || dagReturn;
  if (status > 0 && status <= 255) return fromShort(status, "status", `exit ${status}${noted}`, useAliases);
  if (status > 255) return failed(causeOfCode(status), status, "status", `exit ${status}${noted}`);
  if (status === 0) return failed("missing_report", 50115, "status", `exit 0${noted}`);
  return failed("node_lost", -1003, "status", `the engine returned ${status}, which means nothing we know`);
}

function reportState(attempt: Attempt, report: Report | null): string {
  if (report?.state === "finished") return report.exitCode === 0 ? ", although its report says 0" : "";
  if (report?.state === "started") return ", before the report was finished";
  if (attempt.report === null) return reports(attempt.role) ? ", no report" : "";
  if (attempt.report.state === "truncated") return ", and the report is not whole";
  return `, and the report is of another attempt (${attempt.report.node ?? "no node"}, cluster ${attempt.report.cluster ?? "unknown"})`;
}

/** Codes of the HTCondor manual, "HoldReasonCode"; with 3, an expression of ours, the subcode is an exit code. */
function fromHold(held: NonNullable<JobEvents["held"]>): Failure {
  const hold = { code: held.code, subcode: held.subcode };
  const text = `held: ${cut(held.reason.trim(), 200) || "no reason given"} (code ${hold.code}, subcode ${hold.subcode})`;
  const as = (cause: Cause, code: number) => failed(cause, code, "hold", text, { hold });
  if (hold.code === 34) return as("oom", 50660);
  if (hold.code === 46 || hold.code === 47) return as("walltime", 50664);
  if (hold.code === 12 && hold.subcode === 2) return as("missing_output", 60302);
  if (hold.code === 3 && hold.subcode > 0) {
    const cause = causeOfCode(hold.subcode);
    return as(cause === "exit" ? "held" : cause, hold.subcode);
  }
  return as("held", -1002);
}

function fromRemoval(events: JobEvents | null): Failure {
  const reason = cut(events?.aborted?.trim() ?? "", 200);
  const text = `removed from the queue${reason ? `: ${reason}` : ""}`;
  const as = (cause: Cause, code: number) => failed(cause, code, "remove", text);
  // The expression's text names every condition it has, so it proves none of them.
  if (/PeriodicRemove expression/i.test(reason))
    return events?.executions === 0 ? as("evicted", 50665) : as("evicted", 50666);
  if (/\bmemory\b/i.test(reason)) return as("oom", 50660);
  if (/wall ?(clock|time)|run ?time|duration/i.test(reason)) return as("walltime", 50664);
  if (/\bdisk\b/i.test(reason)) return as("disk", 50662);
  if (/\bidle\b/i.test(reason)) return as("evicted", 50665);
  return as("evicted", reason === "" ? 50666 : 99400);
}

/** A kill without words is explained by what the job used: more memory than it asked for, or more time. */
function overLimits(failure: Failure, attempt: Attempt): Failure {
  const { memoryMb, wallMinutes } = attempt;
  const peak = peakMemoryOf(attempt);
  const wall = wallSecOf(attempt);
  if (failure.signal === 9 && memoryMb !== null && peak !== null && peak >= memoryMb)
    return { ...failure, cause: "oom", text: `${failure.text}; it used ${peak} of ${memoryMb} MB` };
  const stopped = failure.signal === 9 || failure.signal === 15 || failure.signal === 24;
  if (stopped && wallMinutes !== null && wall !== null && wall >= wallMinutes * 60)
    return {
      ...failure,
      cause: "walltime",
      text: `${failure.text}; it ran ${Math.floor(wall / 60)} of ${wallMinutes} minutes`,
    };
  return failure;
}
