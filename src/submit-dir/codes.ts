/**
 * What our scripts tell DAGMan by their exit code. 42 to 44 are reserved: a payload that ends with one of them is
 * reported as 1, with its true code in the report.
 */
export const CODES = {
  done: 0,
  /** Failed; try again. */
  retry: 1,
  /** No further attempt of this node. */
  stop: 42,
  /** From a node: end the unit early. From bin/unit: end the whole run. */
  abort: 43,
  /** Not yet, ask again. Only the script waits, it holds no slot meanwhile. */
  defer: 44,
  /** From bin/pre and bin/unit: what was to be made is made, so it is not run again. */
  skip: 45,
  /** From the retry brain to verdict.sh, never to DAGMan: the decision stands, a recovery script is to run first. */
  script: 46,
} as const;

export const RESERVED: readonly number[] = [CODES.stop, CODES.abort, CODES.defer];

/** What a DAG that was ended early returns. Not more than 2: DAGMan would be started again for ever. */
export const ENDED_EARLY = 1;
