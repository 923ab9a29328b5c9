import type { DagPlan, UnitPlan } from "../core/plan.ts";
import type { Work } from "../core/work.ts";
import { checkLimits } from "./check-limits.ts";
import { checkNumbers } from "./check-numbers.ts";
import type { PlanFacts } from "./facts.ts";
import { roundLimits } from "./limits.ts";
import { MAX_NODES_PER_UNIT } from "./units.ts";

/** A promise of the planner that this plan breaks: a bug, with what proves it. */
export interface Violation {
  /** Stable word: "file-lost", "event-twice", "site-not-allowed", … */
  readonly code: string;
  readonly message: string;
  /** What the message does not say already. */
  readonly evidence: Readonly<Record<string, unknown>>;
}

/** A plan and what it is held against. */
export interface CheckContext<W extends Work = Work> extends PlanFacts<W> {
  readonly plan: DagPlan;
  /** The round was to take only a part of what remains. */
  readonly isPartial: boolean;
}

/** One subject of the check: sees every unit once, then says what is missing at the end. */
export interface Check {
  unit(unit: UnitPlan): void;
  /** What takes long is told with pauses. */
  finish(): Generator<undefined, void> | undefined;
}
export type Report = (code: string, message: string, evidence?: Record<string, unknown>) => void;

/** Enough to see what is wrong; a broken plan of a million nodes should not fill the memory with complaints. */
const MAX_VIOLATIONS = 100;

/** What a kind says about its own part of a plan. */
interface KindCheck {
  mostJobs(facts: PlanFacts): bigint;
  check(context: CheckContext, report: Report): Check;
}

/**
 * Lints a finished plan in one walk. It shares no code with the splitting it checks. Empty: fine. A pause is offered
 * after every unit, for a caller that has other things to do.
 */
export function* checkInSlices(
  plan: DagPlan,
  facts: PlanFacts,
  kind: KindCheck,
): Generator<undefined, readonly Violation[]> {
  const violations: Violation[] = [];
  const report: Report = (code, message, evidence = {}) => {
    if (violations.length < MAX_VIOLATIONS) violations.push({ code, message, evidence });
  };
  const most = roundLimits(facts, kind.mostJobs(facts));
  const jobs = plan.summary.nodesByRole.processing ?? 0;
  const isPartial = most.units !== null || (most.nodes !== null && jobs > most.nodes - MAX_NODES_PER_UNIT);
  const context: CheckContext = { ...facts, plan, isPartial };
  const checks = [checkLimits(context, report), kind.check(context, report)];
  if (plan.shape.layout === "nested") checks.push(checkNumbers(context, report));
  for (const unit of plan.units) {
    for (const check of checks) check.unit(unit);
    yield;
  }
  for (const check of checks) yield* check.finish() ?? [];
  return violations;
}
