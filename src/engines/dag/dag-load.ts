import { readdirSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { err, ok, type Result } from "../../core/base/result.ts";
import { highestRescue, parseRescue, rescueName } from "../format/rescue.ts";
import { type DagFile, parseDag } from "./dag-file.ts";
import { readText } from "./dag-files.ts";
import { type DagLimits, DEFAULT_LIMITS } from "./turns.ts";

/** Reads a .dag together with its rescue file and its settings. */
export interface LoadedDag {
  readonly dag: DagFile;
  /** Number of the rescue file that was used; 0: none. */
  readonly rescue: number;
  readonly limits: DagLimits;
}

/** `rescue` null: the highest there is, as a submission does; a number: that one, as a recovery must. */
export function loadDag(
  path: string,
  cwd: string,
  inherited: DagLimits | null,
  rescue: number | null,
): Result<LoadedDag, string> {
  const name = basename(path);
  const text = readText(path);
  if (!text.ok) return err(`${name}: ERROR: ${text.error}`);
  const dag = parseDag(text.value, name);
  if (!dag.ok) return dag;
  const number = rescue ?? highestRescue(readdirSync(dirname(path)), name) ?? 0;
  if (number > 0) {
    const fault = applyRescue(dag.value, `${dirname(path)}/${rescueName(name, number)}`);
    if (fault) return err(`${rescueName(name, number)}: ERROR: ${fault}`);
  }
  return ok({ dag: dag.value, rescue: number, limits: loadLimits(dag.value, cwd, inherited) });
}

function applyRescue(dag: DagFile, path: string): string | null {
  const text = readText(path);
  if (!text.ok) return text.error;
  const rescue = parseRescue(text.value);
  if (rescue.problems[0] !== undefined) return `cannot read "${rescue.problems[0]}"`;
  // A cut file would run finished nodes again.
  if (!rescue.complete) return "the number of DONE lines is not what its header says";
  const unknown = [...rescue.done, ...rescue.retries.keys()].find((name) => !dag.byName.has(name));
  if (unknown !== undefined) return `Unknown Job ${unknown}`;
  for (const node of dag.nodes) {
    if (rescue.done.has(node.name)) node.done = true;
    node.retries = rescue.retries.get(node.name) ?? node.retries;
  }
  return null;
}

/** DAGMan's settings that mean something here; a sub-DAG without its own has its parent's. */
function loadLimits(dag: DagFile, cwd: string, inherited: DagLimits | null): DagLimits {
  const base = inherited ?? DEFAULT_LIMITS;
  if (dag.config === null) return base;
  const text = readText(resolve(cwd, dag.config));
  if (!text.ok) return base;
  const value = (key: string, fallback: number): number => {
    const match = new RegExp(`^\\s*${key}\\s*=\\s*(\\d+)\\s*$`, "im").exec(text.value);
    return match ? Number(match[1]) : fallback;
  };
  return {
    maxJobs: value("DAGMAN_MAX_JOBS_SUBMITTED", base.maxJobs),
    maxPre: value("DAGMAN_MAX_PRE_SCRIPTS", base.maxPre),
    maxPost: value("DAGMAN_MAX_POST_SCRIPTS", base.maxPost),
  };
}
