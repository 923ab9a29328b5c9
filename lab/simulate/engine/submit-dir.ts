import { join } from "node:path";
import { parseJson } from "../../../src/core/base/json.ts";
import { builtinPolicy, type Policy } from "../../../src/recovery/policy.ts";
import { readPolicy } from "../../../src/recovery/read-policy.ts";
import { readDagHeader } from "../../../src/submit-dir/dag-header.ts";
import { sitesIn } from "../../../src/submit-dir/include-file.ts";
import { type Manifest, readManifest } from "../../../src/submit-dir/manifest.ts";
import { TOP, UNIT } from "../../../src/submit-dir/names.ts";
import { readIfThere } from "../../../src/submit-dir/post/disk.ts";

/** The submit directory as an engine reads it, besides the .dag files. */

export const requestIn = (submitDir: string): string =>
  readDagHeader((readIfThere(join(submitDir, TOP.dag)) ?? "").slice(0, 1000)).request ?? "unknown";

/** As POST: without a policy that can be read, the built-in rows. */
export function policyIn(submitDir: string): Policy {
  const json = parseJson(readIfThere(join(submitDir, TOP.policy)) ?? "");
  const read = json.ok ? readPolicy(json.value) : null;
  return read?.ok ? read.value : builtinPolicy();
}

/** Without taking the whole file apart: a run of many units is counted before it begins. */
export const countNodes = (unitDir: string): number =>
  (readIfThere(join(unitDir, UNIT.dag)) ?? "").match(/^JOB /gm)?.length ?? 0;

/** Where the unit may run; null: anywhere. */
export const desiredSites = (unitDir: string): readonly string[] | null =>
  sitesIn(readIfThere(join(unitDir, UNIT.include)) ?? "").desired;

export function manifestIn(unitDir: string): Manifest {
  const path = join(unitDir, UNIT.manifest);
  const manifest = readManifest(readIfThere(path) ?? "");
  if (manifest) return manifest;
  throw new Error(`${path} cannot be read`);
}
