import { toBigInt } from "../base/json.ts";
import type { GenerationSpec, RequestSpec } from "../domain/request.ts";
import { json } from "./columns.ts";

/** A spec as JSON and back: all of it is plain except the 64-bit numbers of a generation. */
export const encodeSpec = (spec: RequestSpec): string => json(spec);

export function decodeSpec(stored: unknown): RequestSpec {
  const spec = stored as RequestSpec & { generation: StoredGeneration | null };
  if (!spec.generation) return spec;
  const { totalEvents, firstEvent } = spec.generation;
  return {
    ...spec,
    generation: { ...spec.generation, totalEvents: toBigInt(totalEvents), firstEvent: toBigInt(firstEvent) },
  };
}

type StoredGeneration = Omit<GenerationSpec, "totalEvents" | "firstEvent"> & {
  totalEvents: number | string;
  firstEvent: number | string;
};
