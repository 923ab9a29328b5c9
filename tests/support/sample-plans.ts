import type { DagPlan, PlanOutcome } from "../../src/core/plan.ts";
import type { RequestSpec } from "../../src/core/request.ts";
import type { SplitSpec } from "../../src/core/work.ts";
import type { PlanFacts, PlanFile } from "../../src/planning/facts.ts";
import { inputFile, planRound, processSpec } from "./sample-facts.ts";

export const files = (count: number, change: Partial<PlanFile> = {}): PlanFile[] =>
  Array.from({ length: count }, (_, index) => ({ ...inputFile(`/f${String(index).padStart(3, "0")}`), ...change }));
export const split = (filesPerJob: number): SplitSpec => ({
  algorithm: "FileBased",
  filesPerJob,
  eventsPerJob: 100,
  lumisPerJob: 1,
});
export const unit = (change: Partial<RequestSpec["unit"]>) => ({ ...processSpec().unit, ...change });
export const resources = (change: Partial<RequestSpec["resources"]>) => ({ ...processSpec().resources, ...change });

export function plan(facts: PlanFacts): DagPlan {
  const outcome = planRound(facts);
  if (outcome.kind !== "planned") throw new Error(JSON.stringify(outcome));
  return outcome.plan;
}
export const refusal = (outcome: PlanOutcome) => (outcome.kind === "refused" ? outcome.refusal : outcome.kind);
