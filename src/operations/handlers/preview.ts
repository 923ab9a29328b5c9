import { err, ok } from "../../core/base/result.ts";
import { inSlices } from "../../core/base/slices.ts";
import type { DagId } from "../../core/names.ts";
import type { RequestSpec } from "../../core/request.ts";
import { kindOf } from "../../kinds/kind.ts";
import { nothingDue } from "../../loop/decide-fill.ts";
import { firstFill } from "../../loop/gather-fill.ts";
import { openInput, sitesWithSecondary, usableSites } from "../../loop/gather-plan.ts";
import type { Work } from "../../loop/ports.ts";
import { describeInSlices } from "../../planning/describe.ts";
import { packFiles } from "../../planning/packed-files.ts";
import { coarseSteps } from "../../planning/production-steps.ts";
import type { PlanPreview } from "./port.ts";

export const THERE_ALREADY = "products that are there already are verified first, and not made again";

/** What the first round of a request would be, with the facts of this moment. Stores nothing; ends when nobody waits for it. */
export async function previewPlan(ports: Work, spec: RequestSpec): Promise<PlanPreview> {
  const { work } = spec;
  const opened = await openInput(ports, spec);
  if (!opened.ok) return opened;
  const sites = await sitesWithSecondary(ports, work, await usableSites(ports, null));
  if (!sites.ok) return sites;
  const kind = kindOf(ports.kinds, work);
  const fill = kind.products && (await firstFill(ports.spool, kind.products, spec, ports.clock.now()));
  const outcome = await inSlices(
    kind.plan({
      spec,
      dagId: "preview" as DagId,
      round: 0,
      files: opened.value ? await packFiles(opened.value, ports.signal) : [],
      next: kind.begin(work),
      usableSites: sites.value,
      policy: ports.policy,
      ...(fill && { fill, warnings: [THERE_ALREADY] }),
    }),
    ports.signal,
  );
  if (outcome.kind === "refused") return err(outcome.refusal);
  if (outcome.kind === "nothing-left") {
    return err({
      code: "nothing-selected",
      message: fill ? nothingDue(fill.plan) : "there is nothing to do",
      evidence: { files: outcome.unplanned },
    });
  }
  const described = await inSlices(describeInSlices(outcome.plan), ports.signal);
  const coarse = spec.adaptive ? [] : coarseSteps(spec.productionSteps, described.units);
  return ok({ ...described, warnings: [...described.warnings, ...coarse] });
}
