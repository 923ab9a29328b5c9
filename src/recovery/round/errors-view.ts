import type { Example } from "./counts.ts";
import type { FileCount } from "./file-counts.ts";
import { codeName, meaningOf } from "./meaning.ts";
import type { SiteCount } from "./site-counts.ts";
import { type Suggestion, type SuggestionFacts, suggestAction } from "./suggest.ts";
import type { RoundTally } from "./tally.ts";

/** The errors of a round as a person reads them: what failed first and most, where, on what, and what to do. */
export interface ErrorsView {
  readonly unitsTotal: number;
  readonly unitsDone: number;
  readonly unitsFailed: number;
  readonly nodesFailed: number;
  /** Failed at least once, and got through. */
  readonly nodesRecovered: number;
  readonly unreadableLines: number;
  readonly first: Example | null;
  readonly categories: readonly { readonly category: string; readonly failures: number; readonly units: number }[];
  readonly causes: readonly { readonly cause: string; readonly failures: number }[];
  readonly codes: readonly CodeView[];
  readonly sites: readonly SiteCount[];
  readonly hosts: readonly { readonly host: string; readonly failures: number }[];
  readonly files: readonly FileCount[];
  /** How many kinds of each there are beyond those listed. */
  readonly more: { readonly codes: number; readonly sites: number; readonly hosts: number; readonly files: number };
  readonly suggestion: Suggestion;
}

export interface CodeView {
  readonly exitCode: number;
  readonly name: string;
  readonly cause: string | null;
  readonly category: string;
  readonly rule: string | null;
  readonly meaning: string | null;
  readonly failures: number;
  readonly units: number;
  readonly example: Example;
  /** The end of that node's log; null: not read, or there is none. */
  readonly logTail: string | null;
}

export interface ViewFacts extends SuggestionFacts {
  readonly unitsTotal: number;
  readonly unitsDone: number;
  /** Log tails by "unit/node", as `tailsWanted` asks for them. */
  readonly tails: ReadonlyMap<string, string>;
}

const MOST_CODES = 8;
const MOST_SITES = 8;
const MOST_HOSTS = 5;
const MOST_FILES = 8;
const TAILS = 3;
const TAIL_CHARACTERS = 8_000;

/** Whose logs the view will show: one node for each of the most frequent failures. */
export const tailsWanted = (tally: RoundTally): readonly Example[] =>
  tally.codes.slice(0, TAILS).map(({ first }) => first);

export const tailKey = ({ unit, node }: { unit: string; node: string }): string => `${unit}/${node}`;

export function errorsView(tally: RoundTally, facts: ViewFacts): ErrorsView {
  const failingSites = tally.sites.filter(({ failed, blamed }) => failed > 0 || blamed > 0);
  const codes = tally.codes
    .slice(0, MOST_CODES)
    .map(
      ({ exitCode, cause, category, rule, failures, units, first }): CodeView => ({
        exitCode,
        name: codeName(exitCode, cause),
        cause,
        category,
        rule,
        meaning: meaningOf(exitCode, rule, cause),
        failures,
        units,
        example: first,
        logTail: facts.tails.get(tailKey(first))?.slice(-TAIL_CHARACTERS) ?? null,
      }),
    );
  return {
    unitsTotal: facts.unitsTotal,
    unitsDone: facts.unitsDone,
    unitsFailed: tally.failedUnits.length,
    nodesFailed: tally.nodes.failed,
    nodesRecovered: tally.nodes.recovered,
    unreadableLines: tally.unreadable,
    first: tally.first,
    categories: tally.categories.map(({ key, failures, units }) => ({ category: key, failures, units })),
    causes: tally.causes.map(({ key, failures }) => ({ cause: key, failures })),
    codes,
    sites: failingSites.slice(0, MOST_SITES),
    hosts: tally.hosts.slice(0, MOST_HOSTS).map(({ key, failures }) => ({ host: key, failures })),
    files: tally.files.slice(0, MOST_FILES),
    more: {
      codes: Math.max(0, tally.codes.length - MOST_CODES),
      sites: Math.max(0, failingSites.length - MOST_SITES),
      hosts: Math.max(0, tally.hosts.length - MOST_HOSTS),
      files: Math.max(0, tally.files.length - MOST_FILES),
    },
    suggestion: suggestAction(tally, facts),
  };
}
