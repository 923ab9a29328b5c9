import type { HoldReason } from "./request.ts";

/**
 * Every reason for which a request waits for a person. Code, CLI and docs/guides/held.md come from this table, and a hold is
 * only made through it: with the evidence its row names, and the actions its row allows.
 */
interface HoldFacts {
  readonly meaning: string;
  /** What goes with it: these fields, all of them. */
  readonly evidence: readonly string[];
  readonly who: "operator" | "requestor" | "site" | "administrator" | "developers";
  /** What that person does, as held.md prints it. */
  readonly help: string;
  /** What may help, the likeliest first. */
  readonly actions: readonly string[];
  /**
   * How a release goes on. rescue: with the same run, which was cut off or lacked only something · next-round: the
   * rest of the round is left behind · plan: planning goes on where it was.
   */
  readonly release: "rescue" | "next-round" | "plan";
}

const AFTER_ROUND = ["release", "rescue", "fail", "restart", "abort"] as const;
const NO_RESCUE = ["release", "fail", "restart", "abort"] as const;
const RESUME = ["resume", ...NO_RESCUE] as const;
const AGAIN = ["release", "abort"] as const;
/** What is known of the round that ended: see recovery/round/hold-round.ts. */
const ROUND = ["verdict", "words", "unitsTotal", "unitsDone", "failedUnits", "codes", "sites", "first"] as const;
/** Whatever the planner or the catalog found. */
const FOUND: readonly string[] = [];
const BUDGET = "`wms2 errors NAME`, then `rescue` or `release`: both open a new budget";
const WHO_DID_IT = "find out who did it; `release` goes on where it was";
const PLANS_AGAIN =
  "`release` plans the rest again (of a graph, all but what is done or has its outputs); or `restart`";
const CORRECTED = "submit a corrected request";

const round = <const Release extends HoldFacts["release"]>(meaning: string, help: string, release: Release) =>
  ({ meaning, evidence: ROUND, who: "operator", help, actions: AFTER_ROUND, release }) as const;
const unplannable = (meaning: string, help: string, who: HoldFacts["who"] = "requestor") =>
  ({ meaning, evidence: FOUND, who, help, actions: AGAIN, release: "plan" }) as const;

export const HOLDS = {
  "failure-threshold": round(
    "too many work units of the round failed",
    "`wms2 errors NAME`; `recover` where jobs lacked memory or time; `release`, with `--ban`, `--exclude` or `--memory` where it says so",
    "next-round",
  ),
  "permanent-failures": round(
    "a retry would change nothing",
    "fix the software, or correct the request: `release --from FILE` goes on with it, `restart --from FILE` starts over (a graph keeps what is done)",
    "next-round",
  ),
  "rescues-used-up": round("the round was rescued often enough", BUDGET, "next-round"),
  "executions-used-up": round("nodes were executed often enough", BUDGET, "rescue"),
  "retries-used-up": round("a rule's retries are used up; the message names it", BUDGET, "rescue"),
  "unclassified-failures": {
    ...round("no rule knows some failures", "`wms2 unclassified NAME`, `wms2 classify NAME …`", "rescue"),
    actions: ["resubmit", ...AFTER_ROUND],
  },
  "bad-files-in-torn-units": round(
    "bad input files whose other parts are done",
    "`release`: the rest of those files is given up",
    "next-round",
  ),
  "no-site-left": {
    meaning: "every site it may use is closed",
    evidence: ["bannedSites"],
    who: "site",
    help: "`wms2 sites`, `wms2 sites unban SITE`",
    actions: NO_RESCUE,
    release: "rescue",
  },
  "run-aborted": round("the run ended itself early", WHO_DID_IT, "rescue"),
  "run-lost": round("the engine has no trace of the run", WHO_DID_IT, "rescue"),
  "run-broken": {
    ...round(
      "the engine's own program for the run broke off again and again, and no job had failed",
      "the message has its own words: `wms2 doctor`, the schedd's log and its disk; then `release` goes on where it was",
      "rescue",
    ),
    who: "administrator",
  },
  "removed-from-outside": round("somebody took the run out of the queue", WHO_DID_IT, "rescue"),
  "halted-from-outside": round("somebody halted the run", WHO_DID_IT, "rescue"),
  "units-unaccounted": {
    ...round("some of what was planned is neither done nor left out", WHO_DID_IT, "rescue"),
    evidence: FOUND,
  },
  "dag-unreadable": {
    ...round("the engine cannot read the files of the round", PLANS_AGAIN, "next-round"),
    actions: NO_RESCUE,
  },
  "submit-directory-gone": {
    ...round("the files of the round are lost", PLANS_AGAIN, "next-round"),
    evidence: FOUND,
    actions: NO_RESCUE,
  },
  "unit-directory-damaged": {
    meaning: "files of some units are gone, cut short or closed",
    evidence: ["damaged"],
    who: "operator",
    help: "`release` plans the work of these units again; or `restart`",
    actions: NO_RESCUE,
    release: "next-round",
  },
  "rescue-damaged": {
    meaning: "a rescue file was cut or overwritten: going on could repeat finished work",
    evidence: ["submitDir"],
    who: "operator",
    help: "`restart`, or put the file back and `release`",
    actions: ["restart", "release", "abort"],
    release: "plan",
  },
  stopped: {
    meaning: "a person stopped it",
    evidence: ["actor", "reason", "status"],
    who: "operator",
    help: "`resume`",
    actions: RESUME,
    release: "rescue",
  },
  "held-by-operator": {
    meaning: "a person held it",
    evidence: ["actor", "reason", "status"],
    who: "operator",
    help: "`resume`",
    actions: RESUME,
    release: "rescue",
  },
  "empty-dataset": unplannable("the input has no files", "fix the path or the list"),
  unreadable: unplannable("the input cannot be read", "fix the path or the list"),
  "unknown-dataset": unplannable("no catalog knows the input", "fix the path or the list"),
  "configuration-missing": {
    ...unplannable(
      "a configuration that its jobs run cannot be had",
      "have it put into the config cache and `release`, or submit the request with a `pset` of its own",
    ),
    evidence: ["id", "path"],
  },
  "no-input-files": unplannable("the input has no files left", "fix the path or the list"),
  "no-site": unplannable(
    "no site is left that may run it and has its data",
    "enable a site, or widen the request's lists",
    "site",
  ),
  "nothing-selected": unplannable("the split or the mask leaves nothing to do", CORRECTED),
  contradiction: unplannable("the request contradicts itself or the limits", CORRECTED),
  "memory-beyond-limit": {
    ...unplannable(
      "its jobs were measured to need more memory than may be asked for",
      '`wms2 metrics NAME`; raise `planning.max_memory_per_core_mb`, or `release --memory "3 GB"`: what each job should get',
      "operator",
    ),
    evidence: ["neededMb", "mostMb", "cores", "measured"],
  },
  "too-many-nodes": unplannable("it would have more jobs than a request may have", "submit it with larger jobs"),
  "nothing-planned": {
    ...unplannable("work remains, but no round could be made of it", "please report it", "developers"),
    evidence: ["round"],
    actions: ["abort"],
  },
  "engine-rejected": {
    meaning: "the engine refused the DAG; its own words are in the message",
    evidence: ["submitDir"],
    who: "administrator",
    help: "`wms2 doctor`; fix it, then `wms2 release`: the same DAG is handed over again",
    actions: AGAIN,
    release: "plan",
  },
  "unit-output-unreadable": {
    meaning: "a unit says it is done, but what it left cannot be read",
    evidence: ["unit", "submitDir"],
    who: "operator",
    help: "look into its directory, fix it, then `release`",
    actions: AGAIN,
    release: "plan",
  },
  "registration-failed": {
    meaning: "the catalog refuses an output",
    evidence: ["block", "step", "code", "fix", "failedBlocks"],
    who: "operator",
    help: "`wms2 blocks NAME` says what helps; resolve that first, then `wms2 blocks retry NAME`",
    actions: AGAIN,
    release: "plan",
  },
  stuck: {
    meaning: "it did not get through a state in time",
    evidence: ["status", "reason"],
    who: "operator",
    help: "the message says what it waited for",
    actions: AGAIN,
    release: "plan",
  },
  "disk-unwritable": {
    meaning: "spool or storage is full or not writable",
    evidence: ["subject", "hint"],
    who: "administrator",
    help: "free space, fix permissions",
    actions: AGAIN,
    release: "plan",
  },
  "too-long": {
    meaning: "working on it took longer than `lifecycle.work_limit_sec`",
    evidence: ["subject", "hint"],
    who: "requestor",
    help: "ask for less at once: fewer files or events, larger jobs",
    actions: AGAIN,
    release: "plan",
  },
  "keeps-failing": {
    meaning: "the server failed on it in the same way too often; the message says how",
    evidence: ["error", "subject", "hint"],
    who: "administrator",
    help: "`wms2 show NAME`: the evidence has a hint; then `release`",
    actions: AGAIN,
    release: "plan",
  },
  bug: {
    meaning: "an internal error of the program",
    evidence: ["error", "message", "where", "correlation"],
    who: "developers",
    help: "please report it, with the evidence",
    actions: AGAIN,
    release: "plan",
  },
} as const satisfies Record<string, HoldFacts>;

export type HoldCode = keyof typeof HOLDS;
export const isHoldCode = (code: string): code is HoldCode => Object.hasOwn(HOLDS, code);

/** How a release of a request held for this goes on; of a code this version does not know: it is planned on. */
export const releaseOf = (code: string | null): HoldFacts["release"] =>
  code !== null && isHoldCode(code) ? HOLDS[code].release : "plan";

export type EvidenceOf<Code extends HoldCode> = Readonly<Record<(typeof HOLDS)[Code]["evidence"][number], unknown>>;

/** The only way to make one. */
export const holdFor = <Code extends HoldCode>(
  code: Code,
  message: string,
  evidence: EvidenceOf<Code>,
): HoldReason => ({ code, message, evidence, actions: HOLDS[code].actions });
