import { expect, test } from "vitest";
import { graphDocument, graphWork } from "../../../tests/support/graph-documents.ts";
import { expandAll } from "./expand.ts";

test("a product keeps the order that was written, in a store that sorts the keys of a map", () => {
  const jobs = [{ name: "{town} {n}", each: ["town", "n"], run: "x" }];
  const work = graphWork(graphDocument(jobs, { parameters: { town: ["x", "y"], n: [1, 2] } }));
  const [job] = work.jobs;
  const { town, n } = job!.each!.columns;
  const stored = { ...work, jobs: [{ ...job!, each: { ...job!.each!, columns: { n: n!, town: town! } } }] };
  expect(expandAll(stored).graph.jobs.map(({ name }) => name)).toEqual(["x 1", "x 2", "y 1", "y 2"]);
});
