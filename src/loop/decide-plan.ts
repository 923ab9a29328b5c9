import type { DatasetProblem } from "../catalogs/port.ts";
import { InvariantError } from "../core/base/errors.ts";
import type { Result } from "../core/base/result.ts";
import { holdFor } from "../core/holds.ts";
import type { DagPlan, PlanRefusal, UnplannedFile } from "../core/plan.ts";
import type { HoldReason } from "../core/request.ts";
import { type Kinds, kindOf } from "../kinds/kind.ts";
import { checkInSlices } from "../planning/check.ts";
import type { PlanFacts } from "../planning/facts.ts";

/** `aside`: files without any work in them (masked out, too big); they are excluded, so that the request can complete. */
type PlanDecision =
  | { readonly kind: "write"; readonly plan: DagPlan; readonly aside: readonly UnplannedFile[] }
  /** None of the files has work in it: the next look sees what remains without them. */
  | { readonly kind: "set-aside"; readonly aside: readonly UnplannedFile[] }
  /** An earlier version did all of it, and it still holds. */
  | { readonly kind: "done-before"; readonly aside: readonly UnplannedFile[] }
  | { readonly kind: "hold"; readonly hold: HoldReason };

/** What becomes of the next round, as the input and the limits are. In small steps: a large plan takes seconds. */
export function* decidePlan(
  gathered: Result<PlanFacts, DatasetProblem | PlanRefusal>,
  kinds: Kinds,
): Generator<undefined, PlanDecision> {
  if (!gathered.ok) return refused(gathered.error);
  const facts = gathered.value;
  const kind = kindOf(kinds, facts.spec.work);
  const outcome = yield* kind.plan(facts);
  if (outcome.kind === "refused") return refused(outcome.refusal);
  const aside = outcome.unplanned;
  if (outcome.kind === "nothing-left") {
    if (aside.length > 0) return { kind: "set-aside", aside };
    if (facts.credited?.size) return { kind: "done-before", aside };
    const message = "work remains, but a round could not be made of it";
    return { kind: "hold", hold: holdFor("nothing-planned", message, { round: facts.round }) };
  }
  const violations = yield* checkInSlices(outcome.plan, facts, kind);
  if (violations.length > 0)
    throw new InvariantError(`the plan is not sound: ${violations[0]?.message}`, violations.slice(0, 20));
  return { kind: "write", plan: outcome.plan, aside };
}

const refused = ({ code, message, evidence }: DatasetProblem | PlanRefusal): PlanDecision => ({
  kind: "hold",
  hold: holdFor(code, message, evidence),
});
