import type { Result } from "../../core/base/result.ts";
import { KEYWORDS } from "./dag-keywords.ts";
import { Fault, logicalLines, orFault, within } from "./lines.ts";

/**
 * A .dag file as DAGMan 23.9.6 reads it, for the keywords docs/submit-directory.md uses and their neighbours.
 * A keyword we do not run is a fault with its line number, never silently skipped: a DAG that means something
 * else here than on the pool would be worse than one that does not start.
 */
interface ScriptSpec {
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
  /** A PRE that ends with it makes the node done, without its job or POST. */
  preSkip: number | null;
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
  readonly statusFile: { readonly path: string; readonly minSec: number } | null;
  readonly config: string | null;
}

/** What the keywords fill in. Lines that name a node wait until every node is known: order is free. */
export class DagDraft implements DagFile {
  readonly nodes: NodeSpec[] = [];
  readonly byName = new Map<string, NodeSpec>();
  readonly maxJobs = new Map<string, number>();
  statusFile: DagFile["statusFile"] = null;
  config: string | null = null;
  readonly #joined = new Map<number, Set<number>>();

  /** Not yet said by a line before, of which one parent may have a hundred thousand. */
  joins({ index, children }: NodeSpec, child: NodeSpec): boolean {
    const known = this.#joined.get(index);
    if (!known && children.length < FEW) return !children.includes(child.index);
    const all = known ?? new Set(children);
    this.#joined.set(index, all);
    const isNew = !all.has(child.index);
    all.add(child.index);
    return isNew;
  }
}
const FEW = 16;

export const parseDag = (text: string, name: string): Result<DagFile, string> =>
  orFault(() => {
    const draft = new DagDraft();
    const lines = [...logicalLines(text)].map(({ line, text: source }) => {
      const [word = "", ...words] = source.split(/\s+/);
      return { place: `${name} (line ${line}): ERROR: `, keyword: KEYWORDS[word.toUpperCase()], word, words, source };
    });
    for (const namesNodes of [false, true]) {
      for (const { place, keyword, word, words, source } of lines) {
        if (!keyword) throw new Fault(`${place}Unknown or unsupported keyword ${word}`);
        if (keyword.namesNodes === namesNodes) within(place, () => keyword.run(draft, words, source));
      }
    }
    if (draft.nodes.length === 0) throw new Fault(`${name}: ERROR: the DAG has no nodes`);
    return draft;
  });

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
