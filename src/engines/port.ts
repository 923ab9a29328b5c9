import type { DagId, UnitName } from "../core/names.ts";
import type { NodeView, Run, RunObservation } from "../core/run.ts";

/**
 * What WMS2 needs of whatever runs its DAGs. Every call may throw WorldError("engine-unreachable"): the
 * world failed, nothing is known. Everything else is a value.
 */
export interface Engine {
  readonly name: "dagman" | "local";
  /** Which one it is, as requests remember it: of local engines, every data directory has its own. */
  readonly id: string;
  readonly capabilities: { readonly sites: boolean };

  /**
   * Hands workflow.dag to the engine, at most once: it looks first, and a run that is or was there is adopted. Tickets
   * count up; of two callers the one with the newer ticket goes on, and the other one can no more, however late its
   * call gets there. A rescue is the same call on the same directory: the engine skips what is done.
   */
  submit(run: Run, ticket: number): Promise<SubmitOutcome>;

  /**
   * Is a run with this batch name in the engine? Three answers; "unknown" is never rounded. With a ticket, "absent"
   * stays true: submissions with an older one are fenced off before the look.
   */
  find(run: Run, ticket?: number): Promise<FindOutcome>;

  /** One look at all runs: one query of the queue, whatever their number. */
  observe(runs: readonly Run[]): Promise<ReadonlyMap<DagId, RunObservation>>;

  /** The nodes of one run, or of one unit of it, live, for people. */
  nodes(run: Run, unit?: UnitName): Promise<readonly NodeView[]>;

  /** Asks for the removal of the whole tree; over when `find` says absent. */
  stop(run: Run): Promise<void>;
  hold(run: Run): Promise<void>;
  release(run: Run): Promise<void>;

  /** Calls back when a run may be over, so that nobody has to look often. A hint: it may come late, or never. */
  onEnd(tell: () => void): void;

  ping(): Promise<PingOutcome>;
  /** Which sites the engine can reach now, with what they offer. */
  sites(): Promise<readonly EngineSite[]>;
  close(): Promise<void>;
}

export type SubmitOutcome =
  /** `adopted`: by this call, or by an earlier one whose answer was lost. */
  | { readonly kind: "submitted"; readonly engineId: string; readonly adopted: boolean }
  /** Nothing was done: it cannot be told whether it is there, or somebody else is at it. */
  | { readonly kind: "unclear"; readonly why: string }
  /** The engine said no, in its own words; asking again would change nothing. */
  | { readonly kind: "rejected"; readonly text: string };

export type FindOutcome =
  | { readonly kind: "found"; readonly engineId: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly why: string };

export interface PingOutcome {
  readonly ok: boolean;
  /** Version and address, or what failed. */
  readonly text: string;
  /** Limits that would bite, each with how to fix it; `doctor` shows them. */
  readonly warnings: readonly { readonly what: string; readonly fix: string }[];
}

export interface EngineSite {
  readonly name: string;
  readonly cores: number;
  readonly memoryMb: number;
  /** Left out: nobody knows. */
  readonly gpus?: number;
  /** Of a worker: what no job has now; absent: nobody said. */
  readonly free?: { readonly cores: number; readonly memoryMb: number };
}
