import type { Graph, GraphWork } from "../../src/core/graph.ts";
import type { Submission } from "../../src/core/submission.ts";
import { graphWork, graphOf as ownGraphOf } from "./graph-documents.ts";
import { attached, RULES, readSubmission } from "./request-documents.ts";

type Document = Readonly<Record<string, unknown>>;

/** Graphs of other systems, with what `wms2 submit` adds to a document. */
const sent = (document: Document): Document => ({ directory: "/graphs", ...document });

export function readGraphDocument(document: Document): Submission {
  const read = readSubmission(sent(document), RULES);
  if (!read.ok) throw new Error(read.error.map(({ path, message }) => `${path}: ${message}`).join("\n"));
  return read.value;
}

export const workOf = (document: Document): GraphWork => graphWork(sent(document));
export const graphOf = (document: Document): Graph => ownGraphOf(sent(document));

/** "path: message" of each problem. */
export function problemsOf(document: Document): readonly string[] {
  const read = readSubmission(sent(document), RULES);
  return read.ok ? [] : read.error.map(({ path, message }) => `${path}: ${message}`);
}

/** Name → names of all jobs before it, sorted. */
export function parentsOf({ jobs, edges }: Graph): Readonly<Record<string, readonly string[]>> {
  const before = new Map(jobs.map(({ name }) => [name, new Set<string>()]));
  for (const { parents, children } of edges)
    for (const child of children) for (const parent of parents) before.get(jobs[child]!.name)!.add(jobs[parent]!.name);
  return Object.fromEntries([...before].map(([name, set]) => [name, [...set].sort()]));
}

export const REPLAY_ATTACHED = { "replay.sh": attached("#!/bin/sh\n") };

/** A workflow of Torc's whose jobs do nothing, and are small. */
const SMALL = [{ name: "small", num_cpus: 2, memory: "512m", runtime: "PT1H30M" }];
export const torcSpec = (
  jobs: readonly Record<string, unknown>[],
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  name: "sweep",
  resource_requirements: SMALL,
  jobs: jobs.map((job) => ({ command: "true", resource_requirements: "small", ...job })),
  ...more,
});
