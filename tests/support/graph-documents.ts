import type { Graph, GraphWork } from "../../src/core/graph.ts";
import { expandAll } from "../../src/kinds/graph/expand.ts";
import { attached, describeProblems, RULES, readSubmission } from "./request-documents.ts";

/** Graphs that tests begin with. */
export const graphDocument = (
  jobs: readonly unknown[],
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({ name: "a-graph", kind: "graph", directory: "/data/here", jobs, ...more });

/** Of a parameter sweep with a report at its end. */
export const sweepDocument = (): Record<string, unknown> =>
  graphDocument(
    [
      { name: "prepare", run: "./prepare.sh", makes: "config.json" },
      {
        name: "train-{lr}-{seed:03d}",
        each: ["lr", "seed"],
        run: "./train.sh {lr} {seed}",
        reads: "config.json",
        makes: "models/{lr}-{seed}.bin",
        env: { SEED: "{seed}" },
        resources: { cores: 4, memory: "8 GB", time: "2 h" },
        at_once: 20,
        retries: 1,
      },
      {
        name: "report",
        run: ["python3", "./report.py"],
        after: "train-*",
        when: "ended",
        priority: 10,
        handler: "odd",
      },
    ],
    {
      resources: { cores: 1, memory: "500 MB", time: "10 min" },
      parameters: { lr: [0.1, 0.01], seed: "1..50" },
      recovery: { handlers: [{ name: "odd", rules: [{ exit_codes: [3] }] }] },
      on: { end: "./tell.sh", jobs_ended: [{ jobs: "train-*", run: "./tell.sh trained" }] },
      attachments: Object.fromEntries(
        ["prepare.sh", "train.sh", "report.py", "tell.sh"].map((file) => [file, attached("#!/bin/sh\n")]),
      ),
    },
  );

export const graphWork = (document: unknown): GraphWork => {
  const read = readSubmission(document, RULES);
  if (!read.ok) throw new Error(describeProblems(read.error).join("\n"));
  return read.value.spec.work as GraphWork;
};
export const graphOf = (document: unknown): Graph => expandAll(graphWork(document)).graph;

export const graphProblems = (document: unknown): readonly string[] => {
  const read = readSubmission(document, RULES);
  return read.ok ? [] : describeProblems(read.error);
};

/** Every pair of names that an edge joins, once, as "parent → child". */
export const edgesOf = ({ jobs, edges }: Graph): readonly string[] => {
  const name = (job: number) => jobs[job]!.name;
  const pairs = edges.flatMap(({ parents, children }) =>
    parents.flatMap((parent) => children.map((child) => `${name(parent)} → ${name(child)}`)),
  );
  return [...new Set(pairs)].sort();
};
