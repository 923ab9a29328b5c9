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

/** group.inc: where the unit may run; `desired` null: anywhere. */
export function sitesIn(unitDir: string): {
  readonly desired: readonly string[] | null;
  readonly banned: readonly string[];
} {
  const text = readIfThere(join(unitDir, "group.inc")) ?? "";
  const list = (name: string): readonly string[] | null => {
    const found = new RegExp(`^(?:My\\.|\\+)${name}\\s*=\\s*"([^"]*)"`, "im").exec(text)?.[1];
    return found === undefined ? null : found.split(",").map((site) => site.trim());
  };
  return { desired: list("DESIRED_Sites"), banned: list("BANNED_Sites") ?? [] };
}

/** What a job asks for by its submit file, before group.inc changes it. */
export interface Asks {
  readonly cores: number;
  readonly memoryMb: number;
  readonly wallMinutes: number;
}

export function readAsks(submitDir: string, file: string): Asks {
  const text = readIfThere(join(submitDir, file)) ?? "";
  const number = (pattern: RegExp, fallback: number): number => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? fallback : Number(found);
  };
  return {
    cores: number(/^request_cpus\s*=\s*(\d+)/im, 1),
    memoryMb: number(/^request_memory\s*=\s*(?:\$\([^:\n]*:)?(\d+)/im, 2000),
    wallMinutes: number(/MaxWallTimeMins\s*=\s*(?:\$\([^:\n]*:)?(\d+)/i, 480),
  };
}

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
