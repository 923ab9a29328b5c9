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
  /** End the unit early. bin/unit turns it into an end of the whole run where that is meant. */
  abort: 43,
  /** Not yet, ask again. Only the script waits, it holds no slot meanwhile. */
  defer: 44,
  /** From bin/pre: POST has found the node to be done, so it is not run again. */
  skip: 45,
  /** From the retry brain to verdict.sh, never to DAGMan: the decision stands, a recovery script is to run first. */
  script: 46,
} as const;

export const RESERVED: readonly number[] = [CODES.stop, CODES.abort, CODES.defer];

/** What bin/unit says of a unit. */
export const UNIT_CODES = { done: 0, failed: 1, abortRun: 2 } as const;
