import { evidenceOf, mainCause } from "./evidence.ts";
import type { RoundDecision, RoundFacts } from "./round-decision.ts";
import { plural } from "./words.ts";

/** What a person may do about a held round; without a submit directory or a readable DAG, no rescue. */
export const ALL = ["release", "rescue", "fail", "restart", "abort"] as const;
export const NO_RESCUE = ["release", "fail", "restart", "abort"] as const;
const NAMED_UNITS = 20;

export function hold(
  facts: RoundFacts,
  code: string,
  message: string,
  actions: readonly string[] = ALL,
): Extract<RoundDecision, { kind: "hold" }> {
  const { verdict, words, unitsTotal, unitsDone, rescuesUsed, policy, finishedUnits } = facts;
  const failed = [...new Set(facts.failedUnits)].filter((unit) => !finishedUnits.has(unit));
  const evidence = {
    verdict,
    words,
    unitsTotal,
    unitsDone,
    unitsFailed: failed.length,
    failedUnits: failed.slice(0, NAMED_UNITS),
    failureRatio: failed.length / Math.max(unitsTotal, 1),
    holdThreshold: policy.holdThreshold,
    rescuesUsed,
    maxRescues: policy.maxRescues,
    ...evidenceOf(facts.tally),
  };
  return { kind: "hold", hold: { code, message, evidence, actions }, because: message };
}

export const progress = ({ unitsDone, unitsTotal }: RoundFacts): string =>
  `${unitsDone} of ${plural(unitsTotal, "unit")} done`;

export function causeOf({ tally }: RoundFacts): string {
  const cause = mainCause(tally);
  return cause === null ? "" : `; ${cause}`;
}
