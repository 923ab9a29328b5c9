import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../base/json.ts";
import { builtinPolicy, type Policy } from "../../recovery/policy.ts";
import { readPolicy } from "../../recovery/read-policy.ts";
import { readIfThere } from "../../submit-host/disk.ts";

/** The submit directory as an engine reads it, besides the .dag files. */

/** The first line of workflow.dag names the request. */
export const requestIn = (submitDir: string): string =>
  /^# wms2 request=(\S+)/m.exec((readIfThere(join(submitDir, "workflow.dag")) ?? "").slice(0, 1000))?.[1] ?? "unknown";

/** As POST: without a policy that can be read, the built-in rows. */
export function policyIn(submitDir: string): Policy {
  const json = parseJson(readIfThere(join(submitDir, "policy.json")) ?? "");
  const read = json.ok ? readPolicy(json.value) : null;
  return read?.ok ? read.value : builtinPolicy();
}

/** Without taking the whole file apart: a run of many units is counted before it begins. */
export const countNodes = (unitDir: string): number =>
  (readIfThere(join(unitDir, "group.dag")) ?? "").match(/^JOB /gm)?.length ?? 0;

/** group.inc: where the unit may run; null: anywhere. */
export const desiredSites = (unitDir: string): readonly string[] | null =>
  /^(?:My\.|\+)DESIRED_Sites\s*=\s*"([^"]*)"/im
    .exec(readIfThere(join(unitDir, "group.inc")) ?? "")?.[1]
    ?.split(",")
    .map((site) => site.trim()) ?? null;

/** manifest.json, as far as a simulated job looks at it. */
export interface Manifest {
  readonly request: string;
  readonly round: number;
  readonly block: number;
  readonly sites?: readonly string[];
  readonly steps: readonly { readonly name: string }[];
  readonly outputs: readonly {
    readonly name: string;
    readonly file: string;
    readonly merge: string;
    readonly keep: boolean;
    readonly dataset: string;
    readonly lfn: string;
    readonly path: string;
  }[];
  readonly nodes: Readonly<Record<string, ManifestNode>>;
}
interface ManifestNode {
  readonly inputs: readonly { readonly lfn: string; readonly path: string }[];
  readonly firstEvent: number | string | null;
  readonly lastEvent: number | string | null;
  readonly runLumis: unknown;
  readonly events: number | null;
}

export const readManifest = (unitDir: string): Manifest =>
  JSON.parse(readFileSync(join(unitDir, "manifest.json"), "utf8")) as Manifest;
