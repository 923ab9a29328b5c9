import { type DagStatus, isDagOver } from "../../../core/dag.ts";
import type { RequestRecord } from "../../../core/request.ts";
import { isTerminal } from "../../../core/request-status.ts";

/** How long submit directories of finished requests live. */
export interface KeepPolicy {
  /** Until only what explains failures is kept. */
  readonly compactAfterHours: number;
  /** Until nothing is; 0: never. */
  readonly removeAfterDays: number;
}

export interface DirectoryFacts {
  readonly request: Pick<RequestRecord, "status" | "statusSince">;
  /** Other versions of the request (before, after) that are not over. */
  readonly openVersions: readonly string[];
  /** Every run that used the directory: the first one and its rescues; null: the store knows none. */
  readonly dags: readonly { readonly id: string; readonly status: DagStatus; readonly engine: string }[] | null;
  readonly isCompacted: boolean;
  /** What the engine says of those runs; null: it was not asked. */
  readonly inEngine: "absent" | "found" | "unknown" | null;
  /** The engine that can be asked. */
  readonly engine: string;
}

export type DirectoryDecision =
  /** `until`: when time alone will change this; null: something else must happen first. */
  | { readonly kind: "leave"; readonly reason: string; readonly until: Date | null }
  /** Due, once the engine has said that it has nothing of it. */
  | { readonly kind: "ask-engine" }
  | { readonly kind: "compact"; readonly reason: string }
  | { readonly kind: "remove"; readonly reason: string };

const HOUR_MS = 3_600_000;

/** Pure: what may become of a submit directory now. In doubt it stays. */
export function decideDirectory(facts: DirectoryFacts, policy: KeepPolicy, now: Date): DirectoryDecision {
  const { request, openVersions, dags, isCompacted, inEngine, engine } = facts;
  const leave = (reason: string, until: Date | null = null) => ({ kind: "leave" as const, reason, until });
  if (!isTerminal(request.status)) return leave(`its request is ${request.status}`);
  if (dags === null) return leave("the database does not know its DAG");
  const { compactAt, removeAt } = dueTimes(request.statusSince, policy);
  const wanted = removeAt && now >= removeAt ? "remove" : !isCompacted && now >= compactAt ? "compact" : null;
  if (wanted === null)
    return leave(
      isCompacted ? "compacted" : "finished not long ago",
      isCompacted ? removeAt : earlier(compactAt, removeAt),
    );
  if (openVersions.length > 0) return leave(`another version of the request is open: ${openVersions.join(", ")}`);
  const running = dags.find(({ status }) => !isDagOver(status));
  if (running) return leave(`its run ${running.id} is ${running.status}`);
  const elsewhere = dags.find((dag) => dag.engine !== engine);
  if (elsewhere) return leave(`it was run by the ${elsewhere.engine} engine, which cannot be asked`);
  if (inEngine === null) return { kind: "ask-engine" };
  if (inEngine !== "absent")
    return leave(inEngine === "found" ? "the engine still has a run of it" : "the engine cannot tell whether it runs");
  return { kind: wanted, reason: `${request.status} since ${request.statusSince.toISOString()}` };
}

export function dueTimes(finishedAt: Date, policy: KeepPolicy): { compactAt: Date; removeAt: Date | null } {
  const after = (hours: number) => new Date(finishedAt.getTime() + hours * HOUR_MS);
  return {
    compactAt: after(policy.compactAfterHours),
    removeAt: policy.removeAfterDays === 0 ? null : after(policy.removeAfterDays * 24),
  };
}

const earlier = (a: Date, b: Date | null): Date => (b !== null && b < a ? b : a);
