import { err, ok } from "../base/result.ts";
import { inSlices } from "../base/slices.ts";
import type { DagId } from "../domain/names.ts";
import type { RequestSpec } from "../domain/request.ts";
import { usableSites } from "../lifecycle/gather-plan.ts";
import type { Work } from "../lifecycle/ports.ts";
import { describePlan } from "../planning/describe.ts";
import { planInSlices } from "../planning/plan-round.ts";
import { coarseSteps } from "../planning/production-steps.ts";
import type { PlanPreview } from "./port.ts";

/** What the first round of a request would be, with the facts of this moment. Stores nothing; ends when nobody waits for it. */
export async function previewPlan(ports: Work, spec: RequestSpec): Promise<PlanPreview> {
  const files = spec.kind === "generate" ? ok([]) : await ports.catalog.inputFiles(spec, ports.signal);
  if (!files.ok) return files;
  const generation = spec.generation;
  const outcome = await inSlices(
    planInSlices({
      spec,
      dagId: "preview" as DagId,
      round: 0,
      files: files.value,
      next: {
        unit: 0,
        node: 0,
        block: 0,
        firstEvent: generation?.firstEvent ?? 1n,
        firstLumi: BigInt(generation?.firstLumi ?? 1),
      },
      usableSites: await usableSites(ports, null),
      policy: ports.policy,
    }),
    ports.signal,
  );
  if (outcome.kind === "refused") return err(outcome.refusal);
  if (outcome.kind === "nothing-left") {
    return err({ code: "nothing-selected", message: "there is nothing to do", evidence: { files: outcome.unplanned } });
  }
  const described = describePlan(outcome.plan);
  const coarse = spec.adaptive ? [] : coarseSteps(spec.productionSteps, described.units);
  return ok({ ...described, warnings: [...described.warnings, ...coarse] });
}
