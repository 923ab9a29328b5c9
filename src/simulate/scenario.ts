import type { RunVerdict } from "../domain/run.ts";
import type { InputFile } from "../domain/workflow.ts";
import type { Cause } from "../recovery/attempt.ts";

/** A story for `wms2 simulate`: what is asked for, how the world behaves, and what should come of it. */
export interface Scenario {
  readonly about: string;
  readonly seed: number;
  /** The story is cut off here, whatever still goes on. */
  readonly untilSec: number;
  /** Settings of the server, as `wms2 config` names them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The installation's policy document; null: the built-in table alone. */
  readonly policy: Readonly<Record<string, unknown>> | null;
  readonly requests: readonly ScenarioRequest[];
  readonly sites: readonly ScenarioSite[];
  readonly datasets: ReadonlyMap<string, readonly InputFile[]>;
  readonly durations: Durations;
  readonly outcomes: readonly OutcomeRule[];
  readonly events: readonly ScenarioEvent[];
  readonly expect: readonly Expectation[];
}

export interface ScenarioRequest {
  readonly atSec: number;
  readonly document: unknown;
}

export interface ScenarioSite {
  readonly name: string;
  readonly cores: number;
  /** 2: jobs take half as long. */
  readonly speed: number;
}

/** How long a job of each role takes, and by which share that varies. */
export interface Durations {
  readonly landing: Duration;
  readonly processing: Duration;
  readonly merge: Duration;
  readonly cleanup: Duration;
  /** From asking for a removal until nothing of the run is left. */
  readonly removalSec: number;
}
export interface Duration {
  readonly sec: number;
  readonly spread: number;
}

/** Of all rules, the first whose conditions all hold decides how an attempt ends; none: it succeeds. */
export interface OutcomeRule {
  readonly index: number;
  readonly match: {
    readonly request: RegExp | null;
    readonly sites: RegExp | null;
    readonly unit: RegExp | null;
    readonly node: RegExp | null;
    readonly roles: readonly string[];
    readonly file: RegExp | null;
    /** Which execution of the node in its epoch, losses included; kept across rescues. */
    readonly attempt: NumberTest | null;
    readonly epoch: NumberTest | null;
    readonly fromSec: number;
    readonly untilSec: number;
    readonly probability: number;
    /** Only while the attempt asks for less. */
    readonly memoryBelowMb: number | null;
    /** At most so many attempts, in the order in which they begin. */
    readonly times: number;
  };
  readonly result: OutcomeResult;
  /** null: as long as a good one takes. */
  readonly afterSec: number | null;
  readonly peakMemoryMb: number | null;
  readonly stderr: string | null;
}

export type OutcomeResult =
  | { readonly kind: "succeed" }
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: number }
  | { readonly kind: "cause"; readonly cause: Exclude<Cause, "exit" | "signal"> };

/** "3", ">2", "<5", "1-2": a set of whole numbers as people write it. */
export interface NumberTest {
  readonly text: string;
  readonly min: number;
  readonly max: number;
}

export const OPERATOR_DEEDS = [
  "stop",
  "resume",
  "hold",
  "release",
  "rescue",
  "resubmit",
  "fail",
  "restart",
  "abort",
] as const;
export type OperatorDeed = (typeof OPERATOR_DEEDS)[number];

export type Deed =
  | {
      readonly kind: "operator";
      readonly action: OperatorDeed;
      /** null: the only request. */
      readonly request: string | null;
      readonly reason: string;
      readonly body: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "site"; readonly action: "drain" | "enable" | "disable"; readonly site: string }
  | { readonly kind: "ban"; readonly site: string; readonly forSec: number; readonly reason: string }
  | { readonly kind: "unban"; readonly site: string }
  | { readonly kind: "site-down"; readonly site: string }
  | { readonly kind: "site-up"; readonly site: string }
  | {
      readonly kind: "kill-server";
      readonly downSec: number;
      /** Dies inside this call of a port ("engine.submit"), or after so many calls; null: between two passes. */
      readonly during: string | null;
      readonly when: "before" | "after";
      readonly afterCalls: number | null;
    }
  | { readonly kind: "engine-down"; readonly forSec: number | null }
  | { readonly kind: "engine-up" }
  | { readonly kind: "lose-answer" }
  | { readonly kind: "refuse-submits"; readonly words: string | null }
  | { readonly kind: "end-run"; readonly request: string | null; readonly verdict: RunVerdict }
  | { readonly kind: "hold-run"; readonly request: string | null }
  | { readonly kind: "release-run"; readonly request: string | null }
  | { readonly kind: "corrupt-rescue"; readonly request: string | null; readonly unit: string | null }
  | { readonly kind: "delete-directory"; readonly request: string | null };

export interface ScenarioEvent {
  readonly atSec: number;
  readonly deed: Deed;
}

export interface Expectation {
  /** null: when the story is over. */
  readonly atSec: number | null;
  readonly request: string | null;
  readonly status: readonly string[] | null;
  /** Code of the hold. */
  readonly hold: string | null;
  /** By name of a number: see FACT_NAMES. */
  readonly numbers: Readonly<Record<string, NumberTest>>;
  /** Kinds of decisions that must come in this order, others between them. */
  readonly decisions: readonly string[];
  /** Kinds that must not come at all. */
  readonly never: readonly string[];
  /** Pieces of the timeline that must come in this order. */
  readonly timeline: readonly string[];
}

/** Numbers an expectation can speak of, and what they count. */
export const FACT_NAMES = {
  units_done: "finished units over all rounds",
  units_failed: "failed units of the present run",
  units_registered: "units in the catalog",
  events_done: "events of finished units",
  rounds: "rounds begun",
  runs: "submissions to the engine, rescues included",
  rescues: "runs that continue another",
  failure_rescues: "those of them that answer failures; stops and people's rescues do not count",
  attempts: "executions of nodes",
  failed_attempts: "executions that failed",
  retries: "failed executions that were tried again in the same run",
  most_memory_mb: "the most memory any attempt asked for",
  files_excluded: "input files set aside",
  bans: "site bans in force, for the request or for all",
} as const;
