import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { describeError } from "../../base/errors.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { NodeSpec } from "./dag-file.ts";
import { type JobSpec, readJobSpec } from "./job-spec.ts";
import { parseSubmit } from "./submit-file.ts";

const LIMIT = 4096;

/** Small files that are read at every submission, kept while inode, size and time of change stay the same. */
export class Texts {
  private readonly kept = new Map<string, { stamp: string; text: string }>();

  read(path: string): Result<string, string> {
    try {
      const { ino, size, mtimeMs } = statSync(path);
      const stamp = `${ino} ${size} ${mtimeMs}`;
      const known = this.kept.get(path);
      if (known?.stamp === stamp) return ok(known.text);
      const text = readFileSync(path, "utf8");
      if (this.kept.size >= LIMIT) this.kept.clear();
      this.kept.set(path, { stamp, text });
      return ok(text);
    } catch (error) {
      return err(`can't open file ${path}: ${describeError(error)}`);
    }
  }
}

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
