import { RULE_LIMITS } from "../core/request.ts";
import { isFound, LOG_CHARACTERS } from "../core/stderr-pattern.ts";
import { type Attempt, CATEGORIES, type Category, type Cause, LOSSES, ownReport } from "./attempt.ts";
import { builtinRows } from "./builtin-policy.ts";
import * as f from "./fields.ts";
import type { Failure, Speech } from "./outcome.ts";

const WEEK = 7 * 86_400;

/**
 * A policy is rows in four layers: built-in < installation < remembered < request. Each layer proposes its most specific row;
 * the highest layer that has one decides, and what its row does not say is taken from the row beneath. So a rule
 * "retry everything twice" keeps the memory boost the built-in row gives to a job that ran out of memory.
 */
export interface Policy {
  readonly settings: PolicySettings;
  readonly rows: readonly PolicyRow[];
}

export const LAYERS = ["request", "remembered", "installation", "built-in"] as const;
type Layer = (typeof LAYERS)[number];

export interface PolicyRow extends RowSays {
  readonly id: string;
  readonly layer: Layer;
  /** Where a person finds the row: "built-in", "/etc/wms2/policy.yaml rows[2]", "handler flaky, rule 1". */
  readonly source: string;
  readonly match: RowMatch;
}

/** All that is given must hold; within `numbers` (codes, ranges, signals, holds) one is enough. */
export interface RowMatch {
  readonly roles?: readonly string[];
  /** Only for jobs that name this handler. */
  readonly handler?: string;
  readonly causes?: readonly Cause[];
  readonly codes?: readonly number[];
  readonly ranges?: readonly (readonly [number, number])[];
  readonly signals?: readonly number[];
  /** HTCondor's hold codes: [13] any subcode, [13, 2] that one. */
  readonly holds?: readonly (readonly [number] | readonly [number, number])[];
  /** A regular expression, looked for in the end of stderr and in the report's error. */
  readonly stderr?: string;
  /** Only where codes are the framework's, or only where they are not; absent: both. */
  readonly speech?: Speech;
  /** Everything a job can end with; not what happened before it ran or without its doing. */
  readonly all?: boolean;
}

/** What a rule of a request's handler may say. */
export const RULE_SAYS = {
  /** Retries for this row per epoch; 3 retries are 4 executions. Absent: only the node's budgets bound it. */
  maxRetries: f.number({ ...RULE_LIMITS.maxRetries, whole: true }),
  delay: f.number({ ...RULE_LIMITS.delaySec, whole: false }),
  memoryFactor: f.number({ ...RULE_LIMITS.factor, whole: false }),
  wallFactor: f.number({ ...RULE_LIMITS.factor, whole: false }),
  script: f.text(1000),
};
/** What a row of an installation may say. */
export const ROW_SAYS = {
  ...RULE_SAYS,
  meaning: f.text(300),
  category: f.choice(CATEGORIES),
  action: f.choice(["retry", "stop", "abort"]),
  /** Boosts begin with the n-th failure on this row in an epoch; 1: at once. */
  boostFrom: f.number(f.whole(1, 100)),
  changeSite: f.flag(),
  /** For units pinned to a site: executions at one site before the node stops, so that the unit is moved. */
  triesPerSite: f.number(f.whole(1, 100)),
  avoidHost: f.flag(),
  /** The file at fault is bad once it failed at two sites, or the log names corruption. */
  fileProof: f.flag(),
};
type Said<F extends f.Fields> = { readonly [Name in keyof F]?: NonNullable<f.Of<F>[Name]> };

export interface RowSays extends Omit<Said<typeof ROW_SAYS>, "delay"> {
  /** fixed, long: settings; backoff: exponential with jitter; a number: seconds. */
  readonly delay?: "none" | "backoff" | "fixed" | "long" | number;
  /** A guess rather than knowledge: with pending_classification on, a person is asked instead. */
  readonly vague?: boolean;
  /** The failure is the lack of what is boosted: at the cap nothing is left to try. */
  readonly stopAtCap?: boolean;
}

/** Every setting with its unit, its bounds and its default; documents write their names with underscores. */
export const SETTINGS = {
  /** Most executions of a node in one epoch (rrn). */
  executionCeiling: f.number(f.whole(1, 1000), 10),
  /** Retries after evictions, lost nodes and failed submissions, together, in one epoch. */
  lossBudget: f.number(f.whole(0, 1000), 5),
  fixedDelaySec: f.number(f.whole(0, WEEK), 900),
  backoffBaseSec: f.number(f.whole(0, WEEK), 60),
  backoffMaxSec: f.number(f.whole(0, WEEK), 3600),
  /** Up to this share is added to a backoff, by a hash of node and rrn. */
  jitter: f.number(f.real(0, 1), 0.25),
  /** A node's first retry does not wait, unless its row names the seconds. */
  firstRetryAtOnce: f.flag(false),
  /** A retry looks for another worker where its row says so. */
  avoidHosts: f.flag(true),
  maxMemoryPerCoreMb: f.number(f.whole(1, 1e9), 3000),
  /** However many cores. */
  maxMemoryMb: f.number(f.whole(1, 1e9), 1e9),
  maxWallMinutes: f.number(f.whole(1, 1e6), 2820),
  /** The node's unit is pinned to one site: changing site means stopping early, for the rescue to elect again. */
  siteAffinity: f.flag(true),
  pendingClassification: f.flag(false),
  /** Permanent failures alike in one group before the group is aborted; 0: never. */
  abortAfterAlike: f.number(f.whole(0, 1e6), 3),
  /** Codes are the framework's (cmssw, the simulator); else only those of jobs that left a framework report. */
  cmsCodes: f.flag(true),
  /** Read codes of the framework below 256 that no row knows as the low byte of a long one. */
  shortCodes: f.flag(true),
  /** A handler's recovery script is ended after so long; the retry stands. */
  scriptTimeoutSec: f.number(f.whole(1, 86_400), 300),
};
export type PolicySettings = f.Of<typeof SETTINGS>;
export const DEFAULT_SETTINGS: PolicySettings = f.blank(SETTINGS);

export const builtinPolicy = (settings: Partial<PolicySettings> = {}): Policy => ({
  settings: { ...DEFAULT_SETTINGS, ...settings },
  rows: builtinRows(),
});

/** What is to be done about a failure, whole: the winning row, and what it says with the rows beneath filled in. */
interface Ruling {
  readonly row: PolicyRow;
  readonly beneath: readonly PolicyRow[];
  readonly says: RowSays & { readonly category: Category; readonly action: "retry" | "stop" | "abort" };
}

export const UNKNOWN_ROW: PolicyRow = {
  id: "unknown",
  layer: "built-in",
  source: "built-in",
  match: {},
  category: "transient",
  action: "retry",
  maxRetries: 1,
  delay: "backoff",
  vague: true,
  meaning: "a failure that no rule knows",
};

export function ruleOn(failure: Failure, attempt: Attempt, policy: Policy): Ruling {
  const log = logOf(attempt);
  const best = new Map<Layer, { row: PolicyRow; score: number }>();
  for (const row of policy.rows) {
    const atLeast = best.get(row.layer)?.score ?? -1;
    const score = specificity(row, failure, attempt, log, atLeast);
    if (score > atLeast) best.set(row.layer, { row, score });
  }
  const rows = LAYERS.flatMap((layer) => best.get(layer)?.row ?? (layer === "built-in" ? UNKNOWN_ROW : []));
  const [row = UNKNOWN_ROW, ...beneath] = rows;
  // The lowest is a row of ours, and those have a category and an action.
  const says = (beneath.length === 0 ? row : Object.assign({}, ...rows.toReversed())) as Ruling["says"];
  return { row, beneath, says };
}

/** What stderr patterns look at. */
export const logOf = (attempt: Attempt): string =>
  `${attempt.stderrTail.slice(-LOG_CHARACTERS)}\n${ownReport(attempt)?.error ?? ""}`;

/**
 * How narrowly a row fits; -1: it does not. stderr 8, a code, signal or hold named 4, a hold code without subcode 3,
 * a range 2, a cause 1, and everything 0; the sum counts and the first of equals wins. `atLeast` saves running
 * patterns that could not win.
 */
function specificity(
  { match, layer }: PolicyRow,
  failure: Failure,
  { role, handlers }: Attempt,
  log: string,
  atLeast: number,
): number {
  if (match.speech && match.speech !== failure.speech) return -1;
  if (match.roles && !match.roles.includes(role)) return -1;
  if (match.handler !== undefined && !handlers?.includes(match.handler)) return -1;
  let score = match.all && !LOSSES.includes(failure.cause) ? 0 : -1;
  if (match.causes) {
    if (!match.causes.includes(failure.cause)) return -1;
    score = 1;
  }
  if (match.codes || match.ranges || match.signals || match.holds) {
    // To the rules people write for their programs, a declared output that is not there is exit 1.
    const isOne = layer === "request" && failure.cause === "missing_output";
    const number = Math.max(numberScore(match, failure), isOne ? numberScore(match, { ...failure, exitCode: 1 }) : -1);
    if (number < 0) return -1;
    score = Math.max(score, 0) + number;
  }
  if (match.stderr === undefined) return score;
  score = Math.max(score, 0) + 8;
  return score > atLeast && isFound(match.stderr, log) ? score : -1;
}

/** How narrowly the numbers of a row fit; -1: none of them does. */
export function numberScore(
  match: RowMatch,
  { exitCode, shortCode, signal, hold }: Pick<Failure, "exitCode" | "shortCode" | "signal" | "hold">,
): number {
  if (match.codes?.includes(exitCode) || (shortCode !== null && match.codes?.includes(shortCode))) return 4;
  if (signal !== null && match.signals?.includes(signal)) return 4;
  let best = -1;
  for (const [code, subcode] of match.holds ?? [])
    if (hold?.code === code && (subcode === undefined || subcode === hold.subcode))
      best = Math.max(best, subcode === undefined ? 3 : 4);
  for (const [low, high] of match.ranges ?? []) if (exitCode >= low && exitCode <= high) best = Math.max(best, 2);
  return best;
}
