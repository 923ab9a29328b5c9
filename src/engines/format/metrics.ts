import { parseJson } from "../../core/base/json.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { RunVerdict } from "../../core/run.ts";

/** What DAGMan writes to <dag>.metrics when it ends (23.9.6). Overwritten by each run: check `dagmanId`. */
export type Metrics = Readonly<ReturnType<typeof metricsIn>>;

function metricsIn(fields: Readonly<Record<string, unknown>>, missing: string[]) {
  const number = (...names: string[]): number => {
    for (const name of names) {
      const value = fields[name];
      if (typeof value === "number" && Number.isFinite(value)) return value;
    }
    missing.push(names[0]!);
    return 0;
  };
  return {
    dagmanId: String(fields.dagman_id ?? ""),
    exitCode: number("exitcode"),
    dagStatus: number("DagStatus", "dag_status"), // newer manuals spell it dag_status
    startTime: number("start_time"),
    endTime: number("end_time"),
    /** The rescue file this run *used*; 0: none. */
    rescueUsed: typeof fields.rescue_dag_number === "number" ? fields.rescue_dag_number : 0,
    total: number("total_jobs"),
    succeeded: number("jobs_succeeded") + number("dag_jobs_succeeded"),
    failed: number("jobs_failed") + number("dag_jobs_failed"),
  };
}

export function parseMetrics(text: string): Result<Metrics, string> {
  const parsed = parseJson(text);
  if (!parsed.ok) return err(`metrics are no JSON: ${parsed.error}`);
  if (typeof parsed.value !== "object" || parsed.value === null) return err("metrics are no object");
  const missing: string[] = [];
  const metrics = metricsIn(parsed.value as Record<string, unknown>, missing);
  return missing.length === 0 ? ok(metrics) : err(`metrics without ${missing.join(", ")}`);
}

/** By the number of DagStatus. */
const DAG_STATUSES: readonly { readonly text: string; readonly verdict: RunVerdict }[] = [
  { text: "", verdict: "success" },
  { text: "the engine gave it up", verdict: "failed" },
  { text: "", verdict: "failed" },
  { text: "one of its jobs ended it", verdict: "aborted" },
  { text: "it was removed", verdict: "removed" },
  { text: "its jobs wait for each other in a circle", verdict: "unreadable" },
  { text: "it was halted", verdict: "halted" },
];

/**
 * Success needs all three: exit code 0 (a FINAL node can turn a failure into 0), DagStatus 0 (a halted DAG has
 * that too, with exit code 1) and every node succeeded (a removed DAG reports no failed node).
 */
export function verdictOf({ dagStatus, exitCode, succeeded, total }: Metrics): RunVerdict {
  if (dagStatus === 0 && exitCode !== 0) return "halted";
  // Exit code 0 with nodes left over: ABORT-DAG-ON … RETURN 0 (23.9.6), the only way to it.
  if (dagStatus === 0 && succeeded !== total) return "aborted";
  return DAG_STATUSES[dagStatus]?.verdict ?? "failed";
}

/** DAGMan ended for a reason of its own. */
export const isEngineError = ({ dagStatus }: Metrics): boolean => dagStatus === 1;

/** What the verdict and the counts do not say; "": nothing. Words for people, whatever the engine. */
export const describeMetrics = ({ dagStatus, exitCode }: Metrics): string =>
  DAG_STATUSES[dagStatus]?.text ?? `the engine ended it with status ${dagStatus} and exit code ${exitCode}`;
