import { reports, roleOfNode } from "../core/roles.ts";
import { type Attempt, hostOf, inputsOf, LOSSES, ownReport, peakMemoryOf, siteOf, wallSecOf } from "./attempt.ts";
import { type Decision, type GroupSummary, likeness } from "./decision.ts";
import { type AttemptRecord, isAttempt, type LedgerLine } from "./ledger-record.ts";

/** What POST leaves behind: the line for the ledger and the node's post.json. Builders only; POST writes them. */
export function attemptRecord(attempt: Attempt, decision: Decision, now: Date): AttemptRecord {
  const report = ownReport(attempt);
  return {
    event: "attempt",
    at: now.toISOString(),
    node: attempt.node,
    cluster: attempt.cluster ?? -1,
    retry: attempt.dagRetry,
    maxRetries: attempt.maxRetries,
    return: attempt.dagReturn,
    rrn: decision.rrn,
    epoch: decision.epoch,
    cause: decision.cause,
    exitCode: decision.exitCode,
    decodedFrom: decision.decodedFrom,
    signal: decision.signal,
    site: siteOf(attempt),
    host: hostOf(attempt),
    startedAt: attempt.startedAt ?? isoOf(report?.startedAt),
    endedAt: attempt.endedAt ?? isoOf(report?.endedAt),
    wallSec: wallSecOf(attempt),
    cpuSec: report?.cpuSec ?? null,
    peakMemoryMb: peakMemoryOf(attempt),
    cores: attempt.cores,
    memoryMb: attempt.memoryMb,
    wallMinutes: attempt.wallMinutes,
    nextMemoryMb: decision.memoryMb,
    nextWallMinutes: decision.wallMinutes,
    decision: decision.decision === "succeed" ? "done" : decision.decision,
    why: decision.why,
    category: decision.category,
    rule: decision.row?.id ?? null,
    ruleSource: decision.row?.source ?? null,
    delaySec: decision.delaySec,
    notBefore: decision.notBefore,
    changeSite: decision.changeSite,
    avoidSites: decision.avoidSites,
    avoidHosts: decision.avoidHosts,
    badFiles: decision.badFiles,
    files: decision.suspectFiles,
    retriesLeft: decision.decision === "succeed" ? null : retriesLeft(decision),
    reason: decision.reason,
  };
}

/** A retry that was decided on is among them until it has run. */
function retriesLeft({ decision, cause, left }: Decision): number {
  const decided = decision === "retry" ? 1 : 0;
  const most = LOSSES.includes(cause ?? "") ? left.losses + decided : left.executions;
  return Math.min(most, (left.rule ?? most) + decided);
}

/** One line, newline included: to be appended by a single write. */
export const ledgerText = (record: LedgerLine): string => `${JSON.stringify(record)}\n`;

const isoOf = (seconds: number | null | undefined): string | null =>
  seconds === null || seconds === undefined ? null : new Date(seconds * 1000).toISOString();

/**
 * <node>.post.json: the field names are a contract with monitoring (docs/submit-directory.md), what we know beyond it under
 * `classification` and `verdict`, and the attempt itself, so that `wms2 policy decide` can replay it.
 */
export function postJson(attempt: Attempt, decision: Decision, record: AttemptRecord) {
  const report = ownReport(attempt);
  const seconds = wallSecOf(attempt);
  const read = report?.eventsRead ?? null;
  return {
    node_name: attempt.node,
    timestamp: record.at,
    attempt: attempt.dagRetry + 1,
    max_retries: attempt.maxRetries,
    final: decision.final,
    verdict: record,
    job: {
      exit_code: decision.exitCode,
      exit_signal: decision.signal,
      hold_reason: attempt.events?.held?.reason ?? null,
      wall_time_sec: seconds,
      cpu_time_sec: report?.cpuSec ?? null,
      memory_mb: attempt.memoryMb,
      site: siteOf(attempt),
      schedd: null,
    },
    cmssw: {
      exit_code: report?.exitCode ?? null,
      steps: Object.fromEntries(
        (report?.steps ?? []).map(({ name, status, exitCode }) => [name, { status, exit_code: exitCode }]),
      ),
      error_message: report?.error ?? null,
      input_files: inputsOf(attempt),
      output_files: report?.outputs ?? [],
      performance: {
        peak_rss_mb: peakMemoryOf(attempt),
        avg_event_time_sec: seconds !== null && read !== null && read > 0 ? seconds / read : null,
        events_read: read,
        events_written: report?.eventsWritten ?? null,
      },
    },
    classification: {
      category: decision.category,
      retryable: decision.decision === "retry",
      bad_input_files: decision.badFiles,
      action: ACTION_WORDS[decision.decision],
      cause: decision.cause,
      decoded_from: decision.decodedFrom,
      rule: decision.row?.id ?? null,
      rule_source: decision.row?.source ?? null,
      delay_sec: decision.delaySec,
      not_before: decision.notBefore,
      memory_mb: decision.memoryMb,
      wall_minutes: decision.wallMinutes,
      avoid_sites: decision.avoidSites,
      avoid_hosts: decision.avoidHosts,
      rrn: decision.rrn,
      epoch: decision.epoch,
      reason: decision.reason,
    },
    log_tail: lastLines(attempt.stderrTail, 200),
    observed: attempt,
  };
}

const ACTION_WORDS = {
  succeed: "success",
  retry: "retry",
  stop: "permanent_failure",
  unclassified: "wait_for_classification",
  abort: "abort_dag",
} as const;

const lastLines = (text: string, count: number): string => text.split("\n").slice(-count).join("\n");

/** Counted from whatever records there are, a ledger or its last lines; a node counts once, by its last record. */
export function summariseGroup(lines: readonly LedgerLine[], except: string): GroupSummary {
  const last = new Map<string, AttemptRecord>();
  for (const line of lines) if (isAttempt(line) && line.node !== except) last.set(line.node, line);
  const alike: Record<string, number> = {};
  let succeeded = 0;
  for (const record of last.values()) {
    if (record.decision === "done" && reports(roleOfNode(record.node))) succeeded += 1;
    if ((record.decision !== "stop" && record.decision !== "abort") || record.category !== "permanent") continue;
    const key = likeness(record.rule, record.exitCode);
    alike[key] = (alike[key] ?? 0) + 1;
  }
  return { alike, succeeded };
}
