import type { Clock } from "../base/clock.ts";
import type { Catalog } from "../catalogs/port.ts";
import type { NodeChanges } from "../domain/operator.ts";
import type { DagPlan } from "../domain/plan.ts";
import type { RequestFile, RequestSpec } from "../domain/request.ts";
import type { Engine } from "../engine/port.ts";
import type { BanConfig } from "../recovery/bans/ban.ts";
import type { Ledger } from "../recovery/ledger-record.ts";
import type { PlannedRange } from "../recovery/round/credit.ts";
import type { Store } from "../store/port.ts";

/** Everything the lifecycle touches. Only main.ts knows who stands behind them. */
export interface Ports {
  readonly store: Store;
  readonly engine: Engine;
  readonly catalog: Catalog;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly ids: { next(): string };
  readonly log: Log;
  readonly metrics: PassMetrics;
  readonly events: {
    emit(type: "request.moved" | "dag.progress" | "loop.pass", detail: Record<string, unknown>): void;
  };
}

/** What the lifecycle works with: its ports, and the limits it keeps to. */
export interface Work extends Ports {
  readonly policy: LoopPolicy;
}

/** The submit directories: written whole, read piece by piece. Throws WorldError("disk-unwritable"). */
export interface Spool {
  submitDir(plan: Pick<DagPlan, "requestName" | "round" | "dagId">): string;
  /** Renders and writes under a temporary name, then renames: a directory with its final name is complete. */
  write(plan: DagPlan, spec: RequestSpec, files: readonly RequestFile[]): Promise<void>;
  isComplete(submitDir: string): Promise<boolean>;
  /** Removes a directory that was never submitted, and what was left of its writing. */
  discard(submitDir: string, dagId: string): Promise<void>;
  /** Text of mg_N/merge_output.json; null when there is none. */
  mergeOutput(submitDir: string, unit: string): Promise<string | null>;
  /** The ledger of one unit, oldest line first, with what could not be read. */
  ledger(submitDir: string, unit: string): Promise<Ledger>;
  /** Its text, for a reader that needs only half of it; "" when there is none. */
  ledgerText(submitDir: string, unit: string): Promise<string>;
  unitNames(submitDir: string): Promise<readonly string[]>;
  /** Block and event ranges of a unit, as its manifest says. */
  planned(submitDir: string, unit: string): Promise<{ block: number; ranges: readonly PlannedRange[] }>;
  /** The unit lands anew, elsewhere, as a whole. Repeatable. */
  reelect(
    submitDir: string,
    unit: string,
    avoidSites: readonly string[],
    only?: readonly string[] | null,
  ): Promise<void>;
  /** What nodes ask for from their next submission on; null: all of the unit. Repeatable. */
  adjust(
    submitDir: string,
    unit: string,
    nodes: readonly string[] | null,
    changesOf: (node: string) => NodeChanges,
  ): Promise<void>;
  /** Nodes that had stopped for good may run again; null: all of the unit. Repeatable. */
  letRun(submitDir: string, unit: string, nodes: readonly string[] | null): Promise<void>;
  /** Gives nodes a fresh budget and keeps their history. Once per epoch. */
  openEpoch(submitDir: string, unit: string, epoch: NewEpoch): Promise<void>;
  /** The end of the newest log of a node; "" when there is none. */
  logTail(submitDir: string, unit: string, node: string): Promise<string>;
  /** Why the engine could not go on from the rescue files there; null: they are sound, or there are none. */
  rescueTrouble(submitDir: string): Promise<string | null>;
  /** Leaves a file beside the submit directories of a request and answers its path. */
  leaveNote(requestName: string, file: string, text: string): Promise<string>;
}

export interface NewEpoch {
  readonly epoch: number;
  readonly nodes: readonly string[] | null;
  readonly by: string;
  readonly reason: string;
  readonly at: string;
}

export interface Log {
  info(event: string, detail: Record<string, unknown>): void;
  warn(event: string, detail: Record<string, unknown>): void;
  error(event: string, detail: Record<string, unknown>): void;
}

export interface PassMetrics {
  observePass(seconds: number): void;
  countDecision(kind: string): void;
  observeEngineCall(call: string, seconds: number): void;
}

/** Limits of the loop, from the configuration. */
export interface LoopPolicy {
  readonly concurrency: number;
  readonly intervalSec: number;
  readonly leaseSec: number;
  readonly resubmitGraceSec: number;
  readonly maxErrors: number;
  readonly roundZeroUnits: number;
  readonly probeJobs?: number;
  readonly defaultMemoryPerCoreMb: number;
  readonly maxMemoryPerCoreMb: number;
  readonly maxWallMinutes: number;
  readonly maxRegistrationTries: number;
  readonly bans: BanConfig;
  /** Highest processing version a restart may reach. */
  readonly versionLimit: number;
}
