import { thousands } from "../../base/text.ts";
import type { GraphWork } from "../../domain/graph.ts";
import type { Kind } from "../kind.ts";
import { checkGraph } from "./check-graph.ts";
import { decideCredits, decideMade, doubtfulFiles, predecessors } from "./credit.ts";
import { expanded, prepareExpanded } from "./expanded.ts";
import { graphInputs } from "./inputs.ts";
import { outlineGraph } from "./outline.ts";
import { planGraph } from "./plan-graph.ts";
import { readGraph } from "./read-graph.ts";
import { countJobs } from "./rows.ts";

/** Jobs with commands of their own that wait for each other. One round has all of them. */
export const graphKind: Kind<GraphWork> = {
  name: "graph",
  mainKeys: ["jobs"],
  keys: ["jobs", "parameters", "sizes", "directory", "on", "env", "changes"],
  commands: "own",
  simulatorChain: [],
  read: readGraph,
  extent: () => null,
  inputs: graphInputs,
  describe: (work) => {
    const jobs = countJobs(work);
    return `${thousands(BigInt(jobs))} job${jobs === 1 ? "" : "s"}`;
  },
  unitWord: "job",
  outline: (work) => outlineGraph(expanded(work).graph, work.jobs),
  begin: () => ({ unit: 0, node: 0, block: 0, firstEvent: 1n, firstLumi: 1n }),
  mostJobs: ({ spec }) => BigInt(countJobs(spec.work)),
  prepare: prepareExpanded,
  *plan(facts) {
    yield* prepareExpanded(facts.spec.work);
    return yield* planGraph(facts, expanded(facts.spec.work, facts.attached));
  },
  check: (context, report) => checkGraph(context, report, expanded(context.spec.work).graph),
  remains: ({ workflow }) => workflow.nextUnit === 0,
  sharePlanned: ({ workflow }) => (workflow.nextUnit === 0 ? 0 : 1),
  releaseFields: [],
  isOneRound: true,
  credits: {
    files(work) {
      const { jobs } = expanded(work).graph;
      const made = new Set(jobs.flatMap(({ makes }) => makes));
      const paths = new Set([...made, ...jobs.flatMap(({ reads }) => reads)]);
      return { directory: work.directory, paths, made, byContents: work.changes === "contents" };
    },
    doubtful: doubtfulFiles,
    decide({ work, attached, before, seen }) {
      const { graph, digestOf } = expanded(work, attached);
      const known = before.work?.kind === "graph" ? expanded(before.work).graph : { jobs: [], edges: [] };
      const causes = decideCredits({
        ...graph,
        digests: graph.jobs.map(digestOf),
        proofs: before.proofs,
        known: predecessors(known),
        seen,
      });
      return graph.jobs.map(({ name }, index) => ({ name, cause: causes[index]! }));
    },
    made({ work, attached, ...facts }) {
      const { graph, digestOf } = expanded(work, attached);
      return decideMade({ ...graph, digestOf: (index) => digestOf(graph.jobs[index]!), ...facts });
    },
  },
};
