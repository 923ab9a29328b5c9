import { codeName, meaningOf } from "./meaning.ts";
import type { RoundTally } from "./tally.ts";

/** The few numbers of a tally that go with a hold. Bounded, however many failed: it is stored on the request. */
export interface RoundEvidence {
  readonly nodesFailed: number;
  readonly categories: Readonly<Record<string, number>>;
  readonly codes: readonly {
    readonly exitCode: number;
    readonly name: string;
    readonly meaning: string | null;
    readonly failures: number;
    readonly units: number;
  }[];
  readonly sites: readonly { readonly site: string; readonly failed: number; readonly nodes: number }[];
  readonly badFiles: { readonly total: number; readonly named: readonly string[] };
  readonly first: RoundTally["first"];
}

const MOST = 5;
const MOST_FILES = 20;

export function evidenceOf(tally: RoundTally): RoundEvidence {
  const bad = tally.files.filter((file) => file.bad);
  return {
    nodesFailed: tally.nodes.failed,
    categories: Object.fromEntries(tally.categories.map(({ key, failures }) => [key, failures])),
    codes: tally.codes
      .slice(0, MOST)
      .map(({ exitCode, rule, cause, failures, units }) => ({
        exitCode,
        name: codeName(exitCode, cause),
        meaning: meaningOf(exitCode, rule, cause),
        failures,
        units,
      })),
    sites: tally.sites
      .filter(({ failed }) => failed > 0)
      .slice(0, MOST)
      .map(({ site, failed, nodes }) => ({ site, failed, nodes })),
    badFiles: { total: bad.length, named: bad.slice(0, MOST_FILES).map(({ file }) => file) },
    first: tally.first,
  };
}

/** "mostly 8021 (an input file was opened, but reading it failed)"; null when nothing is known. */
export function mainCause(tally: RoundTally): string | null {
  const [most] = tally.codes;
  if (!most) return null;
  const meaning = meaningOf(most.exitCode, most.rule, most.cause);
  const share = tally.codes.length === 1 ? "all" : "mostly";
  return `${share} ${codeName(most.exitCode, most.cause)}${meaning ? ` (${meaning})` : ""}`;
}
