import { lstatSync } from "node:fs";
import { join } from "node:path";
import { checkOutputs, type MergedSize } from "../../catalogs/outputs/check-outputs.ts";
import { parseMergeOutput } from "../../catalogs/outputs/merge-output.ts";
import { readPlannedUnit } from "../../catalogs/outputs/planned-unit.ts";
import { ROLES, roleOfNode } from "../../core/roles.ts";
import { UNIT } from "../names.ts";
import { readIfThere } from "./disk.ts";
import type { PostArguments } from "./observe.ts";

/** What is wrong with what a merge that ended well says it made; null: it is what was planned. */
export function forgedOutput(dir: string, { node, returned }: PostArguments, site: string | null): string | null {
  if (ROLES[roleOfNode(node)].proof !== "outputs" || returned !== 0) return null;
  const file = join(dir, UNIT.mergeOutput);
  if (sizeOf(file) === "foreign") return "it is no plain file";
  const planned = readPlannedUnit(readIfThere(join(dir, UNIT.manifest)));
  if (planned === null) return `${UNIT.manifest} does not say what was planned`;
  const made = parseMergeOutput(readIfThere(file), planned.unit);
  if (!made.ok) return made.error;
  const sizes = new Map(made.value.outputs.map(({ path }) => [path, sizeOf(path)]));
  return checkOutputs(made.value, { ...planned, site, sizes });
}

/** A submit host need not see the storage: what cannot be seen is for the server to look at. */
function sizeOf(path: string): MergedSize {
  try {
    const there = lstatSync(path);
    return there.isFile() ? there.size : "foreign";
  } catch {
    return "absent";
  }
}
