import type { RequestRecord, RequestSpec } from "../domain/request.ts";

/** The spec with what an operator changed at a release: what the next plan and recovery go by. */
export function effectiveSpec({ spec, modifications }: Pick<RequestRecord, "spec" | "modifications">): RequestSpec {
  if (!modifications) return spec;
  const { memoryMb, retries, holdThreshold, maxRescues, topUp } = modifications;
  return {
    ...spec,
    resources: { ...spec.resources, memoryMb: memoryMb ?? spec.resources.memoryMb },
    retries: { ...spec.retries, processing: retries ?? spec.retries.processing },
    recovery: {
      ...spec.recovery,
      holdThreshold: holdThreshold ?? spec.recovery.holdThreshold,
      maxRescues: maxRescues ?? spec.recovery.maxRescues,
    },
    generation: spec.generation && { ...spec.generation, topUp: topUp ?? spec.generation.topUp },
  };
}
