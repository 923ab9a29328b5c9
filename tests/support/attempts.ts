import {
  type Attempt,
  type JobEvents,
  NO_ATTEMPT,
  NO_EVENTS,
  NO_REPORT,
  type Report,
} from "../../src/recovery/attempt.ts";
import { decideAttempt } from "../../src/recovery/decide.ts";
import type { Decision } from "../../src/recovery/decision.ts";
import type { AttemptRecord } from "../../src/recovery/ledger-record.ts";
import { builtinPolicy, type Policy } from "../../src/recovery/policy.ts";
import { attemptRecord } from "../../src/recovery/records.ts";

/** Attempts for tests: a processing node that ended well, changed as each test needs. */
export const NOW = new Date("2026-11-15T10:00:00Z");

export const report = (changes: Partial<Report> = {}): Report => ({
  ...NO_REPORT,
  state: "finished",
  node: "proc_000000",
  cluster: 7,
  exitCode: 0,
  ...changes,
});

export const events = (changes: Partial<JobEvents> = {}): JobEvents => ({ ...NO_EVENTS, executions: 1, ...changes });

export const attempt = (changes: Partial<Attempt> = {}): Attempt => ({
  ...NO_ATTEMPT,
  node: "proc_000000",
  unit: "mg_000000",
  role: "processing",
  cluster: 7,
  maxRetries: 3,
  dagReturn: 0,
  report: report({ cluster: changes.cluster ?? 7 }),
  ...changes,
});

/** A job whose report says `code`. */
export const ended = (code: number, changes: Partial<Attempt> = {}): Attempt =>
  attempt({
    dagReturn: code === 0 ? 0 : 1,
    report: report({ cluster: changes.cluster ?? 7, exitCode: code }),
    ...changes,
  });

/** Attempts of one node in order, each given what the one before was granted. DAGMan's retries never run out. */
export function story(
  attempts: readonly Attempt[],
  policy: Policy = builtinPolicy(),
): { decisions: Decision[]; records: AttemptRecord[] } {
  const decisions: Decision[] = [];
  const records: AttemptRecord[] = [];
  for (const [at, next] of attempts.entries()) {
    const last = decisions.at(-1);
    const cluster = next.cluster === null ? null : at + 1;
    const now: Attempt = {
      ...next,
      cluster,
      report: next.report && { ...next.report, cluster },
      dagRetry: next.maxRetries === 3 ? 0 : at,
      memoryMb: last?.memoryMb ?? next.memoryMb,
      wallMinutes: last?.wallMinutes ?? next.wallMinutes,
    };
    const decision = decideAttempt(now, { epoch: 0, records: [...records] }, policy, NOW);
    decisions.push(decision);
    records.push(attemptRecord(now, decision, NOW));
  }
  return { decisions, records };
}
