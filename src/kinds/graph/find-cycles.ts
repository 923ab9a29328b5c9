import { eachInSlices } from "../../core/base/slices.ts";
import { cut } from "../../core/base/text.ts";
import { type Edges, edgeSize, type GraphJob } from "../../core/graph.ts";
import type { Expansion } from "./expand.ts";
import type { Faults } from "./faults.ts";

const MOST_NAMES = 10;
const MOST_CYCLES = 20;
const SLICE = 500;

/** Tells of jobs that wait for each other, by name. A set of edges counts as a node of its own, so none is multiplied out. */
export function* findCycles(
  jobs: readonly GraphJob[],
  edges: readonly Edges[],
  expansions: readonly Expansion[],
  faults: Faults,
): Generator<undefined, void> {
  const stuck = yield* stuckJobs(jobs.length, edges);
  if (stuck.size === 0) return;
  const waitsFor = oneStuckParent(edges, stuck);
  const seen = new Map<number, number>();
  let cycles = 0;
  yield;
  for (const start of stuck) {
    if (cycles === MOST_CYCLES) return;
    const path: number[] = [];
    let at: number | undefined = start;
    while (at !== undefined && !seen.has(at)) {
      seen.set(at, start);
      path.push(at);
      at = waitsFor.get(at);
    }
    if (at === undefined || seen.get(at) !== start) continue;
    const cycle = path.slice(path.indexOf(at)).reverse();
    const isMaker = ({ first, rows }: Expansion) => first <= cycle[0]! && cycle[0]! < first + rows;
    const { template, after } = expansions.find(isMaker)!;
    const key = after.length > 0 ? "after" : "reads";
    cycles += 1;
    faults.add(template, key, "cycle", `jobs wait for each other: ${writeCycle(cycle.map((job) => jobs[job]!))}`);
  }
}

function writeCycle(cycle: readonly GraphJob[]): string {
  const names = cycle.map(({ name }) => cut(name, 60));
  const some = names.length <= MOST_NAMES ? names : [...names.slice(0, MOST_NAMES), `… (${names.length} jobs)`];
  return [...some, names[0]!].join(" → ");
}

/** Those that never get to run: in a cycle, or behind one. */
function* stuckJobs(count: number, edges: readonly Edges[]): Generator<undefined, ReadonlySet<number>> {
  const setsBefore = new Int32Array(count);
  const setsAfter: number[][] = [];
  const parentsLeft = edges.map(({ parents }) => parents.length);
  yield* eachInSlices(
    edges,
    ({ parents, children }, set) => {
      for (const parent of parents) {
        setsAfter[parent] ??= [];
        setsAfter[parent].push(set);
      }
      for (const child of children) setsBefore[child]! += 1;
    },
    edgeSize,
  );
  const stuck = new Set<number>();
  const free: number[] = [];
  for (let job = 0; job < count; job++) setsBefore[job] === 0 ? free.push(job) : stuck.add(job);
  let taken = 0;
  for (let job = free.pop(); job !== undefined; job = free.pop()) {
    if (++taken % SLICE === 0) yield;
    for (const set of setsAfter[job] ?? []) {
      parentsLeft[set]! -= 1;
      if (parentsLeft[set] !== 0) continue;
      for (const child of edges[set]!.children) {
        setsBefore[child]! -= 1;
        if (setsBefore[child] !== 0) continue;
        stuck.delete(child);
        free.push(child);
      }
    }
  }
  return stuck;
}

function oneStuckParent(edges: readonly Edges[], stuck: ReadonlySet<number>): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const { parents, children } of edges) {
    const parent = parents.find((job) => stuck.has(job));
    if (parent !== undefined) for (const child of children) found.set(child, parent);
  }
  return found;
}
