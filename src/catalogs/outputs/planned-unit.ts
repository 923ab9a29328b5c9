import { readManifest } from "../../submit-dir/manifest.ts";
import type { ExpectedOutput } from "./check-outputs.ts";

/** What a unit's manifest.json says it is to make, and from what. */
interface PlannedUnit {
  readonly unit: string;
  readonly block: number;
  readonly expected: readonly ExpectedOutput[];
  /** node → the LFNs of its inputs. */
  readonly inputs: ReadonlyMap<string, readonly string[]>;
}

/** null: it is not there, or not as planning writes it. */
export function readPlannedUnit(text: string | null): PlannedUnit | null {
  const manifest = readManifest(text ?? "");
  if (!manifest?.unit || !manifest.outputs) return null;
  const { unit, block, outputs, nodes } = manifest;
  return {
    unit,
    block,
    expected: outputs
      .filter(({ keep }) => keep)
      .map(({ name, file, merge, dataset, lfn, path }) => ({
        ...{ output: name, dataset, lfn, path },
        each: merge === "none" ? file : null,
      })),
    inputs: new Map(Object.entries(nodes).map(([node, { inputs }]) => [node, inputs.map(({ lfn }) => lfn)])),
  };
}
