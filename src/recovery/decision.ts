import { CODES } from "../submit-dir/codes.ts";
import type { Category, Cause } from "./attempt.ts";
import type { AttemptRecord } from "./ledger-record.ts";
import type { Failure } from "./outcome.ts";

/** Why it was decided so, as a stable word for programs; `reason` says it to people. */
export type Why =
  | "succeeded"
  | "row-retries"
  | "row-stops"
  | "row-aborts"
  | "bad-file"
  | "unclassified"
  | "run-retries" // DAGMan's RETRY is used up; a rescue may go on
  | "rule-retries" // the row's max_retries of this epoch are used up
  | "executions" // the ceiling of executions of this epoch is reached
  | "losses" // evicted, lost or not submitted too often
  | "memory-cap"
  | "wall-cap"
  | "site" // to be tried at another site: the unit is to be moved as a whole
  | "no-policy" // the request's policy cannot be read, so nothing is risked
  | "group-alike"; // several nodes of the group failed alike, for good

export interface Decision {
  readonly decision: "succeed" | "retry" | "stop" | "unclassified" | "abort";
  readonly why: Why;
  /** null when it succeeded. */
  readonly category: Category | null;
  /** Nothing more happens to this node in this run. */
  readonly final: boolean;
  readonly cause: Cause | null;
  readonly exitCode: number;
  readonly shortCode: number | null;
  readonly signal: number | null;
  readonly decodedFrom: Failure["decodedFrom"] | null;
  /** The row that decided, and where it is written. */
  readonly row: { readonly id: string; readonly source: string } | null;
  readonly delaySec: number;
  /** The next execution must not begin before; null: at once. */
  readonly notBefore: string | null;
  /** What the next execution asks for, whoever starts it: the retry, or a rescue after a stop. */
  readonly memoryMb: number | null;
  readonly wallMinutes: number | null;
  /** The failure speaks for another site. */
  readonly changeSite: boolean;
  readonly avoidSites: readonly string[];
  readonly avoidHosts: readonly string[];
  readonly badFiles: readonly string[];
  readonly suspectFiles: readonly string[];
  readonly recoveryScript: string | null;
  readonly rrn: number;
  readonly epoch: number;
  /** Budgets after this decision; rule is null where the row has no limit of its own. */
  readonly left: {
    readonly run: number;
    readonly executions: number;
    readonly rule: number | null;
    readonly losses: number;
  };
  readonly reason: string;
}

/** After these ends a rescue may run the node again; after any other it waits for a person, and PRE refuses it. */
export const mayBeRescued = ({ decision, why }: Pick<AttemptRecord, "decision" | "why">): boolean =>
  decision === "retry" || why === null || why === "run-retries" || why === "site";

/** What POST tells DAGMan. */
export const CONTROL_CODES = {
  succeed: CODES.done,
  retry: CODES.retry,
  stop: CODES.stop,
  unclassified: CODES.stop,
  abort: CODES.abort,
} as const;
export const controlCode = (decision: Decision): number => CONTROL_CODES[decision.decision];

/** What is known of the other nodes of a group, counted as verdicts come in; nobody reads all their files. */
export interface GroupSummary {
  /** Nodes that stopped for a permanent reason, by `likeness` of the failure; the present node is not among them. */
  readonly alike: Readonly<Record<string, number>>;
  readonly succeeded: number;
}

/** Failures are alike when the same row saw the same code. */
export const likeness = (row: string | null, exitCode: number): string => `${row ?? "-"}:${exitCode}`;

/**
 * A stop becomes an abort of the group when enough nodes failed alike for a permanent reason and more of them than
 * succeeded: the others would only burn time to fail in the same way.
 */
export function decideGroup(decision: Decision, group: GroupSummary, abortAfterAlike: number): Decision {
  if (decision.decision !== "stop" || decision.category !== "permanent" || abortAfterAlike <= 0) return decision;
  const key = likeness(decision.row?.id ?? null, decision.exitCode);
  const before = Object.hasOwn(group.alike, key) ? Number(group.alike[key]) || 0 : 0;
  const alike = before + 1;
  if (alike < abortAfterAlike || alike <= group.succeeded) return decision;
  return {
    ...decision,
    decision: "abort",
    why: "group-alike",
    reason: `${decision.reason}; ${alike} nodes of this group failed in the same way, so the group is ended early`,
  };
}
