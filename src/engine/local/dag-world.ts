import type { EndWord } from "./bookkeeping-text.ts";
import type { DagLimits, DagOutcome } from "./dag-machine.ts";
import type { Jobs } from "./jobs.ts";
import type { Outbox } from "./outbox.ts";
import type { Tasks } from "./tasks.ts";
import type { Texts } from "./texts.ts";

/** What every DAG of an engine shares. */
export interface DagWorld {
  readonly tasks: Tasks;
  readonly jobs: Jobs;
  readonly outbox: Outbox;
  readonly texts: Texts;
  /** A number never given before: clusters, DAGs and scripts share them. */
  readonly nextId: () => number;
  readonly graceMs: number;
}

export interface DagPlace {
  readonly id: number;
  readonly parentId: string;
  readonly path: string;
  readonly cwd: string;
  readonly batchName: string;
  readonly priority: number;
  readonly limits: DagLimits | null;
  readonly paused: boolean;
}

/** An outcome in the words of the status file. */
export function endOf(outcome: DagOutcome): { exit: number; status: number; word: EndWord } {
  const words: Record<DagOutcome["status"], EndWord> = { 0: "success", 2: "failed", 3: "aborted", 4: "removed" };
  const word = outcome.status === 0 && outcome.exit !== 0 ? "halted" : words[outcome.status];
  return { exit: outcome.exit, status: outcome.status, word };
}
