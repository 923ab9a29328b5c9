import type { TransferLock } from "../../../core/products.ts";
import type { NodeId, NodeRow } from "../../../core/segments.ts";
import { blankRow, forceNode } from "../decide-node.ts";
import type { TransferArguments } from "./arguments.ts";
import { needsForce, type TransferState } from "./transfer.ts";

/** The history of one segment, as far as its transfer goes. */
export interface TransferFacts {
  readonly id: NodeId;
  readonly row: NodeRow | undefined;
  /** By its argument file; null: there is none. */
  readonly arguments: TransferArguments | null;
  readonly state: TransferState | null;
  readonly lock: TransferLock | null;
  /** Its history is there, complete. */
  readonly hasArrived: boolean;
}
interface TransferRetry {
  readonly action: "retry" | "leave";
  readonly reason: string;
  readonly removesLock: boolean;
  /** As it is then: to be tried at once. What failed before stays counted. */
  readonly row: NodeRow | null;
}

/** One more try, at once; beyond the limit only by force, and then it is held again should it fail. */
export function decideRetry(facts: TransferFacts, force: boolean, who: string, now: Date): TransferRetry {
  const { row, state, lock } = facts;
  const leave = (reason: string): TransferRetry => ({ action: "leave", reason, removesLock: false, row: null });
  if (row?.state === "submitted") return leave("a transfer of it runs now");
  if (facts.hasArrived || state?.kind === "done") return leave("it is done");
  if (state?.kind === "unreadable") return leave(state.reason);
  if (lock && lock.kind !== "stale") return leave(lock.reason);
  const held = row?.state === "held" ? (row.reason ?? "it is held") : state && needsForce(state) ? state.reason : null;
  if (held !== null && !force) return leave(`${held}; --force tries once more`);
  const stale = lock ? `its lock is stale (${lock.reason}) and goes; ` : "";
  return {
    action: "retry",
    reason: `${stale}${held === null ? "tried now" : `once more, although ${held}`}`,
    removesLock: lock !== null,
    row: forceNode(begun(facts, now), who, now),
  };
}

/** What is used up in frepp is held here, until somebody forces it. */
export function heldTransfer(facts: Omit<TransferFacts, "hasArrived">, now: Date): NodeRow | null {
  const { row, state } = facts;
  if (!state || !needsForce(state) || (row && row.state !== "missing")) return null;
  return { ...begun(facts, now), state: "held", reason: state.reason };
}

/** The row, or a first one; failures are counted once, by whoever has seen more of them. */
function begun({ id, row: known, arguments: read }: Omit<TransferFacts, "hasArrived">, now: Date): NodeRow {
  const row = known ?? blankRow(id, now);
  return { ...row, transfers: Math.max(row.transfers, read?.transfers.failed ?? 0), changedAt: now };
}
