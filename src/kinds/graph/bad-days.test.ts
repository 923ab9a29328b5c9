import { expect, test } from "vitest";
import { graphDocument, graphOf, graphProblems, graphWork } from "../../../tests/support/graph-documents.ts";
import { attached } from "../../../tests/support/request-documents.ts";
import { checkPlan, planRound, sampleFacts } from "../../../tests/support/sample-facts.ts";
import { graphSpec } from "../../../tests/support/sample-graph.ts";

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

/** Each of a layer waits for all of the one before; in the second also for one of its own, and for one that all share. */
test("layers of tens of thousands are planned and checked in the time of their jobs, not of their edges", () => {
  const layer = (name: string, more: object) => ({ name: `${name}{i}`, run: "x", each: "i", ...more });
  const range = { parameters: { i: "1..20000" } };
  const documents = [
    [
      layer("a", {}),
      layer("b", { after: "a*" }),
      layer("c", { after: "b*", when: "ended" }),
      layer("d", { after: "c*" }),
    ],
    [layer("a", {}), layer("c", {}), layer("b", { after: ["a*", "c{i}", "a1"] })],
  ];
  for (const jobs of documents) {
    const taken = seconds(() => {
      const facts = sampleFacts(graphSpec({ work: graphWork(graphDocument(jobs, range)) }));
      const outcome = planRound(facts);
      if (outcome.kind !== "planned") throw new Error(outcome.kind);
      expect(checkPlan(outcome.plan, facts)).toEqual([]);
    });
    expect(taken).toBeLessThan(60);
  }
}, 120_000);
