import type { WorkflowId } from "../core/names.ts";
import type { PendingFill } from "../core/products.ts";
import type { NodeId, NodeRow, NodeState } from "../core/segments.ts";

/** Products of model runs: rows of those that something happened to (docs/adr/0019-segments.md). */
export interface SegmentNodeStore {
  /** All of a workflow, some at a time, by id. `state`: only those; `after`: that come after it. */
  rows(workflowId: WorkflowId, state?: NodeState, after?: NodeId): AsyncIterable<readonly NodeRow[]>;
  /** Of these, those that have a row. */
  getMany(workflowId: WorkflowId, ids: readonly NodeId[]): Promise<ReadonlyMap<NodeId, NodeRow>>;
  countByState(workflowId: WorkflowId): Promise<Readonly<Partial<Record<NodeState, number>>>>;
  /**
   * Writes rows, each only if its `version` is still the one that stands (0: there is none yet); it is one higher then.
   * Answers those that had moved on, and were left as they are.
   */
  write(workflowId: WorkflowId, rows: readonly NodeRow[]): Promise<ReadonlySet<NodeId>>;

  pendingFill(workflowId: WorkflowId): Promise<PendingFill | null>;
  /** The one that stands: the first that was asked for and is not carried out yet. */
  askFill(workflowId: WorkflowId, fill: PendingFill): Promise<PendingFill>;
  /** It is carried out, or there was nothing to do. One that was asked for since stays. */
  endFill(workflowId: WorkflowId, fill: PendingFill): Promise<void>;
}
