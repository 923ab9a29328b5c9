import { eachInSlices, mapInSlices } from "../../core/base/slices.ts";
import { type Edges, edgeSize, type Graph, type GraphJob, type GraphPlan, type GraphWork } from "../../core/graph.ts";
import { jobName } from "../../core/names.ts";
import type { UnitPlan } from "../../core/plan.ts";
import type { Check, CheckContext, Report } from "../../planning/check.ts";

/** Each job once or credited, as the graph has it; who waits for whom in the graph waits in the plan, and nobody else. */
export function checkGraph(context: CheckContext<GraphWork>, report: Report, graph: Graph): Check {
  const { plan, credited } = context;
  const planned = plan.graph;
  const left = graph.jobs.filter(({ index }) => !credited?.has(index));
  const softOnes = new Set<number>();
  let at = 0;
  return {
    unit(unit) {
      const job = left[at++];
      if (!job || unit.index !== job.index) report("job-order", `${unit.name} is planned where ${job?.index} follows`);
      else if (planned) checkJob(unit, job, planned, report);
      if (unit.nodes[0]?.job?.soft) softOnes.add(unit.index);
    },
    *finish() {
      if (at !== left.length) report("job-lost", `${at} of ${left.length} jobs are planned`);
      if (plan.summary.units !== at || plan.summary.nodesByRole.job !== at)
        report("summary", `${at} jobs, the summary says otherwise`);
      if (!planned) report("no-graph", "the plan does not say what its jobs share");
      else {
        yield* checkEdges(graph, planned, credited ?? new Set(), plan.round === 0, report);
        yield* checkSoft(graph, planned, plan.units, softOnes, report);
      }
    },
  };
}

function checkJob(unit: UnitPlan, asked: GraphJob, { sizes, groups }: GraphPlan, report: Report): void {
  const node = unit.nodes[0];
  const job = node?.job;
  const name = jobName(asked.index);
  if (unit.nodes.length !== 1 || !node || !job || node.name !== name || unit.name !== name) {
    report("job-name", `unit ${asked.index} is called ${unit.name} and has ${unit.nodes.length} nodes`);
    return;
  }
  for (const key of ["name", "argv", "env", "reads", "makes", "when", "group"] as const)
    if (job[key] !== asked[key]) report("job-changed", `${unit.name}: ${key} is not what the graph says`);
  if (sizes[job.size] !== node.resources || node.resources !== unit.resources)
    report("job-size", `${unit.name} asks for another size than its submit file`);
  if (job.group !== null && !((groups[job.group]?.atOnce ?? 0) >= 1))
    report("job-group", `${unit.name} is in group ${job.group}, of which no job may run`);
}

/** In a later round what is done stays so, whatever before it has to run again. */
function* checkEdges(
  graph: Graph,
  planned: GraphPlan,
  credited: ReadonlySet<number>,
  isFirst: boolean,
  report: Report,
): Generator<undefined, void> {
  const without = (set: readonly number[]) => set.filter((index) => !credited.has(index));
  const asked = yield* mapInSlices(
    graph.edges,
    ({ parents, children }): Edges => {
      const [before, after] = [without(parents), without(children)];
      if (isFirst && before.length > 0 && after.length < children.length)
        report(
          "credited",
          `job ${children.find((index) => credited.has(index))} is credited, job ${before[0]} before it runs`,
        );
      return { parents: before, children: after };
    },
    edgeSize,
  );
  const lost = yield* firstMissing(asked, planned.edges);
  if (lost) report("edge-lost", `job ${lost.child} does not wait for job ${lost.parent}`);
  const invented = yield* firstMissing(planned.edges, asked);
  if (invented) report("edge-invented", `job ${invented.child} waits for job ${invented.parent}, and need not`);
  const barriers = planned.edges.map(({ barrier }) => barrier).filter((barrier) => barrier !== null);
  if (new Set(barriers).size !== barriers.length) report("barrier-twice", "two sets of jobs share a barrier");
}

/** A pair of `some` that is not in `all`. Two sets are compared once, however many children have both. */
function* firstMissing(
  some: readonly Edges[],
  all: readonly Edges[],
): Generator<undefined, { parent: number; child: number } | null> {
  const setsOf = new Map<number, number[]>();
  yield* eachInSlices(
    all,
    ({ children }, index) => {
      for (const child of children) {
        const sets = setsOf.get(child);
        if (sets) sets.push(index);
        else setsOf.set(child, [index]);
      }
    },
    edgeSize,
  );
  const members = once((set) => new Set(all[set]!.parents));
  let looked = 0;
  for (const { parents, children } of some) {
    const wanted = new Set(parents);
    const isCover = once((set) => all[set]!.parents.length >= wanted.size && isSubset(parents, members(set)));
    const isPart = once((set) => isSubset(all[set]!.parents, wanted));
    const seen = new Set<string>();
    for (const child of children) {
      if (++looked % SLICE === 0) yield;
      const sets = setsOf.get(child) ?? [];
      if (sets.some(isCover)) continue;
      // No set has all of them; those that have nothing else may have them together, else any.
      const parts = sets.filter(isPart);
      const key = parts.join(" ");
      if (seen.has(key)) continue;
      const parent = outside(parents, parts, members) && outside(parents, sets, members);
      if (parent) return { ...parent, child };
      seen.add(key);
    }
  }
  return null;
}

const SLICE = 500;
const once = <T>(make: (set: number) => T): ((set: number) => T) => {
  const known = new Map<number, T>();
  return (set) => {
    const made = known.get(set) ?? make(set);
    known.set(set, made);
    return made;
  };
};
const isSubset = (some: readonly number[], all: ReadonlySet<number>): boolean => some.every((each) => all.has(each));
/** A parent that is in none of the sets. */
function outside(parents: readonly number[], sets: readonly number[], members: (set: number) => ReadonlySet<number>) {
  const parent = parents.find((each) => !sets.some((set) => members(set).has(each)));
  return parent === undefined ? null : { parent };
}

/** Of a soft job DAGMan never says that it failed: whoever comes after it has to look. */
function* checkSoft(
  { jobs, edges }: Graph,
  { softSets }: GraphPlan,
  units: Iterable<UnitPlan>,
  soft: ReadonlySet<number>,
  report: Report,
): Generator<undefined, void> {
  if (soft.size === 0 && jobs.every(({ when }) => when === "done")) return;
  const looked = softSets.map((parents) => ({ parents, children: [] as number[] }));
  const planned = new Set<number>();
  yield* eachInSlices(units, ({ index, nodes }) => {
    planned.add(index);
    for (const set of nodes[0]?.job?.needs ?? []) looked[set]?.children.push(index);
  });
  const needed = yield* mapInSlices(
    edges,
    ({ parents, children }): Edges => {
      const before = parents.filter((index) => planned.has(index));
      const after = children.find((index) => planned.has(index) && (soft.has(index) || jobs[index]!.when === "ended"));
      const hard = before.find((index) => !soft.has(index));
      if (hard !== undefined && after !== undefined)
        report("not-soft", `job ${after} has to end, and would not when job ${hard} fails`);
      return {
        parents: before.filter((index) => soft.has(index)),
        children: children.filter((index) => planned.has(index)),
      };
    },
    edgeSize,
  );
  const unseen = yield* firstMissing(needed, looked);
  if (unseen) report("soft-unseen", `job ${unseen.child} does not look how job ${unseen.parent} ended`);
}
