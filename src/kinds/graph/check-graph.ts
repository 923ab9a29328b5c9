import type { Edges, Graph, GraphJob, GraphPlan, GraphWork } from "../../domain/graph.ts";
import { jobName } from "../../domain/names.ts";
import type { UnitPlan } from "../../domain/plan.ts";
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
    finish() {
      if (at !== left.length) report("job-lost", `${at} of ${left.length} jobs are planned`);
      if (plan.summary.units !== at || plan.summary.nodesByRole.job !== at)
        report("summary", `${at} jobs, the summary says otherwise`);
      if (!planned) report("no-graph", "the plan does not say what its jobs share");
      else {
        checkEdges(graph, planned, credited ?? new Set(), plan.round === 0, report);
        checkSoft(graph, planned, plan.units, softOnes, report);
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
function checkEdges(
  graph: Graph,
  planned: GraphPlan,
  credited: ReadonlySet<number>,
  isFirst: boolean,
  report: Report,
): void {
  const without = (set: readonly number[]) => set.filter((index) => !credited.has(index));
  const asked: Edges[] = [];
  for (const { parents, children } of graph.edges) {
    const [before, after] = [without(parents), without(children)];
    if (isFirst && before.length > 0 && after.length < children.length)
      report(
        "credited",
        `job ${children.find((index) => credited.has(index))} is credited, job ${before[0]} before it runs`,
      );
    asked.push({ parents: before, children: after });
  }
  const lost = firstMissing(asked, planned.edges);
  if (lost) report("edge-lost", `job ${lost.child} does not wait for job ${lost.parent}`);
  const invented = firstMissing(planned.edges, asked);
  if (invented) report("edge-invented", `job ${invented.child} waits for job ${invented.parent}, and need not`);
  const barriers = planned.edges.map(({ barrier }) => barrier).filter((barrier) => barrier !== null);
  if (new Set(barriers).size !== barriers.length) report("barrier-twice", "two sets of jobs share a barrier");
}

/** A pair of `some` that is not in `all`. Children with the same sets before them are looked at once. */
function firstMissing(some: readonly Edges[], all: readonly Edges[]): { parent: number; child: number } | null {
  const setsOf = new Map<number, number[]>();
  for (const [index, { children }] of all.entries())
    for (const child of children) {
      const sets = setsOf.get(child);
      if (sets) sets.push(index);
      else setsOf.set(child, [index]);
    }
  for (const { parents, children } of some) {
    const seen = new Set<string>();
    for (const child of children) {
      const sets = setsOf.get(child) ?? [];
      const key = sets.join(" ");
      if (seen.has(key)) continue;
      seen.add(key);
      const before = new Set(sets.flatMap((index) => all[index]!.parents));
      const parent = parents.find((each) => !before.has(each));
      if (parent !== undefined) return { parent, child };
    }
  }
  return null;
}

/** Of a soft job DAGMan never says that it failed: whoever comes after it has to look. */
function checkSoft(
  { jobs, edges }: Graph,
  { softSets }: GraphPlan,
  units: Iterable<UnitPlan>,
  soft: ReadonlySet<number>,
  report: Report,
): void {
  if (soft.size === 0 && jobs.every(({ when }) => when === "done")) return;
  const looked: Edges[] = [];
  const planned = new Set<number>();
  for (const { index, nodes } of units) {
    planned.add(index);
    for (const set of nodes[0]?.job?.needs ?? []) looked.push({ parents: softSets[set] ?? [], children: [index] });
  }
  const needed: Edges[] = [];
  for (const { parents, children } of edges) {
    const before = parents.filter((index) => planned.has(index));
    const after = children.find((index) => planned.has(index) && (soft.has(index) || jobs[index]!.when === "ended"));
    const hard = before.find((index) => !soft.has(index));
    if (hard !== undefined && after !== undefined)
      report("not-soft", `job ${after} has to end, and would not when job ${hard} fails`);
    needed.push({
      parents: before.filter((index) => soft.has(index)),
      children: children.filter((index) => planned.has(index)),
    });
  }
  const unseen = firstMissing(needed, looked);
  if (unseen) report("soft-unseen", `job ${unseen.child} does not look how job ${unseen.parent} ended`);
}
