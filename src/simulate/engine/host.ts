import type { Attempt } from "../../recovery/attempt.ts";
import type { Decision } from "../../recovery/decision.ts";
import type { Policy } from "../../recovery/policy.ts";
import type { VirtualTime } from "../virtual-time.ts";
import type { Beginning, Outcomes } from "./outcome.ts";
import type { SitePool } from "./site-pool.ts";
import type { Asks, Manifest } from "./submit-dir.ts";

/** What units and runs share: the time, the sites, how things end, and who listens. */
export interface Host {
  readonly time: VirtualTime;
  readonly sites: SitePool;
  readonly outcomes: Outcomes;
  nextCluster(): number;
  began(begun: Beginning): void;
  judged(begun: Beginning, attempt: Attempt, decision: Decision): void;
  /** A unit's outputs were made: from here on its work must never be done again. */
  merged(request: string, unit: string, manifest: Manifest): void;
}

/** What a unit knows of its run. */
export interface RunFacts {
  readonly request: string;
  readonly submitDir: string;
  readonly policy: Policy;
  /** By submit file, as it is written when the run begins. */
  asksOf(submitFile: string): Asks;
  count(state: string, change: number): void;
  /** Now, or when DAGMan is no longer on hold. */
  whenFree(act: () => void): void;
}
