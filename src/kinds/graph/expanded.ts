import type { Graph, GraphJob, GraphWork } from "../../domain/graph.ts";
import { jobDigest } from "./digest.ts";
import { expandGraph } from "./expand.ts";

/** A graph with every job written out, and what tells whether a job is still the same. */
export interface Expanded {
  readonly graph: Graph;
  digestOf(job: GraphJob): string;
}

/** Writing out 100,000 jobs takes a while, and planning and checking go by the same ones. */
const known = new WeakMap<GraphWork, Graph>();

/** `attached`: path → sha256 of the files that travel with the request. */
export function expanded(work: GraphWork, attached: ReadonlyMap<string, string> = new Map()): Expanded {
  const graph = known.get(work) ?? expandGraph(work);
  known.set(work, graph);
  // Units are walked several times.
  const digests: string[] = [];
  const digestOf = (job: GraphJob): string => {
    const digest = digests[job.index] ?? jobDigest(job, attached);
    digests[job.index] = digest;
    return digest;
  };
  return { graph, digestOf };
}
