import type { DagPlan } from "../../core/plan.ts";
import { ROLES } from "../../core/roles.ts";
import { includeFile } from "../include-file.ts";
import { manifestText } from "../manifest.ts";
import { type SubmitFile, TOP, UNIT } from "../names.ts";
import { planText } from "../plan-file.ts";
import { profileText } from "../step-profile.ts";
import { flatDag, flatFiles } from "./flat-dag.ts";
import { groupDag } from "./group-dag.ts";
import type { RenderOptions } from "./options.ts";
import { submitFile } from "./submit-files.ts";
import { dagmanConfig, workflowDag } from "./top-files.ts";

/**
 * A plan as the files of its submit directory (docs/submit-directory.md), all but bin/ and payload/, which are copied.
 * One unit, or one folder of a graph's jobs, is in memory at a time. The order is that of writing: workflow.dag comes last.
 */
export function* renderDag(plan: DagPlan, options: RenderOptions): Generator<SubmitFile> {
  yield text(TOP.config, dagmanConfig(options));
  const isFlat = plan.shape.layout === "flat";
  if (isFlat) yield* flatFiles(plan, options);
  else yield* nestedFiles(plan, options);
  yield text(TOP.plan, planText(plan));
  yield { path: TOP.dag, chunks: isFlat ? flatDag(plan, options) : workflowDag(plan, options) };
}

function* nestedFiles(plan: DagPlan, options: RenderOptions): Generator<SubmitFile> {
  for (const { role } of plan.shape.steps) yield text(ROLES[role].submitFile, submitFile(role, plan, options));
  if (plan.stepProfile) yield text(TOP.stepProfile, profileText(plan.stepProfile));
  for (const unit of plan.units) {
    yield text(`${unit.name}/${UNIT.dag}`, groupDag(unit, plan, options));
    yield text(`${unit.name}/${UNIT.manifest}`, manifestText(unit, plan, options));
    yield text(`${unit.name}/${UNIT.include}`, includeFile(unit, plan));
  }
}

const text = (path: string, content: string): SubmitFile => ({ path, chunks: [content] });
