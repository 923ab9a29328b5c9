import type { HoldReason } from "../../domain/request.ts";
import type { RunVerdict } from "../../domain/run.ts";
import type { Reelection, SiteFacts } from "./reelect.ts";
import type { Exclusion, FilesOfUnits } from "./settle.ts";
import type { RoundTally } from "./tally.ts";

/** What is known of a round when its run has ended. */
export interface RoundFacts extends SiteFacts {
  readonly verdict: RunVerdict;
  /** The engine's own words about the end. */
  readonly words: string;
  readonly unitsTotal: number;
  /** Units of this round that have a row in the store. */
  readonly unitsDone: number;
  /** Names of units that have a row; those of earlier rounds do no harm. */
  readonly finishedUnits: ReadonlySet<string>;
  /** As the engine says. */
  readonly failedUnits: readonly string[];
  readonly tally: RoundTally;
  /** Rescues because of failures, in this round, since the last release; stops do not count. */
  readonly rescuesUsed: number;
  readonly stopRequested: boolean;
  readonly policy: RoundPolicy;
  /** There is work beyond this round, attempted files included. */
  readonly workRemains: boolean;
  /** Files of the failed units; empty for generation. */
  readonly filesOf: FilesOfUnits;
  readonly directory: "complete" | "gone";
}

export interface RoundPolicy {
  /** Share of failed units at which a round is held; 0.2. */
  readonly holdThreshold: number;
  /** Failure-rescues of one round; 3. */
  readonly maxRescues: number;
}

export type RoundDecision =
  | { readonly kind: "complete"; readonly because: string }
  | { readonly kind: "next-round"; readonly because: string }
  | {
      readonly kind: "rescue";
      readonly reelectUnits: readonly Reelection[];
      /** Failed units a rescue cannot help: not to be run again by it. */
      readonly leaveOut: readonly string[];
      /** For every unit that has yet to land. */
      readonly avoidSites: readonly string[];
      readonly because: string;
    }
  | {
      readonly kind: "settle-files";
      readonly exclude: readonly Exclusion[];
      readonly attempted: readonly string[];
      readonly next: "next-round" | "complete";
      readonly because: string;
    }
  /** A person stopped it: it goes on from its rescue when resumed, and that rescue is not counted. */
  | { readonly kind: "stopped"; readonly because: string }
  | { readonly kind: "hold"; readonly hold: HoldReason; readonly because: string };
