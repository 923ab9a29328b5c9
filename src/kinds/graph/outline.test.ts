import fc from "fast-check";
import { expect, test } from "vitest";
import { graphDocument, graphWork } from "../../../tests/support/graph-documents.ts";
import { toEnd } from "../../core/base/slices.ts";
import type { Edges } from "../../core/graph.ts";
import { expandAll } from "./expand.ts";
import { layersOf, outlineGraph } from "./outline.ts";

const outline = (jobs: object[], more: Record<string, unknown> = {}) => {
  const work = graphWork(graphDocument(jobs, more));
  return toEnd(outlineGraph(expandAll(work).graph, work.jobs));
};

test("few jobs are drawn each; many by template, and sets of edges stay sets", () => {
  const jobs = [
    { name: "first", run: "x" },
    { name: "work-{i}", each: ["i"], run: "x", after: "first" },
    { name: "last", run: "x", after: "work-*" },
  ];
  const few = outline(jobs, { parameters: { i: "1..3" } });
  expect(few).toMatchObject({ jobs: 5, of: "jobs" });
  expect(few.groups.map(({ name, layer }) => `${name} ${layer}`)).toEqual([
    "first 0",
    "work-1 1",
    "work-2 1",
    "work-3 1",
    "last 2",
  ]);
  const many = outline(jobs, { parameters: { i: "1..1000" } });
  expect(many).toEqual({
    jobs: 1002,
    of: "templates",
    groups: [
      { name: "first", layer: 0, jobs: 1, ranges: [[0, 0]] },
      { name: "work-{i}", layer: 1, jobs: 1000, ranges: [[1, 1000]] },
      { name: "last", layer: 2, jobs: 1, ranges: [[1001, 1001]] },
    ],
    edges: [
      { from: [0], to: [1] },
      { from: [1], to: [2] },
    ],
  });
});

test("many entries of one job each are drawn by layer, at most 60 of them", () => {
  const chain = Array.from({ length: 400 }, (_, at) => ({
    name: `j${at}`,
    run: "x",
    ...(at > 0 && { after: `j${at - 1}` }),
  }));
  const { of, groups } = outline(chain);
  expect(of).toBe("layers");
  expect(groups.length).toBeLessThanOrEqual(60);
  expect(groups[0]).toMatchObject({ name: "layers 1–7", jobs: 7, ranges: [[0, 6]] });
  expect(groups.reduce((sum, { jobs }) => sum + jobs, 0)).toBe(400);
});

/** Edges that lead from lower numbers to higher ones. */
const forward = fc
  .array(fc.tuple(fc.uniqueArray(fc.nat(19), { maxLength: 5 }), fc.uniqueArray(fc.nat(19), { maxLength: 5 })), {
    maxLength: 12,
  })
  .map((sets): Edges[] =>
    sets.map(([parents, children]) => ({
      parents,
      children: children.filter((child) => parents.every((one) => one < child)),
    })),
  );

test("a job's layer is one after the last of those before it", () => {
  fc.assert(
    fc.property(forward, (edges) => {
      const layers = toEnd(layersOf(20, edges));
      for (let job = 0; job < 20; job++) {
        const before = edges.flatMap(({ parents, children }) => (children.includes(job) ? parents : []));
        expect(layers[job]).toBe(before.length === 0 ? 0 : Math.max(...before.map((one) => layers[one]!)) + 1);
      }
    }),
  );
});
