import type { JobState } from "../../core/job-state.ts";
import type { RequestName } from "../../core/names.ts";
import type { AttemptRecord } from "../../recovery/ledger-record.ts";
import type { NodeAsks } from "../../submit-dir/plan-file.ts";

export interface ResultCommands {
  /** What became of every job of the present round, whole units a page. */
  results(name: RequestName, filter: ResultFilter): Promise<ResultPage | null>;
}

export interface ResultFilter {
  /** Those that failed, and those that cannot run because of them. */
  readonly onlyFailed: boolean;
  /** Only in these states; all when left out. */
  readonly states?: readonly JobState[];
  /** Only with this in their names, whatever the case. */
  readonly text?: string;
  /** A page ends with the unit that reaches this number. */
  readonly limit: number;
  /** The unit that comes next. */
  readonly cursor?: string;
}

export interface ResultRow {
  readonly unit: string;
  readonly node: string;
  /** What the person called a job of a graph. */
  readonly job: string | null;
  readonly state: JobState;
  readonly attempts: number;
  /** As it was planned, or changed since; null: its files do not say. */
  readonly asked: NodeAsks | null;
  /** null: none has ended yet. */
  readonly last: AttemptRecord | null;
}
export interface ResultPage {
  /** null: there is no run (yet). */
  readonly round: number | null;
  /** Jobs that an earlier version did: they have no row. */
  readonly credited: number;
  /** The engine was asked who runs. */
  readonly isLive: boolean;
  /** Its submit directory was removed. */
  readonly isGone: boolean;
  readonly items: readonly ResultRow[];
  readonly nextCursor: string | null;
}
