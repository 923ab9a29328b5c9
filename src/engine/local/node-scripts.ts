import type { Counts, LiveNode, ScriptPart } from "./dag-machine.ts";
import type { TaskText } from "./task-files.ts";

/** What macros of PRE and POST arguments can name. */
export interface ScriptFacts {
  readonly node: LiveNode;
  readonly dagId: number;
  readonly counts: Counts;
  /** Of the job's last attempt; null: it could not be submitted. */
  readonly cluster: number | null;
}
type Expand = (facts: ScriptFacts) => string | number;

const ANYWHERE: Readonly<Record<string, Expand>> = {
  $JOB: ({ node }) => node.spec.name,
  $NODE: ({ node }) => node.spec.name,
  $RETRY: ({ node }) => node.attempt,
  $MAX_RETRIES: ({ node }) => node.spec.retries,
  $DAGID: ({ dagId }) => dagId,
  $DAG_STATUS: ({ counts }) => (counts.failed > 0 ? 2 : 0),
  $FAILED_COUNT: ({ counts }) => counts.failed,
  $DONE_COUNT: ({ counts }) => counts.done,
  $QUEUED_COUNT: ({ counts }) => counts.queued,
  $FUTILE_COUNT: ({ counts }) => counts.futile,
  $NODE_COUNT: ({ counts }) => Object.values(counts).reduce((sum, count) => sum + count, 0),
};

const ended = ({ node, cluster }: ScriptFacts): boolean => cluster !== null && node.jobReturn !== -1002;
const POST_ONLY: Readonly<Record<string, Expand>> = {
  $RETURN: ({ node }) => node.jobReturn,
  $JOBID: ({ cluster }) => (cluster === null ? "-1.-1" : `${cluster}.0`),
  $CLUSTERID: ({ cluster }) => cluster ?? -1,
  $PRE_SCRIPT_RETURN: ({ node }) => node.preReturn,
  $JOB_COUNT: ({ cluster }) => (cluster === null ? 0 : 1),
  $JOB_ABORT_COUNT: ({ node }) => (node.jobReturn === -1002 ? 1 : 0),
  $EXIT_CODES: (facts) => (ended(facts) ? Math.max(facts.node.jobReturn, -1) : ""),
  $EXIT_CODE_COUNTS: (facts) => (ended(facts) ? `${Math.max(facts.node.jobReturn, -1)}:1` : ""),
};

/**
 * DAGMan dies of an unknown macro only when the script is about to run (DAGMAN_USE_STRICT=1); we say so while
 * reading the file, when nothing has run yet. `$SUCCESS` is left out: it lied on the pool.
 */
export function findBadMacro(words: readonly string[], post: boolean): string | null {
  return words.find((word) => word.startsWith("$") && !(word in ANYWHERE) && !(post && word in POST_ONLY)) ?? null;
}

/** A macro counts only as a whole argument, as in DAGMan 23.9.6. */
export const expandArguments = (words: readonly string[], facts: ScriptFacts): string[] =>
  words.map((word) => (word.startsWith("$") ? String((ANYWHERE[word] ?? POST_ONLY[word])?.(facts) ?? word) : word));

/** PRE or POST of a node: a task in the node's directory, its words in DAGMan's .lib.out and .lib.err. */
export function scriptTask(part: ScriptPart, facts: ScriptFacts, cwd: string, dagPath: string): TaskText {
  const script = facts.node.spec[part] as NonNullable<LiveNode["spec"][ScriptPart]>;
  // DAGMan does not search PATH: a bare name is a file in the node's directory.
  const program = script.executable.includes("/") ? script.executable : `./${script.executable}`;
  return {
    cwd,
    argv: [program, ...expandArguments(script.arguments, facts)],
    environment: [],
    stdin: null,
    stdout: { path: `${dagPath}.lib.out`, append: true },
    stderr: { path: `${dagPath}.lib.err`, append: true },
  };
}
