import { eachInSlices, mapInSlices } from "../../core/base/slices.ts";
import { thousands } from "../../core/base/text.ts";
import type { GraphWork } from "../../core/graph.ts";
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
  *outline(work) {
    yield* prepareExpanded(work);
    return yield* outlineGraph(expanded(work).graph, work.jobs);
  },
  begin: () => ({ unit: 0, node: 0, block: 0, firstEvent: 1n, firstLumi: 1n }),
  mostJobs: ({ spec }) => BigInt(countJobs(spec.work)),
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
    *files(work) {
      yield* prepareExpanded(work);
      const [paths, made] = [new Set<string>(), new Set<string>()];
      yield* eachInSlices(expanded(work).graph.jobs, ({ reads, makes }) => {
        for (const path of makes) made.add(path);
        for (const path of [...makes, ...reads]) paths.add(path);
      });
      return { directory: work.directory, paths, made, byContents: work.changes === "contents" };
    },
    doubtful: doubtfulFiles,
    *decide({ work, attached, before, seen }) {
      yield* prepareExpanded(work);
      const { graph, digestOf } = expanded(work, attached);
      const earlier = before.work?.kind === "graph" ? before.work : null;
      if (earlier) yield* prepareExpanded(earlier);
      const known = earlier ? expanded(earlier).graph : { jobs: [], edges: [] };
      const causes = yield* decideCredits({
        ...graph,
        digestOf: (index) => digestOf(graph.jobs[index]!),
        proofs: before.proofs,
        known: yield* predecessors(known),
        seen,
      });
      return yield* mapInSlices(graph.jobs, ({ name }, index) => ({ name, cause: causes[index]! }));
    },
    *made({ work, attached, ...facts }) {
      yield* prepareExpanded(work);
      const { graph, digestOf } = expanded(work, attached);
      return yield* decideMade({ ...graph, digestOf: (index) => digestOf(graph.jobs[index]!), ...facts });
    },
  },
};
