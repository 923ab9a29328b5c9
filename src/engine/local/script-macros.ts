/** Macros of PRE and POST arguments. A macro counts only as a whole argument, as in DAGMan 23.9.6. */
export interface ScriptFacts {
  readonly node: string;
  readonly retry: number;
  readonly maxRetries: number;
  readonly dagId: string;
  readonly dagStatus: number;
  readonly counts: { failed: number; done: number; queued: number; futile: number; total: number };
  /** Known to POST only. */
  readonly job: {
    readonly return: number;
    readonly cluster: number;
    readonly preReturn: number;
    readonly ran: boolean;
  } | null;
}

type Expand = (facts: ScriptFacts) => string;
type JobExpand = (job: NonNullable<ScriptFacts["job"]>) => string;

const ANYWHERE: Readonly<Record<string, Expand>> = {
  $JOB: (f) => f.node,
  $NODE: (f) => f.node,
  $RETRY: (f) => String(f.retry),
  $MAX_RETRIES: (f) => String(f.maxRetries),
  $DAGID: (f) => f.dagId,
  $DAG_STATUS: (f) => String(f.dagStatus),
  $FAILED_COUNT: (f) => String(f.counts.failed),
  $DONE_COUNT: (f) => String(f.counts.done),
  $QUEUED_COUNT: (f) => String(f.counts.queued),
  $FUTILE_COUNT: (f) => String(f.counts.futile),
  $NODE_COUNT: (f) => String(f.counts.total),
};

const POST_ONLY: Readonly<Record<string, JobExpand>> = {
  $RETURN: (j) => String(j.return),
  $JOBID: (j) => (j.ran ? `${j.cluster}.0` : "-1.-1"),
  $CLUSTERID: (j) => String(j.ran ? j.cluster : -1),
  $PRE_SCRIPT_RETURN: (j) => String(j.preReturn),
  $JOB_COUNT: (j) => (j.ran ? "1" : "0"),
  $JOB_ABORT_COUNT: (j) => (j.return === -1002 ? "1" : "0"),
  $EXIT_CODES: (j) => (j.ran && j.return !== -1002 ? String(Math.max(j.return, -1)) : ""),
  $EXIT_CODE_COUNTS: (j) => (j.ran && j.return !== -1002 ? `${Math.max(j.return, -1)}:1` : ""),
};

/**
 * DAGMan dies of an unknown macro only when the script is about to run (DAGMAN_USE_STRICT=1); we say so while
 * reading the file, when nothing has run yet. `$SUCCESS` is left out: it lied on the pool.
 */
export function findBadMacro(words: readonly string[], post: boolean): string | null {
  return words.find((word) => word.startsWith("$") && !(word in ANYWHERE) && !(post && word in POST_ONLY)) ?? null;
}

export function expandArguments(words: readonly string[], facts: ScriptFacts): string[] {
  return words.map((word) => {
    const anywhere = ANYWHERE[word];
    if (anywhere) return anywhere(facts);
    const postOnly = POST_ONLY[word];
    return postOnly && facts.job ? postOnly(facts.job) : word;
  });
}
