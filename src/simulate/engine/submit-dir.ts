import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { err, ok, type Result } from "../../base/result.ts";
import { highestRescue, parseRescue, rescueName } from "../../engine/format/rescue.ts";
import { type DagFile, parseDag } from "../../engine/local/dag-file.ts";

/** The submit directory as an engine reads it: the .dag files, the rescue state, what the submit files ask for. */
export interface Rescue {
  readonly number: number;
  readonly done: ReadonlySet<string>;
}

export function readDag(dir: string, name: string): Result<DagFile, string> {
  const text = textIn(join(dir, name));
  return text === null ? err(`${name}: ERROR: cannot be opened`) : parseDag(text, name);
}

/** Without taking the whole file apart: a run of many units is counted before it begins. */
export const countNodes = (unitDir: string): number =>
  (textIn(join(unitDir, "group.dag")) ?? "").match(/^JOB /gm)?.length ?? 0;

/** null: none; an error: there is one, and DAGMan could not read it. */
export function readRescue(dir: string, dag: DagFile, name: string): Result<Rescue | null, string> {
  const number = existsSync(dir) ? highestRescue(readdirSync(dir), name) : null;
  if (number === null) return ok(null);
  const file = rescueName(name, number);
  const rescue = parseRescue(textIn(join(dir, file)) ?? "");
  const stranger = [...rescue.done].find((node) => !dag.byName.has(node));
  if (rescue.problems.length > 0) return err(`${file}: ERROR: Unknown keyword in ${rescue.problems[0]}`);
  if (stranger !== undefined) return err(`${file}: ERROR: Unknown Job ${stranger}`);
  return ok({ number, done: rescue.done });
}

/** group.inc: where the unit may run, and what single nodes ask for. */
export interface GroupInc {
  /** null: anywhere. */
  readonly desired: readonly string[] | null;
  readonly banned: readonly string[];
  readonly values: ReadonlyMap<string, number>;
}

export function readGroupInc(unitDir: string): GroupInc {
  const text = textIn(join(unitDir, "group.inc")) ?? "";
  const list = (name: string): readonly string[] | null => {
    const found = new RegExp(`^(?:My\\.|\\+)${name}\\s*=\\s*"([^"]*)"`, "im").exec(text)?.[1];
    return found === undefined ? null : found.split(",").map((site) => site.trim());
  };
  const values = new Map<string, number>();
  for (const [, key, value] of text.matchAll(/^(\w+_(?:memory|wall_minutes))\s*=\s*(\d+)/gm))
    values.set(key!, Number(value));
  return { desired: list("DESIRED_Sites"), banned: list("BANNED_Sites") ?? [], values };
}

/** What a job asks for by its submit file, before group.inc changes it. */
export interface Asks {
  readonly cores: number;
  readonly memoryMb: number;
  readonly wallMinutes: number;
}

export function readAsks(submitDir: string, file: string): Asks {
  const text = textIn(join(submitDir, file)) ?? "";
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
export interface ManifestNode {
  readonly inputs: readonly { readonly lfn: string; readonly path: string }[];
  readonly firstEvent: number | string | null;
  readonly lastEvent: number | string | null;
  readonly runLumis: unknown;
  readonly events: number | null;
}

export const readManifest = (unitDir: string): Manifest =>
  JSON.parse(readFileSync(join(unitDir, "manifest.json"), "utf8")) as Manifest;

export function textIn(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
