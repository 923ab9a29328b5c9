import type { DagId } from "../domain/names.ts";
import type { NodeView, Run, RunObservation } from "../domain/run.ts";

/**
 * What WMS2 needs of whatever runs its DAGs. Every call may throw WorldError("engine-unreachable"): the
 * world failed, nothing is known. Everything else is a value.
 */
export interface Engine {
  readonly name: "dagman" | "local";
  readonly capabilities: { readonly sites: boolean };

  /**
   * Hands workflow.dag to the engine. Must not be called while `find` cannot exclude a live run of the same
   * batch name. A rescue is the same call on the same directory: the engine skips what is done.
   */
  submit(run: Run): Promise<SubmitOutcome>;

  /** Is a run with this batch name in the engine? Three answers; "unknown" is never rounded. */
  find(run: Run): Promise<FindOutcome>;

  /** One look at all runs: one query of the queue, whatever their number. */
  observe(runs: readonly Run[]): Promise<ReadonlyMap<DagId, RunObservation>>;

  /** The nodes of one run, live, for people. */
  nodes(run: Run): Promise<readonly NodeView[]>;

  /** Asks for the removal of the whole tree; over when `find` says absent. */
  stop(run: Run): Promise<void>;
  hold(run: Run): Promise<void>;
  release(run: Run): Promise<void>;

  ping(): Promise<PingOutcome>;
  /** Which sites the engine can reach now, with what they offer. */
  sites(): Promise<readonly EngineSite[]>;
  close(): Promise<void>;
}

export type SubmitOutcome =
  | { readonly kind: "submitted"; readonly engineId: string }
  /** The engine said no, in its own words; asking again would change nothing. */
  | { readonly kind: "rejected"; readonly words: string };

export type FindOutcome =
  | { readonly kind: "found"; readonly engineId: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly why: string };

export interface PingOutcome {
  readonly ok: boolean;
  /** Version and address, or what failed. */
  readonly words: string;
  /** Limits that would bite, each with how to mend it (facts for `doctor`). */
  readonly warnings: readonly { readonly what: string; readonly mend: string }[];
}

export interface EngineSite {
  readonly name: string;
  readonly cores: number;
  readonly memoryMb: number;
}
