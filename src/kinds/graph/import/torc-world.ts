import type { TorcParameters } from "./torc-parameters.ts";
import type { PatternSearch } from "./torc-patterns.ts";
import type { NamedTexts, Tables } from "./torc-tables.ts";
import type { Room } from "./torc-texts.ts";

/** What a spec says for all jobs, and what it says about them together. */
export interface TorcWorld extends Tables {
  readonly parameters: TorcParameters;
  /** Which job writes which user data. */
  readonly writers: NamedTexts;
  /** All jobs, written out. */
  jobNames(): readonly string[];
  readonly search: PatternSearch;
  readonly room: Room;
  /** Their name → ours. */
  readonly handlers: ReadonlyMap<string, string>;
  /** With variables, a name in braces that nobody knows is a mistake. */
  readonly isStrict: boolean;
}
