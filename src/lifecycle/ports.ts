import type { Clock } from "../base/clock.ts";
import type { Catalog } from "../catalogs/port.ts";
import type { DagPlan } from "../domain/plan.ts";
import type { RequestFile, RequestSpec } from "../domain/request.ts";
import type { AttemptLine } from "../domain/run.ts";
import type { Engine } from "../engine/port.ts";
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
  /** The attempts of one unit, oldest first; a torn last line is left out and counted. */
  attempts(submitDir: string, unit: string): Promise<{ lines: readonly AttemptLine[]; unreadable: number }>;
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
  readonly defaultMemoryPerCoreMb: number;
  readonly maxMemoryPerCoreMb: number;
  readonly maxRegistrationTries: number;
}
