/**
 * exit: ended by itself with a code · signal: killed · oom, walltime, disk: went over what it may use · held: the
 * batch system held it, then it was removed · evicted: taken away without fault of its own · node_lost: nobody knows
 * what became of it · submit_failed: never started · missing_output, missing_report: ended well, but left no proof ·
 * forged_output: ended well, but what it says it made is not what was planned, or not there.
 */
export const CAUSES = [
  "exit",
  "signal",
  "oom",
  "walltime",
  "disk",
  "held",
  "evicted",
  "node_lost",
  "submit_failed",
  "missing_output",
  "missing_report",
  "forged_output",
] as const;
export type Cause = (typeof CAUSES)[number];
