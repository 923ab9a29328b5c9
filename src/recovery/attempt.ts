/** One execution of a node as it was observed, and the words in which failures are told. Types and word lists only. */

export { CAUSES, type Cause } from "../domain/cause.ts";

/** Not an execution of the node's work: these have a small budget of their own and never count in rrn. */
export const LOSSES: readonly string[] = ["evicted", "node_lost", "submit_failed"];

/**
 * transient: may go away by itself · infrastructure: the place is at fault · data: the input is · permanent: trying
 * again changes nothing, a person or a change is needed.
 */
export const CATEGORIES = ["transient", "infrastructure", "data", "permanent"] as const;
export type Category = (typeof CATEGORIES)[number];

export interface ReportStep {
  readonly name: string;
  readonly exitCode: number | null;
  /** What the process returned, and the signal that killed it. */
  readonly status: number | null;
  readonly signal: number | null;
}

/** report.json of the job. `truncated`: a file was there, but it is not whole. */
export interface Report {
  readonly state: "started" | "finished" | "truncated";
  readonly node: string | null;
  readonly cluster: number | null;
  readonly exitCode: number | null;
  readonly error: string | null;
  readonly site: string | null;
  readonly host: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly wallSec: number | null;
  readonly cpuSec: number | null;
  readonly peakMemoryMb: number | null;
  readonly eventsRead: number | null;
  readonly eventsWritten: number | null;
  readonly steps: readonly ReportStep[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** What the job's event log says of one cluster: the last of each kind; a hold that was released is no hold. */
export interface JobEvents {
  readonly site: string | null;
  readonly host: string | null;
  /** How often it began to execute. */
  readonly executions: number;
  readonly evictions: number;
  readonly terminated: { readonly code: number | null; readonly signal: number | null } | null;
  readonly held: { readonly code: number; readonly subcode: number; readonly reason: string } | null;
  /** Why it was taken out of the queue. */
  readonly aborted: string | null;
  /** The last word was that the worker is gone. */
  readonly lost: string | null;
  readonly peakMemoryMb: number | null;
}

export interface Attempt {
  readonly node: string;
  readonly unit: string | null;
  /** landing, processing, merge, cleanup, or a graph's own. Landing jobs write no report. */
  readonly role: string;
  /** null when nothing was submitted. */
  readonly cluster: number | null;
  readonly dagRetry: number;
  readonly maxRetries: number;
  /** DAGMan's $RETURN: 0…255, -signal, -1001 … -1004. */
  readonly dagReturn: number;
  readonly report: Report | null;
  readonly events: JobEvents | null;
  /** The end of the job's stderr; at most the last 64 kB are looked at. */
  readonly stderrTail: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly site: string | null;
  readonly host: string | null;
  /** Where the node may run at all; null: not known. */
  readonly sites: readonly string[] | null;
  readonly cores: number;
  readonly memoryMb: number | null;
  readonly peakMemoryMb: number | null;
  readonly wallMinutes: number | null;
  readonly wallSec: number | null;
  readonly inputs: readonly string[];
  /** Declared outputs POST looked for and did not find whole. */
  readonly missingOutputs: readonly string[];
}

export const siteOf = (attempt: Attempt): string | null =>
  attempt.site ?? attempt.events?.site ?? ownReport(attempt)?.site ?? null;
export const hostOf = (attempt: Attempt): string | null =>
  attempt.host ?? ownReport(attempt)?.host ?? attempt.events?.host ?? null;
export const peakMemoryOf = (attempt: Attempt): number | null =>
  attempt.peakMemoryMb ?? ownReport(attempt)?.peakMemoryMb ?? attempt.events?.peakMemoryMb ?? null;
export const wallSecOf = (attempt: Attempt): number | null => attempt.wallSec ?? ownReport(attempt)?.wallSec ?? null;
export const inputsOf = (attempt: Attempt): readonly string[] =>
  attempt.inputs.length > 0 ? attempt.inputs : (ownReport(attempt)?.inputs ?? []);

/** The report, if it is whole and of this very attempt. An engine that tells a job no cluster leaves null there. */
export function ownReport(attempt: Attempt): Report | null {
  const { report, node, cluster } = attempt;
  if (report === null || report.state === "truncated" || report.node !== node) return null;
  return report.cluster === null || report.cluster === cluster ? report : null;
}
