import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { edgesOf, graphDocument, graphOf, graphWork, sweepDocument } from "../../../tests/support/graph-documents.ts";
import type { GraphJob, GraphWork, JobTemplate } from "../../core/graph.ts";
import { jobDigest } from "./digest.ts";
import { expandAll } from "./expand.ts";
import { graphInputs } from "./inputs.ts";
import { JobNames, matches } from "./job-names.ts";
import { plainPath } from "./plain-path.ts";

test("a sweep written out, in the order of the document", () => {
  const { jobs, edges, groups } = graphOf(sweepDocument());
  expect(jobs).toHaveLength(102);
  expect(jobs[1]).toMatchObject({
    index: 1,
    name: "train-0.1-001",
    argv: ["./train.sh", "0.1", "1"],
    env: { SEED: "1" },
    reads: ["config.json"],
    makes: ["models/0.1-1.bin"],
    group: 0,
    retries: 1,
  });
  expect(jobs[100]!.name).toBe("train-0.01-050");
  expect(groups).toEqual([{ name: "train-{lr}-{seed:03d}", atOnce: 20 }]);
  expect(edges.map(({ parents, children }) => [parents.length, children.length])).toEqual([
    [1, 100],
    [100, 1],
  ]);
});

const letters = (word: string) => ({ name: word, run: word });

describe("who waits for whom", () => {
  test("names, globs and files; each layer is two sets, never a product", () => {
    const jobs = [
      { name: "a{i}", each: "i", run: "x", makes: "a/{i}" },
      { name: "b{i}", each: "i", run: "x", after: "a*" },
      { name: "c{i}", each: "i", run: "x", reads: ["a/{i}", "./elsewhere"], after: "b{i}" },
      { name: "d", run: "x", after: ["c1", "c2"], reads: "../here/a/3" },
    ];
    const graph = graphOf(graphDocument(jobs, { parameters: { i: "1..3" } }));
    expect(edgesOf(graph)).toEqual(
      [
        ...["a1", "a2", "a3"].flatMap((a) => ["b1", "b2", "b3"].map((b) => `${a} → ${b}`)),
        ...["1", "2", "3"].flatMap((i) => [`a${i} → c${i}`, `b${i} → c${i}`]),
        ...["a3 → d", "c1 → d", "c2 → d"],
      ].sort(),
    );
    expect(graph.edges[0]).toEqual({ parents: [0, 1, 2], children: [3, 4, 5] });
  });

  test.each([
    ["train-*", "train-1", true],
    ["train-1", "train-10", false],
    ["*-1", "train-1", true],
    ["t?ain", "train", true],
    ["t?ain", "tain", false],
    ["?", "🙂", true],
    ["*?", "", false],
    ["*", "", true],
    ["a*b*c", "aXbYbZc", true],
    ["a*b*c", "aXbYbZ", false],
    [`${"a*".repeat(50)}b`, "a".repeat(200), false],
  ])("%s and %s", (glob, name, found) => expect(matches(glob, name)).toBe(found));

  test("names are shown as they were written, with blanks and in any script", () => {
    const names = ["Zähler 1", "訓練", "a b  c", "{ x }"];
    const jobs = names.map((name) => ({ ...letters("x"), name: name.replaceAll("{", "{{").replaceAll("}", "}}") }));
    expect(graphOf(graphDocument(jobs)).jobs.map(({ name }) => name)).toEqual(names);
  });

  test.each([
    ["a/b", "a/b"],
    ["./a//b/", "a/b"],
    ["/data/here/a", "a"],
    ["/data/hereafter/a", "/data/hereafter/a"],
    ["../here/x", "x"],
    ["../x", "/data/x"],
    ["/../../x", "/x"],
  ])("the file %s is %s", (path, plain) => expect(plainPath(path, "/data/here")).toBe(plain));
});

test("constants may be named without each, own ones come first, and rows go side by side", () => {
  const jobs = [
    { name: "a-{who}-{n}", run: "x {where}", parameters: { n: 5 } },
    { name: "b-{x}{y}{n}", run: "x", each: { zip: ["x", "y"] }, parameters: { y: ["p", "q"], n: 7 } },
  ];
  const graph = graphOf(graphDocument(jobs, { parameters: { who: "me", where: "/tmp", x: [1, 2], n: 6 } }));
  expect(graph.jobs.map(({ name, argv }) => [name, ...argv].join(" "))).toEqual([
    "a-me-5 x /tmp",
    "b-1p7 x",
    "b-2q7 x",
  ]);
});

test("what has to be there before it begins", () => {
  const jobs = [
    { ...letters("a"), reads: ["in.csv", "/data/all.csv"], makes: "mid.csv" },
    { ...letters("b"), reads: ["mid.csv", "in.csv", "more.csv"] },
  ];
  expect([...graphInputs(graphWork(graphDocument(jobs)))]).toEqual([
    ["/data/here", "directory"],
    ["/data/here/in.csv", "jobs[0].reads"],
    ["/data/all.csv", "jobs[0].reads"],
    ["/data/here/more.csv", "jobs[1].reads"],
  ]);
});

describe("a digest", () => {
  type Digested = Pick<GraphJob, "argv" | "env" | "reads" | "makes">;
  const job: Digested = { argv: ["./a.sh", "1"], env: { A: "1", B: "2" }, reads: ["x"], makes: ["y"] };
  const digest = (changes: Partial<Digested>, sha = "aa") =>
    jobDigest({ ...job, ...changes }, new Map([["a.sh", sha]]));

  test("is the same for the same command, however it was written", () => {
    expect(digest({ env: { B: "2", A: "1" } })).toBe(digest({}));
    expect(digest({ argv: ["a.sh", "1"] }, "bb")).toBe(digest({ argv: ["a.sh", "1"] }));
  });

  test.each<[Partial<Digested>, string?]>([
    [{ argv: ["./a.sh", "2"] }],
    [{ argv: ["./a.sh", "1", ""] }],
    [{ env: { A: "1" } }],
    [{ reads: [] }],
    [{ makes: ["z"] }],
    [{}, "bb"],
  ])("changes with %j %s", (changes, sha) => expect(digest(changes, sha)).not.toBe(digest({})));
});

const TEMPLATE: JobTemplate = {
  name: "",
  argv: ["x"],
  env: {},
  each: null,
  after: [],
  reads: [],
  makes: [],
  resources: { cores: 1, memoryMb: 1, diskMb: 1, wallMinutes: 1, gpus: 0 },
  priority: 0,
  atOnce: null,
  when: "done",
  handlers: [],
  retries: null,
};
const workOf = (jobs: readonly Partial<JobTemplate>[]): GraphWork => ({
  kind: "graph",
  directory: "/w",
  parameters: {},
  jobs: jobs.map((job) => ({ ...TEMPLATE, ...job })),
  hooks: [],
});
const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));

/** Templates that name, match and read whatever came before them. */
const layers: fc.Arbitrary<GraphWork> = fc
  .array(fc.record({ rows: fc.integer({ min: 1, max: 5 }), before: fc.nat(3), how: fc.nat(5) }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((all) =>
    workOf(
      all.map(({ rows, before, how }, index) => {
        const other = index - 1 - before;
        const same = all[other]?.rows === rows;
        const [after, reads]: [string[], string[]] =
          other < 0 || how === 0
            ? [[], []]
            : how === 1
              ? [[`t${other}-*`], []]
              : how === 2
                ? [[], [`f/${other}/0`]]
                : how === 3
                  ? [
                      [`t${other}-0`, `t?-${rows - 1 < all[other]!.rows ? rows - 1 : 0}*`.replace("?", String(other))],
                      [],
                    ]
                  : same
                    ? [[`t${other}-{i}`], [`f/${other}/{i}`]]
                    : [["t0-*", `t${other}-0`], [`./f//${other}/0`]];
        const each = { how: "product" as const, columns: { i: numbers(rows) } };
        return { name: `t${index}-{i}`, makes: [`f/${index}/{i}`], each, after, reads };
      }),
    ),
  );

/** The same without sets, indexes and sharing: every job is held against every other. */
function pairsByHand(work: GraphWork): readonly string[] {
  const jobs = work.jobs.flatMap((job) =>
    (job.each?.columns.i ?? [""]).map((i) => {
      const fill = (text: string) => text.replaceAll("{i}", i).replaceAll(/^\.\/|(?<=\/)\//g, "");
      return {
        name: fill(job.name),
        after: job.after.map(fill),
        reads: job.reads.map(fill),
        makes: job.makes.map(fill),
      };
    }),
  );
  const isBefore = (parent: (typeof jobs)[0], child: (typeof jobs)[0]) =>
    child.reads.some((path) => parent.makes.includes(path)) ||
    child.after.some((glob) => new RegExp(`^${glob.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(parent.name));
  return jobs
    .flatMap((child) =>
      jobs.filter((parent) => isBefore(parent, child)).map((parent) => `${parent.name} → ${child.name}`),
    )
    .sort();
}

describe("laws", () => {
  test("every edge of the document is in the graph, and no other", () =>
    fc.assert(
      fc.property(layers, (work) => {
        const { graph, faults } = expandAll(work);
        expect(faults.all).toEqual([]);
        expect(edgesOf(graph)).toEqual(pairsByHand(work));
      }),
      { numRuns: 300 },
    ));

  test("the same work gives the same graph, also after a trip through JSON", () =>
    fc.assert(
      fc.property(layers, (work) => {
        expect(expandAll(JSON.parse(JSON.stringify(work))).graph).toEqual(expandAll(work).graph);
      }),
    ));

  const text = fc.oneof(fc.string(), fc.constantFrom("{i}", "t{i:03d}", "*", "{", "t0-*", "/a/../..", "{i:.2f}"));
  const texts = fc.array(text, { maxLength: 3 });
  const anything = fc.record({
    name: text,
    argv: texts,
    after: texts,
    reads: texts,
    makes: texts,
    each: fc.option(
      fc.record({
        how: fc.constantFrom("product" as const, "rows" as const),
        columns: fc.dictionary(fc.constantFrom("i", "j", "__proto__"), fc.array(fc.string(), { maxLength: 3 })),
      }),
    ),
  });
  test("whatever a work says, it is written out or told what is wrong", () =>
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 5 }), (jobs) => {
        const { graph, faults } = expandAll(workOf(jobs));
        for (const { message } of faults.all) expect(message.length).toBeGreaterThan(0);
        for (const { parents, children } of graph.edges)
          for (const job of [...parents, ...children]) expect(graph.jobs[job]).toBeDefined();
      }),
      { numRuns: 500 },
    ));
});

describe("a hundred thousand jobs", () => {
  const cpuMs = (work: () => unknown): number => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1000;
  };
  const each = (rows: number) => ({ how: "product" as const, columns: { i: numbers(rows) } });

  test("are written out in well under two seconds, a layer of a thousand times a thousand among them", () => {
    const work = workOf([
      { name: "l-{i}", each: each(1000) },
      { name: "m-{i}", each: each(1000), after: ["l-*"] },
      { name: "t-{i:06d}", each: each(98_000), argv: ["./t.sh", "{i}"], after: ["m-*"], makes: ["out/{i}.bin"] },
    ]);
    expect(cpuMs(() => expect(expandAll(work).graph.edges).toHaveLength(2))).toBeLessThan(3000);
  });

  test("with a glob each, all different, take no longer", () => {
    const work = workOf([
      { name: "a-{i}-x", each: each(50_000) },
      { name: "b-{i}", each: each(50_000), after: ["a-{i}-*"] },
    ]);
    expect(cpuMs(() => expect(expandAll(work).faults.all).toEqual([]))).toBeLessThan(3000);
  });

  test("with globs that anything might match are refused before they hold up everybody", () => {
    const work = workOf([
      { name: "a-{i}-x", each: each(5000) },
      { name: "b-{i}-y", each: each(5000), after: ["*-{i}-?"] },
    ]);
    const { faults } = expandAll(work);
    expect(faults.all.map(({ code }) => code)).toContain("too-many-globs");
  });

  test("a name is found among those that end like it, too", () => {
    const names = new JobNames(numbers(20_000).map((number) => `x${number}-end`));
    expect(names.matching("*7-end")).toHaveLength(2000);
    expect(names.isSpent).toBe(false);
  });
});
