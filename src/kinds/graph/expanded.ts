import { toEnd } from "../../core/base/slices.ts";
import type { Graph, GraphJob, GraphWork } from "../../core/graph.ts";
import { jobDigest } from "./digest.ts";
import { expandInSlices } from "./expand.ts";

/** A graph with every job written out, and what tells whether a job is still the same. */
export interface Expanded {
  readonly graph: Graph;
  digestOf(job: GraphJob): string;
}

/** Writing out 100,000 jobs takes a while, and planning and checking go by the same ones. */
const known = new WeakMap<GraphWork, Graph>();

/** Writes it out once, for whoever asks later, with pauses. */
export function* prepareExpanded(work: GraphWork): Generator<undefined, void> {
  if (!known.has(work)) known.set(work, (yield* expandInSlices(work)).graph);
}

/** `attached`: path → sha256 of the files that travel with the request. */
export function expanded(work: GraphWork, attached: ReadonlyMap<string, string> = new Map()): Expanded {
  toEnd(prepareExpanded(work));
  const graph = known.get(work)!;
  // Units are walked several times.
  const digests: string[] = [];
  const digestOf = (job: GraphJob): string => {
    const digest = digests[job.index] ?? jobDigest(job, attached);
    digests[job.index] = digest;
    return digest;
  };
  return { graph, digestOf };
}
