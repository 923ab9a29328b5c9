import type { Problem } from "../domain/problem.ts";
import type { Store } from "../store/port.ts";
import type { Checked } from "./check.ts";
import type { RequestFacts } from "./facts.ts";
import type { Entry } from "./timeline.ts";
import type { AttemptTally } from "./watch-engine.ts";

export interface StoryEnd {
  readonly facts: readonly RequestFacts[];
  readonly tallies: ReadonlyMap<string, AttemptTally>;
  readonly checked: readonly Checked[];
  readonly lawsBroken: readonly string[];
  /** A request the real intake refused: the story is not about that. */
  readonly refused: readonly Problem[];
  readonly virtualSec: number;
  readonly passes: number;
  readonly servers: number;
  readonly entries: readonly Entry[];
}

export interface StoryOptions {
  readonly dir: string;
  readonly seed: number;
  readonly tell: (entry: Entry) => void;
  /** An empty store; absent: a new one in memory. */
  readonly store?: Store;
}
