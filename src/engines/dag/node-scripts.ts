import type { ScriptCall } from "./runner.ts";

/** What macros of PRE and POST arguments can name. */
export type ScriptFacts = Pick<ScriptCall, "node" | "cluster">;
type Macros = Readonly<Record<string, (facts: ScriptFacts) => string | number>>;

const ANYWHERE: Macros = {
  $JOB: ({ node }) => node.spec.name,
  $RETRY: ({ node }) => node.attempt,
  $MAX_RETRIES: ({ node }) => node.spec.retries,
};
const POST_ONLY: Macros = {
  $RETURN: ({ node }) => node.jobReturn,
  $CLUSTERID: ({ cluster }) => cluster ?? -1,
  $JOBID: ({ cluster }) => (cluster === null ? "-1.-1" : `${cluster}.0`),
};

/**
 * DAGMan dies of an unknown macro only when the script is about to run (DAGMAN_USE_STRICT=1); we say so while
 * reading the file, when nothing has run yet. Those our files do not use are unknown;
 * `$SUCCESS` lied on the pool.
 */
export function findBadMacro(words: readonly string[], post: boolean): string | null {
  return words.find((word) => word.startsWith("$") && !(word in ANYWHERE) && !(post && word in POST_ONLY)) ?? null;
}

/** A macro counts only as a whole argument, as in DAGMan 23.9.6. */
export const expandArguments = (words: readonly string[], facts: ScriptFacts): string[] =>
  words.map((word) => (word.startsWith("$") ? String((ANYWHERE[word] ?? POST_ONLY[word])?.(facts) ?? word) : word));
