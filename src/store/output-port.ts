import type { RequestName, UnitName, WorkflowId } from "../core/names.ts";
import type {
  BlockError,
  OutputBlock,
  OutputBlockFacts,
  OutputBlockStatus,
  OutputSummary,
  OutputsEnd,
  UnitFiles,
  UnitOutputState,
} from "../core/output-block.ts";
import type { Page, PageWanted } from "./page.ts";

/**
 * The ledger of what is owed to the catalog (see port.ts). Blocks come into being with the units that are recorded. What
 * was done outside is a fact and is noted whatever became of the block meanwhile; moves of its status are
 * compare-and-set.
 */
export interface OutputSums {
  readonly blocks: number;
  readonly files: number;
  readonly bytes: number;
  readonly byStatus: Readonly<Partial<Record<OutputBlockStatus, number>>>;
  /** Since when the oldest owes something to the catalog; null: none does. */
  readonly owedSince: Date | null;
}

export interface OutputBlockStore {
  /** Blocks with something to do now, those that waited longest first. */
  due(now: Date, limit: number): Promise<readonly OutputBlockFacts[]>;
  get(name: string): Promise<OutputBlockFacts | null>;
  /** The blocks of the same workflow and dataset that take units, this one among them. */
  unsealed(block: OutputBlock): Promise<readonly OutputBlockFacts[]>;
  /** By request, newest first, then by block. Those that were merged only where they are asked for. */
  list(page: PageWanted & { requestName?: RequestName; status?: OutputBlockStatus }): Promise<Page<OutputBlockFacts>>;
  /** Over all blocks there are, or all of a request. */
  sums(requestName?: RequestName): Promise<OutputSums>;
  summaries(workflowIds: readonly WorkflowId[]): Promise<ReadonlyMap<WorkflowId, OutputSummary>>;
  /** Its units in that state with their files, those that were refused least often first. */
  units(block: OutputBlock, state: UnitOutputState, limit: number): Promise<readonly UnitFiles[]>;
  /** The intent: whatever comes of the step, it may have been taken from here on. */
  begin(name: string, step: string, at: Date): Promise<void>;
  /**
   * What came of a step. `taken` null: it was not taken, `failed` says why. `failed` null: all is well again;
   * as-before: what was wrong with other units still is.
   */
  note(block: OutputBlock, taken: StepTaken | null, failed: StepFailed | "as-before" | null, at: Date): Promise<void>;
  /**
   * All units of the workflow are there: those of the blocks `from` go `into` that one, which is firm, with what they still
   * owe to it. All or nothing; false: one of the blocks has moved since.
   */
  settle(block: OutputBlock, merge: { into: string; from: readonly string[] }, at: Date): Promise<boolean>;
  /** No unit is added any more; false: one was added since, or may still come. */
  seal(block: OutputBlock, at: Date): Promise<boolean>;
  /** open → done, and processing blocks all of whose units are through become `end` with it; open → failed; … */
  end(block: OutputBlock, status: "done" | "failed" | "withdrawn", end: OutputsEnd, at: Date): Promise<boolean>;
  /** All blocks of a workflow are to be withdrawn, whatever became of them. Answers how many were not yet. */
  withdraw(workflowId: WorkflowId, at: Date): Promise<number>;
  /** What failed or waits to be tried again is tried now. Answers which blocks. */
  retry(which: { workflowId: WorkflowId } | { name: string }, at: Date): Promise<readonly string[]>;
}

export interface StepTaken {
  readonly step: string;
  readonly receipt: string | null;
  /** Those units of it that it was taken for, and what they are now. */
  readonly units: readonly UnitName[];
  readonly state: UnitOutputState | null;
}

export interface StepFailed {
  readonly error: BlockError;
  /** It was refused, and counts as such; otherwise nobody answered. */
  readonly isRefused: boolean;
  readonly units: readonly UnitName[];
  readonly nextTryAt: Date;
}
