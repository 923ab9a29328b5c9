import { parseJson } from "../core/base/json.ts";
import type { NodeResources } from "../core/plan.ts";

/** What the manifest of a part says of a job, beside what its worker needs. */
export interface JobEntry {
  /** What the person called it. */
  readonly name: string;
  /** Changes with whatever decides what the job does; null: it does not say. */
  readonly digest: string | null;
  readonly resources: NodeResources | null;
  /** Names of the failure handlers it has beside those of all. */
  readonly handlers: readonly string[];
  /** Others wait for its end, however it comes. */
  readonly soft: boolean;
}

/**
 * The jobs of a part's manifest, by node, in its order; `only`: of one. Each is on a line of its own, and the others are not taken
 * apart.
 */
export function jobsIn(manifest: string, only: string | null = null): ReadonlyMap<string, JobEntry> {
  const jobs = new Map<string, JobEntry>();
  const lines = only === null ? /^"(job_\d{6,})":(.*?),?$/gm : new RegExp(`^"(${only})":(.*?),?$`, "gm");
  for (const [, node = "", entry = ""] of manifest.matchAll(lines)) {
    const json = parseJson(entry);
    const read = ((json.ok && json.value) || {}) as Partial<JobEntry>;
    jobs.set(node, {
      name: typeof read.name === "string" ? read.name : node,
      digest: typeof read.digest === "string" ? read.digest : null,
      resources: isSize(read.resources) ? read.resources : null,
      handlers: Array.isArray(read.handlers) ? read.handlers.map(String) : [],
      soft: read.soft === true,
    });
  }
  return jobs;
}

const isSize = (value: Partial<NodeResources> | null | undefined): value is NodeResources =>
  [value?.cores, value?.memoryMb, value?.wallMinutes].every((number) => typeof number === "number");

/** Names of a graph's jobs both ways: as people call them, and as they are called here. */
export class GraphNames {
  readonly #names = new Map<string, string>();
  readonly #nodes = new Map<string, string>();

  /** A name comes first in its line: the rest is not taken apart. A pause is offered after each part. */
  static *in(manifests: Iterable<string>): Generator<undefined, GraphNames> {
    const all = new GraphNames();
    for (const manifest of manifests) {
      for (const [, node = "", quoted = ""] of manifest.matchAll(/^"(job_\d{6,})":\{"name":("(?:[^"\\]|\\.)*")/gm)) {
        const name = JSON.parse(quoted) as string;
        all.#names.set(node, name);
        all.#nodes.set(name, node);
      }
      yield;
    }
    return all;
  }

  /** In order. */
  get nodes(): Iterable<string> {
    return this.#names.keys();
  }
  /** What the person called it; null: it is no job of a graph. */
  nameOf(node: string): string | null {
    return this.#names.get(node) ?? null;
  }
  /** The job that is called so; whatever is no such name stays as it is. */
  nodeOf(name: string): string {
    return this.#nodes.get(name) ?? name;
  }
}

/** The file was written to its end. */
export const isWholePart = (manifest: string): boolean => /^\{\n[\s\S]*\n"nodes":\{\n[\s\S]*\n\}\n\}\n$/.test(manifest);
