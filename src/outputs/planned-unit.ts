import { parseJson } from "../base/json.ts";
import type { ExpectedOutput } from "./check-outputs.ts";

/** What a unit's manifest.json says it is to make, and from what. */
export interface PlannedUnit {
  readonly unit: string;
  readonly block: number;
  readonly expected: readonly ExpectedOutput[];
  /** node → the LFNs of its inputs. */
  readonly inputs: ReadonlyMap<string, readonly string[]>;
}

interface Manifest {
  readonly unit: string;
  readonly block: number;
  readonly outputs: readonly (Record<"name" | "file" | "merge" | "dataset" | "lfn" | "path", string> & {
    readonly keep: boolean;
  })[];
  readonly nodes: Readonly<Record<string, { readonly inputs: readonly { readonly lfn: string }[] }>>;
}

/** null: it is not there, or not as planning writes it. */
export function readPlannedUnit(manifest: string | null): PlannedUnit | null {
  const json = parseJson(manifest ?? "");
  if (!json.ok) return null;
  const { unit, block, outputs, nodes } = (json.value ?? {}) as Partial<Manifest>;
  if (!unit || block === undefined || !outputs || !nodes) return null;
  const kept = outputs.filter(({ keep }) => keep);
  return {
    unit,
    block,
    expected: kept.map(({ name, file, merge, dataset, lfn, path }) => ({
      ...{ output: name, dataset, lfn, path },
      each: merge === "none" ? file : null,
    })),
    inputs: new Map(Object.entries(nodes).map(([node, { inputs }]) => [node, inputs.map(({ lfn }) => lfn)])),
  };
}
