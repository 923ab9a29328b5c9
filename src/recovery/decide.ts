import { mostMemoryMb } from "../core/plan.ts";
import { type Attempt, type Category, hostOf, LOSSES, siteOf } from "./attempt.ts";
import { type FileEvidence, weighFiles } from "./bad-files.ts";
import { boosted, countAttempts, delayOf, retriesOfRow } from "./budgets.ts";
import type { Decision, Why } from "./decision.ts";
import type { History } from "./ledger-record.ts";
import { type Failure, readOutcome } from "./outcome.ts";
import { logOf, type Policy, ruleOn } from "./policy.ts";
import { reasonFor } from "./reason.ts";

/**
 * The one place that decides what becomes of an attempt. Pure: the same attempt, history, policy and time give the
 * same decision, so that any decision can be replayed from what was recorded.
 */
export function decideAttempt(attempt: Attempt, history: History, policy: Policy, now: Date): Decision {
  const outcome = readOutcome(attempt, policy.settings);
  if (outcome.kind === "succeeded") return success(attempt, history, policy);
  const facts = weigh(outcome, attempt, history, policy);
  const verdict = verdictOf(facts);
  return conclude(facts, verdict, now);
}

interface Verdict {
  readonly decision: "retry" | "stop" | "unclassified" | "abort";
  readonly why: Why;
  readonly category: Category;
}

const NO_FILES: FileEvidence = { suspects: [], bad: [], proof: null };

/** All that a decision about a failure goes by. */
export type Facts = Readonly<ReturnType<typeof weigh>>;

function weigh(failure: Failure, attempt: Attempt, history: History, policy: Policy) {
  const ruling = ruleOn(failure, attempt, policy);
  const isLoss = LOSSES.includes(failure.cause);
  const counts = countAttempts(attempt, isLoss, history);
  const { says, row } = ruling;
  const { settings } = policy;
  const earned = says.action === "retry" && retriesOfRow(counts.records, row.id) + 1 >= (says.boostFrom ?? 1);
  const site = siteOf(attempt);
  const aboutFiles = says.fileProof === true || says.category === "data";
  return {
    attempt,
    failure,
    isLoss,
    policy,
    ruling,
    counts,
    files: aboutFiles ? weighFiles(attempt, logOf(attempt), history.records) : NO_FILES,
    memory: boosted(
      attempt.memoryMb,
      counts.records.flatMap((record) => [record.memoryMb, record.nextMemoryMb]),
      earned ? says.memoryFactor : undefined,
      mostMemoryMb(settings, attempt.cores),
    ),
    wall: boosted(
      attempt.wallMinutes,
      counts.records.flatMap((record) => [record.wallMinutes, record.nextWallMinutes]),
      earned ? says.wallFactor : undefined,
      settings.maxWallMinutes,
    ),
    site,
    /** There may be another site to go to. */
    canMove: site !== null && (attempt.sites === null || attempt.sites.some((other) => other !== site)),
  };
}

/** The first that applies, the most telling first: a person reads only one reason. */
function verdictOf(facts: Facts): Verdict {
  const { ruling, counts, isLoss, files, policy, attempt, memory } = facts;
  const { says, row } = ruling;
  const { category } = says;
  const stop = (why: Why, as: Category = category): Verdict => ({ decision: "stop", why, category: as });
  if (says.fileProof && files.proof !== null) return stop("bad-file", "data");
  if (row.vague && policy.settings.pendingClassification && !isLoss)
    return { decision: "unclassified", why: "unclassified", category };
  if (says.action === "abort") return { decision: "abort", why: "row-aborts", category };
  if (says.action === "stop") return stop(says.maxRetries === 0 ? "rule-retries" : "row-stops");
  if (says.maxRetries !== undefined && retriesOfRow(counts.records, row.id) >= says.maxRetries)
    return stop("rule-retries");
  if (isLoss && counts.losses > policy.settings.lossBudget) return stop("losses");
  if (!isLoss && counts.rrn >= policy.settings.executionCeiling) return stop("executions");
  if (isAtCap(facts)) return stop(memory.atCap ? "memory-cap" : "wall-cap", "permanent");
  if (mustMove(facts)) return stop("site");
  if (attempt.dagRetry >= attempt.maxRetries) return stop("run-retries");
  return { decision: "retry", why: "row-retries", category };
}

/**
 * What it lacked cannot be given: only where that is what it failed for, and nobody else's rule says how often to try.
 * With both boosts earned, one that still helps is enough to go on.
 */
function isAtCap({ memory, wall, ruling: { says, row, beneath } }: Facts): boolean {
  const isRuled = [row, ...beneath].some(
    ({ layer, maxRetries, action }) => layer !== "built-in" && (maxRetries ?? action) !== undefined,
  );
  const grew = memory.next !== memory.before || wall.next !== wall.before;
  return says.stopAtCap === true && !isRuled && !grew && (memory.atCap || wall.atCap);
}

/** Failures so far in this epoch, here, that speak for another site; this one included. */
const triesHere = ({ counts, site }: Facts): number =>
  1 + counts.records.filter((record) => record.changeSite && record.site === site).length;

function mustMove(facts: Facts): boolean {
  const { ruling, policy, canMove } = facts;
  if (!ruling.says.changeSite || !policy.settings.siteAffinity || !canMove) return false;
  return triesHere(facts) >= (ruling.says.triesPerSite ?? 2);
}

function conclude(facts: Facts, verdict: Verdict, now: Date): Decision {
  const { attempt, failure, ruling, counts, policy, files, memory, wall } = facts;
  const { says, row } = ruling;
  const { settings } = policy;
  const retry = verdict.decision === "retry";
  // A rescue may come at once: the cool-off holds for it too. At another site there is nothing to wait for.
  const waits = retry || verdict.why === "run-retries";
  const delaySec = waits ? delayOf(says.delay ?? "backoff", settings, attempt.node, counts) : 0;
  const data = verdict.category === "data" && verdict.decision !== "retry";
  const ruleUsed = retriesOfRow(counts.records, row.id) + (retry ? 1 : 0);
  // Written out in one literal: copied by spreading, an object of this many fields is slow to make.
  const decision: Decision & { reason: string } = {
    decision: verdict.decision,
    why: verdict.why,
    category: verdict.category,
    final: !retry,
    cause: failure.cause,
    exitCode: failure.exitCode,
    shortCode: failure.shortCode,
    signal: failure.signal,
    decodedFrom: failure.decodedFrom,
    row: { id: row.id, source: row.source },
    delaySec,
    notBefore: delaySec > 0 ? later(now, delaySec) : null,
    memoryMb: memory.next,
    wallMinutes: wall.next,
    changeSite: says.changeSite === true && facts.site !== null,
    avoidSites: sitesToAvoid(facts, verdict),
    avoidHosts: hostsToAvoid(facts),
    badFiles: !data ? [] : files.bad.length > 0 ? files.bad : files.suspects,
    suspectFiles: files.suspects,
    recoveryScript: retry ? (says.script ?? null) : null,
    rrn: counts.rrn,
    epoch: counts.epoch,
    left: {
      run: Math.max(0, attempt.maxRetries - attempt.dagRetry - (retry ? 1 : 0)),
      executions: Math.max(0, settings.executionCeiling - counts.rrn),
      rule: says.maxRetries === undefined ? null : Math.max(0, says.maxRetries - ruleUsed),
      losses: Math.max(0, settings.lossBudget - counts.losses),
    },
    reason: "",
  };
  decision.reason = reasonFor(facts, decision);
  return decision;
}

/** The last moment a Date can hold is late enough. */
const later = (now: Date, seconds: number): string =>
  new Date(Math.min(now.getTime() + seconds * 1000, 8.64e15)).toISOString();

/** A pinned unit gathers the sites it failed at, so that it is not sent back and forth; others avoid the last one. */
function sitesToAvoid(facts: Facts, { decision }: Verdict): readonly string[] {
  const { ruling, policy, canMove, site, counts, attempt } = facts;
  if (!ruling.says.changeSite || !canMove || site === null || decision === "unclassified") return [];
  if (!policy.settings.siteAffinity) return [site];
  if (decision === "retry") return [];
  const failedAt = counts.records.flatMap((record) => (record.changeSite && record.site ? [record.site] : []));
  const all = [...new Set([...failedAt, site])];
  return attempt.sites?.every((other) => all.includes(other)) ? [site] : all;
}

const MOST_HOSTS = 3;

function hostsToAvoid({ attempt, ruling, counts, policy }: Facts): readonly string[] {
  if (!policy.settings.avoidHosts) return [];
  const host = hostOf(attempt);
  const known = counts.records.flatMap((record) => record.avoidHosts);
  const all = ruling.says.avoidHost && host !== null ? [...known.filter((other) => other !== host), host] : known;
  return [...new Set(all)].slice(-MOST_HOSTS);
}

function success(attempt: Attempt, history: History, policy: Policy): Decision {
  const counts = countAttempts(attempt, false, history);
  return {
    decision: "succeed",
    why: "succeeded",
    category: null,
    final: true,
    cause: null,
    exitCode: 0,
    shortCode: null,
    signal: null,
    decodedFrom: null,
    row: null,
    delaySec: 0,
    notBefore: null,
    memoryMb: attempt.memoryMb,
    wallMinutes: attempt.wallMinutes,
    changeSite: false,
    avoidSites: [],
    avoidHosts: [],
    badFiles: [],
    suspectFiles: [],
    recoveryScript: null,
    rrn: counts.rrn,
    epoch: counts.epoch,
    left: {
      run: Math.max(0, attempt.maxRetries - attempt.dagRetry),
      executions: Math.max(0, policy.settings.executionCeiling - counts.rrn),
      rule: null,
      losses: Math.max(0, policy.settings.lossBudget - counts.losses),
    },
    reason: counts.rrn > 1 ? `done, at execution ${counts.rrn}` : "done",
  };
}
