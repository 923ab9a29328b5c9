import { toEnd } from "../base/slices.ts";
import type { DagPlan, UnitPlan } from "../domain/plan.ts";
import { checkEvents } from "./check-events.ts";
import { checkFiles } from "./check-files.ts";
import { checkLimits } from "./check-limits.ts";
import { checkNumbers } from "./check-numbers.ts";
import type { PlanFacts } from "./facts.ts";

/** A promise of the planner that this plan breaks: a bug, with what proves it. */
export interface Violation {
  /** Stable word: "file-lost", "event-twice", "site-not-allowed", … */
  readonly code: string;
  readonly message: string;
  /** What the message does not tell already. */
  readonly evidence: Readonly<Record<string, unknown>>;
}

/** What a plan is held against; the more is given, the more is checked. */
export type CheckFacts = Pick<PlanFacts, "spec" | "files"> &
  Partial<Pick<PlanFacts, "next" | "usableSites" | "policy">>;

export type CheckContext = CheckFacts & {
  readonly plan: DagPlan;
  /** The round was to take only a part of what remains. */
  readonly isPartial: boolean;
};

/** One subject of the check: sees every unit once, then says what is missing at the end. */
export interface Check {
  unit(unit: UnitPlan): void;
  finish(): void;
}
export type Report = (code: string, message: string, evidence?: Record<string, unknown>) => void;

/** Enough to see what is wrong; a broken plan of a million nodes should not fill the memory with complaints. */
const MAX_VIOLATIONS = 100;

/** Lints a finished plan in one walk. It shares no code with the splitting it checks. Empty: fine. */
export const checkPlan = (plan: DagPlan, facts: CheckFacts): readonly Violation[] => toEnd(checkInSlices(plan, facts));

/** The same, with a pause offered after every unit, for a caller that has other things to do. */
export function* checkInSlices(plan: DagPlan, facts: CheckFacts): Generator<undefined, readonly Violation[]> {
  const violations: Violation[] = [];
  const report: Report = (code, message, evidence = {}) => {
    if (violations.length < MAX_VIOLATIONS) violations.push({ code, message, evidence });
  };
  const isPartial = (facts.spec.adaptive && plan.round === 0) || typeof facts.policy?.maxUnitsPerRound === "number";
  const context: CheckContext = { ...facts, plan, isPartial };
  const checks = [
    checkNumbers(context, report),
    checkLimits(context, report),
    facts.spec.kind === "generate" ? checkEvents(context, report) : checkFiles(context, report),
  ];
  for (const unit of plan.units) {
    for (const check of checks) check.unit(unit);
    yield;
  }
  for (const check of checks) check.finish();
  return violations;
}
