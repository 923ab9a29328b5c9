import { resolve } from "node:path";
import type { Result } from "../../base/result.ts";
import type { NodeSpec } from "./dag-file.ts";
import { type JobSpec, readJobSpec } from "./job-spec.ts";
import { parseSubmit } from "./submit-file.ts";
import type { Texts } from "./texts.ts";

/** Reads a node's submit file as it is now, includes and all: each attempt may find other values in them. */
export function parseJobOf(
  node: NodeSpec,
  at: { cluster: number; retry: number; cwd: string; priority: number; texts: Texts },
): Result<JobSpec, string> {
  const text = at.texts.read(resolve(at.cwd, node.file));
  if (!text.ok) return text;
  // $(JOB) and $(RETRY) may already be needed for the name of an include.
  const vars: (readonly [string, string])[] = [["JOB", node.name], ["RETRY", String(at.retry)], ...node.vars];
  const parsed = parseSubmit(text.value, node.file, vars, (path) => at.texts.read(resolve(at.cwd, path)));
  if (!parsed.ok) return parsed;
  return readJobSpec(parsed.value, { ...at, node: node.name });
}
