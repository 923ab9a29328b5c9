import { addRanges } from "../../core/base/ranges.ts";
import { eachInSlices } from "../../core/base/slices.ts";
import { type Edges, edgeSize, type Graph, type GraphOutline, type JobTemplate } from "../../core/graph.ts";
import { countRows } from "./rows.ts";

const MOST_JOBS = 100;
const MOST_TEMPLATES = 60;
const MOST_LAYERS = 60;
const SLICE = 500;

/** A graph for whoever draws it: job by job while there are few, then template by template, then layer by layer. */
export function* outlineGraph(
  { jobs, edges }: Graph,
  templates: readonly JobTemplate[],
): Generator<undefined, GraphOutline> {
  const layers = yield* layersOf(jobs.length, edges);
  const of = jobs.length <= MOST_JOBS ? "jobs" : templates.length <= MOST_TEMPLATES ? "templates" : "layers";
  /** How many layers stand for one, where the graph is deep. */
  const per = Math.ceil((layers.reduce((most, layer) => Math.max(most, layer), 0) + 1) / MOST_LAYERS);
  const groupOf = {
    jobs: () => jobs.map(({ index }) => index),
    templates: () => templateOf(templates),
    layers: () => layers.map((layer) => Math.floor(layer / per)),
  }[of]();
  const members: number[][] = [];
  yield* eachInSlices(groupOf, (group, job) => {
    members[group] ??= [];
    members[group].push(job);
  });
  const nameOf = {
    jobs: (group: number) => jobs[group]!.name,
    templates: (group: number) => templates[group]!.name,
    layers: (group: number) => (per === 1 ? `layer ${group + 1}` : `layers ${group * per + 1}–${(group + 1) * per}`),
  }[of];
  const groups = members.map((own, group) => {
    const ranges: [number, number][] = [];
    addRanges(own, ranges);
    return { name: nameOf(group), layer: layers[own[0]!]!, jobs: own.length, ranges };
  });
  return { jobs: jobs.length, of, groups, edges: yield* groupEdges(edges, groupOf) };
}

/** The longest way from the beginning, for each job. A set of edges is walked once, as if all of it met in one place. */
export function* layersOf(jobs: number, edges: readonly Edges[]): Generator<undefined, readonly number[]> {
  const layers = new Array<number>(jobs).fill(0);
  const waits = new Array<number>(jobs).fill(0);
  const out = new Map<number, number[]>();
  const left = edges.map(({ parents }) => parents.length);
  yield* eachInSlices(
    edges,
    ({ parents, children }, at) => {
      for (const parent of parents) {
        const known = out.get(parent);
        if (known) known.push(at);
        else out.set(parent, [at]);
      }
      if (parents.length > 0) for (const child of children) waits[child]! += 1;
    },
    edgeSize,
  );
  const ready = waits.flatMap((count, job) => (count === 0 ? [job] : []));
  let taken = 0;
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    if (++taken % SLICE === 0) yield;
    for (const at of out.get(next) ?? []) {
      left[at]! -= 1;
      if (left[at]! > 0) continue;
      const { parents, children } = edges[at]!;
      const layer = parents.reduce((most, parent) => Math.max(most, layers[parent]!), 0) + 1;
      for (const child of children) {
        layers[child] = Math.max(layers[child]!, layer);
        waits[child]! -= 1;
        if (waits[child] === 0) ready.push(child);
      }
    }
  }
  return layers;
}

const templateOf = (templates: readonly JobTemplate[]): readonly number[] =>
  templates.flatMap((template, at) => new Array<number>(countRows(template.each)).fill(at));

function* groupEdges(edges: readonly Edges[], groupOf: readonly number[]): Generator<undefined, GraphOutline["edges"]> {
  const known = new Map<string, GraphOutline["edges"][number]>();
  const groupsOf = (jobs: readonly number[]): number[] => [...new Set(jobs.map((job) => groupOf[job]!))];
  yield* eachInSlices(
    edges,
    ({ parents, children }) => {
      const from = groupsOf(parents);
      const to = groupsOf(children);
      const isOne = from.length === 1 && to.length === 1 && from[0] === to[0];
      if (from.length > 0 && to.length > 0 && !isOne) known.set(`${from} ${to}`, { from, to });
    },
    edgeSize,
  );
  return [...known.values()];
}
