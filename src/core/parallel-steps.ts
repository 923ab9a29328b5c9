import { CMSRUN } from "./cms.ts";
import type { RequestSpec } from "./request.ts";

/** The simulator as a step names it, in the working directory of its job. */
export const SIMULATE = "wms2/simulate";

/**
 * Steps whose events may be done in parts, at once: those of ours that know how, and those of which the request says so. None
 * where an output is not merged: its parts could not be joined either.
 */
export function parallelSteps({ steps, outputs }: Pick<RequestSpec, "steps" | "outputs">): ReadonlySet<string> {
  if (outputs.some(({ merge }) => merge.how === "none")) return new Set();
  const may = steps.filter(({ argv: [program], parallel }) => parallel || program === CMSRUN || program === SIMULATE);
  return new Set(may.map(({ name }) => name));
}
