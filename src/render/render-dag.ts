import type { DagPlan } from "../domain/plan.ts";
import { groupInc } from "../submit-dir/group-inc.ts";
import { manifest } from "../submit-dir/manifest.ts";
import { groupDag } from "./group-dag.ts";
import type { RenderedFile, RenderOptions } from "./options.ts";
import { submitFile } from "./submit-files.ts";
import { dagmanConfig, planFile, workflowDag } from "./top-files.ts";

/**
 * A plan as the files of its submit directory (docs/submit-directory.md), all but bin/ and payload/, which are copied.
 * One unit is in memory at a time. The order is that of writing: workflow.dag comes last.
 */
export function* renderDag(plan: DagPlan, options: RenderOptions): Generator<RenderedFile> {
  yield text("dagman.config", dagmanConfig(options));
  yield text("landing.sub", submitFile("landing", plan, options));
  yield text("proc.sub", submitFile("processing", plan, options));
  yield text("merge.sub", submitFile("merge", plan, options));
  yield text("cleanup.sub", submitFile("cleanup", plan, options));
  if (plan.stepProfile) yield text("step_profile.json", `${JSON.stringify(plan.stepProfile, null, 2)}\n`);
  for (const unit of plan.units) {
    yield text(`${unit.name}/group.dag`, groupDag(unit, plan, options));
    yield text(`${unit.name}/manifest.json`, manifest(unit, plan, options));
    yield text(`${unit.name}/group.inc`, groupInc(unit, plan));
  }
  yield text("plan.json", planFile(plan));
  yield { path: "workflow.dag", chunks: workflowDag(plan, options) };
}

const text = (path: string, content: string): RenderedFile => ({ path, chunks: [content] });
