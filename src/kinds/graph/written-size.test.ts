import fc from "fast-check";
import { expect, test } from "vitest";
import { graphDocument, graphProblems } from "../../../tests/support/graph-documents.ts";
import { RULES, readSubmission } from "../../../tests/support/request-documents.ts";
import { expandAll } from "./expand.ts";
import { writtenBytes } from "./written-size.ts";

/** No small document costs much: its size written out is known before, and what is beyond the limit is refused with it. */
const value = fc.oneof(
  fc.constantFrom<unknown>("1..200000", "1..7", "0..1 step 0.25", "1e30", ["1..9", "x"], "y".repeat(3000)),
  fc.array(fc.constantFrom("a", "1..100000", "z".repeat(500)), { minLength: 1, maxLength: 30 }),
);
const word = fc.constantFrom("w", "{a}", "{b}", "{a}-{b}", "{a:9d}", "{a}".repeat(200), "k".repeat(900), "*{b}*");
const words = fc.array(word, { maxLength: 40 });
const job = fc.record(
  {
    name: fc.constantFrom("j", "j{a}", "j{a}-{b}"),
    run: fc.array(word, { minLength: 1, maxLength: 40 }),
    each: fc.constantFrom<unknown>("a", ["a", "b"], { zip: ["a", "b"] }),
    reads: words,
    makes: words,
    after: words,
    env: fc.dictionary(fc.constantFrom("A", "B", "C"), word),
    parameters: fc.record({ a: value }),
  },
  { requiredKeys: ["name", "run"] },
);
const documents = fc
  .tuple(fc.array(job, { minLength: 1, maxLength: 4 }), fc.record({ a: value, b: value }))
  .map(([jobs, parameters]) => graphDocument(jobs, { parameters }));

test("whatever a small document says, reading it is bounded in time and memory", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(documents, (document) => {
      const before = process.cpuUsage();
      const read = readSubmission(document, RULES);
      expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5);
      if (!read.ok || read.value.spec.work.kind !== "graph") return;
      const { work } = read.value.spec;
      const letters = expandAll(work).graph.jobs.reduce(
        (sum, { name, argv, reads, makes, env }) =>
          [name, ...argv, ...reads, ...makes, ...Object.values(env)].reduce((all, text) => all + text.length, sum),
        0,
      );
      expect(letters).toBeLessThanOrEqual(writtenBytes(work));
    }),
    { numRuns: 40 },
  );
});

test("it is refused with the number, from whichever field it comes", () => {
  const many = (job: object) =>
    graphProblems(
      graphDocument([{ name: "j{a}", run: "true", each: "a", ...job }], { parameters: { a: "1..100000" } }),
    );
  const fill = (text: string, count: number) => Array.from({ length: count }, (_, i) => `${text}${i}`);
  for (const job of [
    { run: ["x", ...fill("w", 900)] },
    { reads: fill("r", 900) },
    { makes: fill("m{a}.", 300) },
    { after: fill("j", 300) },
  ])
    expect(many(job)).toEqual([expect.stringMatching(/^jobs: would be \d+ MB when written out; at most 250 MB$/)]);
  expect(many({})).toEqual([]);
});
