import { plural } from "../core/base/text.ts";
import { mostMemoryMb } from "../core/plan.ts";
import { hostOf } from "./attempt.ts";
import type { Facts } from "./decide.ts";
import type { Decision, Why } from "./decision.ts";

/** The decision in one sentence a person understands: what happened, what that means, what is done. */
export function reasonFor(facts: Facts, decision: Decision): string {
  const { failure, ruling, site } = facts;
  const code =
    failure.shortCode === null
      ? `exit ${failure.exitCode}`
      : `exit ${failure.exitCode} (read from the short code ${failure.shortCode})`;
  const named = failure.exitCode < 0 || failure.text.includes(String(failure.exitCode));
  const what = named && failure.shortCode === null ? failure.text : `${code}: ${failure.text}`;
  const meaning = ruling.says.meaning ?? "";
  return `${what}${site ? ` at ${site}` : ""}${meaning ? ` (${meaning})` : ""}; ${verdict(facts, decision)}`;
}

/** Why there are no more retries. */
const NO_MORE: Readonly<Partial<Record<Why, (facts: Facts) => string>>> = {
  "bad-file": ({ files }) => `: ${files.proof ?? "the input file is bad"}`,
  "rule-retries": ({ ruling }) =>
    ruling.says.maxRetries
      ? `: ${plural(ruling.says.maxRetries, "retry", "retries")} allowed for this failure, all used`
      : ": no automatic retries allowed",
  losses: ({ counts, policy }) => `: lost ${counts.losses} times, and ${policy.settings.lossBudget} are allowed`,
  executions: ({ counts, policy }) => `: ${counts.rrn} of ${policy.settings.executionCeiling} executions are used`,
  "memory-cap": ({ memory, policy, attempt }) =>
    `: it already had ${memory.before} MB, the most allowed is ${mostMemoryMb(policy.settings, attempt.cores)} MB`,
  "wall-cap": ({ wall, policy }) =>
    `: it already had ${wall.before} minutes, the most allowed is ${policy.settings.maxWallMinutes}`,
  site: ({ site }) => ` at ${site}: the unit should move to another site`,
  "run-retries": ({ attempt }) =>
    attempt.maxRetries === 0
      ? " in this run: no automatic retries allowed"
      : ` in this run: its ${plural(attempt.maxRetries, "retry is", "retries are")} used up`,
};

function verdict(facts: Facts, decision: Decision): string {
  const { why, category } = decision;
  if (decision.decision === "retry") return `retrying automatically ${describeRetry(facts, decision)}`;
  if (why === "unclassified") return "no rule knows this failure, so it waits for a person to classify it";
  if (why === "row-aborts") return "the whole run is ended, as the rule says";
  const because = category === "permanent" ? ": nothing would change" : ": a retry here would not help";
  return `no more retries${NO_MORE[why]?.(facts) ?? because}`;
}

function describeRetry(facts: Facts, decision: Decision): string {
  const { memory, wall, counts, policy, attempt } = facts;
  const parts = [decision.delaySec > 0 ? `in ${span(decision.delaySec)}` : "at once"];
  if (memory.next !== memory.before) parts.push(`with ${memory.next} instead of ${memory.before} MB`);
  if (wall.next !== wall.before) parts.push(`with ${wall.next} instead of ${wall.before} minutes`);
  if (decision.avoidSites.length > 0) parts.push(`away from ${decision.avoidSites.join(", ")}`);
  const host = hostOf(attempt);
  if (host !== null && decision.avoidHosts.includes(host)) parts.push(`away from worker ${host}`);
  if (decision.recoveryScript !== null) parts.push(`after ${decision.recoveryScript}`);
  const used = facts.isLoss
    ? `loss ${counts.losses} of ${policy.settings.lossBudget}`
    : `execution ${counts.rrn} of ${policy.settings.executionCeiling}`;
  return `${parts.join(", ")} (${used})`;
}

export function span(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 360) / 10} h`;
}
