import { err, ok, type Result } from "../../base/result.ts";
import { DagFault, KEYWORDS } from "./dag-keywords.ts";

/**
 * A .dag file as DAGMan 23.9.6 reads it, for the keywords docs/submit-directory.md uses and their neighbours.
 * A keyword we do not run is a fault with its line number, never silently skipped: a DAG that means something
 * else here than on the pool would be worse than one that does not start.
 */
export interface ScriptSpec {
  readonly executable: string;
  readonly arguments: readonly string[];
  /** An exit with `status` runs the script again after `seconds`. */
  readonly defer: { readonly status: number; readonly seconds: number } | null;
}

export interface NodeSpec {
  readonly index: number;
  readonly name: string;
  readonly kind: "job" | "subdag";
  /** The submit file, or the .dag of a sub-DAG. */
  readonly file: string;
  readonly dir: string | null;
  readonly noop: boolean;
  done: boolean;
  /** In order of appearance; later values win. */
  readonly vars: [string, string][];
  pre: ScriptSpec | null;
  post: ScriptSpec | null;
  retries: number;
  unlessExit: number | null;
  abort: { readonly on: number; readonly returns: number | null } | null;
  category: string | null;
  priority: number;
  readonly children: number[];
  parents: number;
}

export interface DagFile {
  readonly nodes: readonly NodeSpec[];
  readonly byName: ReadonlyMap<string, NodeSpec>;
  readonly maxJobs: ReadonlyMap<string, number>;
  readonly statusFile: { readonly path: string; readonly minSec: number; readonly always: boolean } | null;
  readonly config: string | null;
}

/** What the keywords fill in. Lines that name a node wait until every node is known: order is free. */
export class DagDraft implements DagFile {
  readonly nodes: NodeSpec[] = [];
  readonly byName = new Map<string, NodeSpec>();
  readonly maxJobs = new Map<string, number>();
  statusFile: DagFile["statusFile"] = null;
  config: string | null = null;
}

export function parseDag(text: string, name: string): Result<DagFile, string> {
  const draft = new DagDraft();
  const later: { line: number; run: () => void }[] = [];
  let at = 0;
  try {
    for (const { line, words, text: source } of logicalLines(text)) {
      at = line;
      const keyword = (words[0] as string).toUpperCase();
      const read = KEYWORDS[keyword];
      if (!read) throw new DagFault(`Unknown or unsupported keyword ${words[0]}`);
      const run = () => read.run(draft, words.slice(1), source);
      if (read.namesNodes) later.push({ line, run });
      else run();
    }
    for (const { line, run } of later) {
      at = line;
      run();
    }
  } catch (error) {
    if (!(error instanceof DagFault)) throw error;
    return err(`${name} (line ${at}): ERROR: ${error.message}`);
  }
  if (draft.nodes.length === 0) return err(`${name}: ERROR: the DAG has no nodes`);
  return ok(draft);
}

/** A node on a cycle, or null. Kahn's walk: what never loses its last parent is on or behind a cycle. */
export function findCycle(dag: DagFile): string | null {
  const left = dag.nodes.map((node) => node.parents);
  const open = dag.nodes.filter((node) => node.parents === 0).map((node) => node.index);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const child of (dag.nodes[next] as NodeSpec).children) {
      left[child] = (left[child] as number) - 1;
      if (left[child] === 0) open.push(child);
    }
  }
  const stuck = left.findIndex((count) => count > 0);
  return stuck < 0 ? null : (dag.nodes[stuck] as NodeSpec).name;
}

/** One statement of a .dag file: comments and blank lines dropped, `\` continuations joined, CRLF accepted. */
interface DagLine {
  /** Number of its first physical line, from 1. */
  readonly line: number;
  readonly words: readonly string[];
  readonly text: string;
}

function* logicalLines(text: string): Generator<DagLine> {
  const physical = text.split("\n");
  for (let i = 0; i < physical.length; i++) {
    const line = i + 1;
    let joined = (physical[i] as string).replace(/\r$/, "");
    if (/^\s*#/.test(joined)) continue;
    while (joined.endsWith("\\") && i + 1 < physical.length) {
      i += 1;
      joined = `${joined.slice(0, -1)} ${(physical[i] as string).replace(/\r$/, "").trimStart()}`;
    }
    const trimmed = joined.trim();
    if (trimmed) yield { line, words: trimmed.split(/\s+/), text: trimmed };
  }
}
