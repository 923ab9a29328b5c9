import { expect, test } from "vitest";
import { graphDocument, graphOf, graphProblems } from "../../../tests/support/graph-documents.ts";
import { attached } from "../../../tests/support/request-documents.ts";

const seconds = (work: () => unknown): number => {
  const began = performance.now();
  work();
  return (performance.now() - began) / 1000;
};

test("a hundred thousand globs are planned, or refused, in seconds", () => {
  const range = { parameters: { i: "1..50000" }, each: "i" };
  const after = (glob: string) =>
    graphDocument(
      [
        { name: "a{i}-end", run: "x", ...range },
        { name: "b{i}", run: "x", ...range, after: [glob, "a{i}-e*"] },
      ],
      {},
    );
  expect(seconds(() => expect(graphOf(after("a{i}-*")).jobs).toHaveLength(100_000))).toBeLessThan(20);
  expect(seconds(() => expect(graphProblems(after("*{i}*")).join()).toContain("too many globs"))).toBeLessThan(20);
});

test("a table of a million rows is refused with the limit, in seconds", () => {
  const table = `n\n${Array.from({ length: 1_000_000 }, (_, n) => n).join("\n")}\n`;
  const jobs = [{ name: "j{n}", run: "x", each: { table: "t.csv" } }];
  const document = graphDocument(jobs, { attachments: { "t.csv": attached(table) } });
  const taken = seconds(() => expect(graphProblems(document).join()).toContain("has more than 200000 rows"));
  expect(taken).toBeLessThan(10);
});
