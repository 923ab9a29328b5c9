import type { PlannedOutput } from "../domain/plan.ts";
import type { RequestSpec } from "../domain/request.ts";

/**
 * /Primary/Era-String-vN/TIER. The primary part is that of the input dataset; a request without one gives its own
 * name. The tier is the output's name in capitals.
 */
export function plannedOutputs(spec: RequestSpec): PlannedOutput[] {
  const primary = spec.input?.from === "dataset" ? spec.input.dataset.split("/").find(Boolean) : undefined;
  const processed = [spec.acquisitionEra, spec.processingString].filter(Boolean).map(clean);
  processed.push(`v${spec.processingVersion}`);
  return spec.outputs.map((output) => ({
    ...output,
    dataset: `/${clean(primary ?? spec.name)}/${processed.join("-")}/${clean(output.name).toUpperCase()}`,
  }));
}

const clean = (part: string): string => part.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
