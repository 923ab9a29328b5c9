import fc from "fast-check";
import { expect, test } from "vitest";
import { planOf, sampleGraph } from "../../../tests/support/sample-graph.ts";
import type { Edges, Graph } from "../../core/graph.ts";
import { jobName } from "../../core/names.ts";
import { plannedFor, readManifest } from "../manifest.ts";
import { unitFolder } from "../names.ts";
import { flatDag, flatFiles } from "./flat-dag.ts";

const OPTIONS = {
  statusIntervalSec: 300,
  scanIntervalSec: 5,
  maxJobsSubmitted: 2000,
  holdRemovalSec: 300,
  lostJobSec: 300,
  unmergedDir: "/storage/unmerged",
  mergedDir: "/storage/merged",
  deferPollSec: 30,
  avoidHostSec: 600,
};

/** Jobs by number, and edges only from lower to higher ones: no cycles. */
const anyGraph = fc.integer({ min: 2, max: 30 }).chain((jobs) => {
  const some = fc.uniqueArray(fc.nat(jobs - 1), { minLength: 1, maxLength: jobs });
  const edges = fc.array(fc.tuple(some, some), { maxLength: 8 }).map((pairs) =>
    pairs.flatMap(([before, after]): Edges[] => {
      const children = after.filter((child) => child > Math.max(...before));
      return children.length > 0 ? [{ parents: before, children }] : [];
    }),
  );
  const ended = fc.uniqueArray(fc.nat(jobs - 1), { maxLength: 2 });
  return fc
    .tuple(edges, ended)
    .map(([all, ends]) => sampleGraph(jobs, all, (index) => ({ when: ends.includes(index) ? "ended" : "done" })));
});

/** What DAGMan reads of it: nodes, and from each node to those after it. */
function readDag(text: string) {
  const nodes = new Map<string, { file: string; dir: string | null; isNoop: boolean; pre: readonly string[] }>();
  const after = new Map<string, Set<string>>();
  for (const line of text.split("\n")) {
    const words = line.split(" ");
    if (words[0] === "JOB")
      nodes.set(words[1]!, {
        file: words[2]!,
        dir: words[3] === "DIR" ? words[4]! : null,
        isNoop: words[3] === "NOOP",
        pre: [],
      });
    const [, node = ""] = /^SCRIPT DEFER 44 30 PRE (\S+) /.exec(line) ?? [];
    if (node !== "") nodes.set(node, { ...nodes.get(node)!, pre: words.slice(9) });
    if (words[0] !== "PARENT") continue;
    const cut = words.indexOf("CHILD");
    for (const parent of words.slice(1, cut))
      for (const child of words.slice(cut + 1)) after.set(parent, (after.get(parent) ?? new Set()).add(child));
  }
  return { nodes, after };
}

/** Each pair of jobs of which the second waits for the first, barriers taken away. */
function pairsOf({ nodes, after }: ReturnType<typeof readDag>): string[] {
  const pairs = new Set<string>();
  for (const [parent, children] of after) {
    if (nodes.get(parent)!.isNoop) continue;
    for (const child of children) {
      const behind = nodes.get(child)!.isNoop ? after.get(child)! : [child];
      for (const job of behind) pairs.add(`${parent} ${job}`);
    }
  }
  return [...pairs].sort();
}
const pairsIn = ({ edges }: Graph): string[] =>
  [
    ...new Set(
      edges.flatMap(({ parents, children }) =>
        parents.flatMap((p) => children.map((c) => `${jobName(p)} ${jobName(c)}`)),
      ),
    ),
  ].sort();

const dagOf = (graph: Graph): string => [...flatDag(planOf(graph), OPTIONS)].join("");

test("every edge of a graph holds in its DAG, also through barriers, and no other", () => {
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const dag = readDag(dagOf(graph));
      expect(pairsOf(dag)).toEqual(pairsIn(graph));
      for (const name of dag.after.keys()) expect(dag.nodes.has(name)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("a barrier is there where it saves edges, and nowhere else", () => {
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const { nodes, after } = readDag(dagOf(graph));
      for (const [name, { isNoop }] of nodes) {
        if (!isNoop) continue;
        const parents = [...after].filter(([, children]) => children.has(name)).length;
        const children = after.get(name)!.size;
        expect(parents * children).toBeGreaterThan(parents + children);
      }
    }),
  );
});

test("who comes after a soft job, or one that may run again, looks at it in its PRE, and nobody else does", () => {
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const { nodes } = readDag(dagOf(graph));
      const soft = softNames(graph);
      const again = soft.size > 0 ? againNames(graph) : new Set<string>();
      for (const { index, when } of graph.jobs) {
        const parents = graph.edges.filter(({ children }) => children.includes(index)).flatMap((each) => each.parents);
        const needed = parents.map(jobName).filter((name) => soft.has(name) || again.has(name));
        if (when === "ended" && needed.length > 0) needed.push("ended" as (typeof needed)[number]);
        const looked = nodes.get(jobName(index))!.pre.map((word) => word.replace(/^part_000\//, ""));
        expect(new Set(looked)).toEqual(new Set(needed));
      }
    }),
  );
});
/** Who waits for an end has run in vain when those before it run again, and with it all that comes after. */
function againNames({ jobs, edges }: Graph): Set<string> {
  const again = new Set<number>();
  const withAllAfter = (index: number): void => {
    if (again.has(index)) return;
    again.add(index);
    for (const { parents, children } of edges) if (parents.includes(index)) children.forEach(withAllAfter);
  };
  const hasParents = (index: number) =>
    edges.some(({ parents, children }) => parents.length > 0 && children.includes(index));
  for (const { index, when } of jobs) if (when === "ended" && hasParents(index)) withAllAfter(index);
  return new Set([...again].map(jobName));
}

/** By walking back from each job that runs however others end. */
function softNames({ jobs, edges }: Graph): Set<string> {
  const soft = new Set<number>();
  const before = (index: number): void => {
    for (const { parents, children } of edges)
      if (children.includes(index))
        for (const parent of parents)
          if (!soft.has(parent)) {
            soft.add(parent);
            before(parent);
          }
  };
  for (const { index, when } of jobs) if (when === "ended") before(index);
  return new Set([...soft].map(jobName));
}

test("a thousand jobs share a folder, each is in its own, and no line is longer than DAGMan reads", () => {
  const wide = sampleGraph(
    2501,
    [{ parents: Array.from({ length: 2500 }, (_, index) => index), children: [2500] }],
    (index) => ({ when: index === 2500 ? "ended" : "done" }),
  );
  const plan = planOf(wide);
  const files = new Map([...flatFiles(plan, OPTIONS)].map(({ path, chunks }) => [path, [...chunks].join("")]));
  expect([...files.keys()].filter((path) => path.endsWith("/manifest.json"))).toEqual(
    ["part_000", "part_001", "part_002"].map((part) => `${part}/manifest.json`),
  );
  const text = dagOf(wide);
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(60_000);
  const known = new Map(
    ["part_000", "part_001", "part_002"].map((part) => [
      part,
      readManifest(files.get(`${part}/manifest.json`)!)?.nodes,
    ]),
  );
  for (const [name, { dir }] of readDag(text).nodes) {
    expect(dir).toBe(unitFolder(name));
    expect(known.get(dir!)?.[name]?.argv).toEqual(["echo", String(Number(name.slice(4)))]);
  }
  const third = plannedFor(files.get("part_002/manifest.json")!, "job_002499");
  expect(third.job).toMatchObject({ name: "job 2499", resources: { memoryMb: 2000 }, handlers: [], soft: true });
  expect(plannedFor(files.get("part_002/manifest.json")!, "job_000001").job).toBeNull();
});

test("many soft parents are a list that their children share", () => {
  const parents = Array.from({ length: 30 }, (_, index) => index);
  const graph = sampleGraph(33, [{ parents, children: [30, 31, 32] }], (index) => ({
    when: index === 32 ? "ended" : "done",
  }));
  const { nodes } = readDag(dagOf(graph));
  expect([30, 31, 32].map((index) => nodes.get(jobName(index))!.pre)).toEqual([
    ["soft-0.list"],
    ["soft-0.list"],
    ["ended", "soft-0.list"],
  ]);
  const list = [...flatFiles(planOf(graph), OPTIONS)].find(({ path }) => path === "soft-0.list");
  expect([...(list?.chunks ?? [])].join("")).toBe(parents.map((index) => `part_000/${jobName(index)}\n`).join(""));
});
