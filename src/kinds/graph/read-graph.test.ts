import { describe, expect, test } from "vitest";
import { graphDocument, graphProblems, graphWork, sweepDocument } from "../../../tests/support/graph-documents.ts";
import { attached, RULES, readSubmission } from "../../../tests/support/request-documents.ts";
import { neededFiles } from "../../intake/read-submission.ts";
import { KINDS } from "../table.ts";
import { graphKind } from "./kind.ts";

test("a sweep as a person writes it", () => {
  const work = graphWork(sweepDocument());
  expect(work.directory).toBe("/data/here");
  expect(work.jobs.map(({ name }) => name)).toEqual(["prepare", "train-{lr}-{seed:03d}", "report"]);
  const [prepare, train, report] = work.jobs;
  expect(prepare!.resources).toEqual({ cores: 1, memoryMb: 500, wallMinutes: 10, diskMb: 1000, gpus: 0 });
  expect(train).toMatchObject({
    argv: ["./train.sh", "{lr}", "{seed}"],
    resources: { cores: 4, memoryMb: 8000, wallMinutes: 120 },
    atOnce: 20,
    retries: 1,
    when: "done",
  });
  expect(report).toMatchObject({ when: "ended", priority: 10, handlers: ["odd"], after: ["train-*"] });
  expect(work.hooks).toEqual([
    { on: "end", jobs: [], argv: ["./tell.sh"] },
    { on: "jobs-ended", jobs: ["train-*"], argv: ["./tell.sh", "trained"] },
  ]);
  expect(graphKind.describe(work)).toBe("102 jobs");
});

test("its handlers are for jobs, its files travel, and it has no steps", () => {
  const read = readSubmission(sweepDocument(), RULES);
  if (!read.ok) throw new Error("refused");
  const { spec, files } = read.value;
  expect(spec.recovery.handlers[0]?.roles).toEqual(["job"]);
  expect([spec.steps, spec.outputs]).toEqual([[], []]);
  expect(files.map(({ path }) => path)).toEqual(["prepare.sh", "train.sh", "report.py", "tell.sh"]);
  expect(neededFiles(sweepDocument(), KINDS)).toEqual([
    ...["prepare.sh", "train.sh", "tell.sh"].map((path) => ({ path, mayStay: false })),
    { path: "report.py", mayStay: true },
  ]);
});

test("programs may differ by parameter; what a job makes is no script", () => {
  const document = graphDocument(
    [
      { name: "{tool}", each: "tool", run: "./{tool}.sh" },
      { name: "show", run: "cat ./sum.txt", after: "a" },
      { name: "sum", run: "sum x", makes: "sum.txt" },
    ],
    { parameters: { tool: ["a", "b"] } },
  );
  expect(neededFiles(document, KINDS).map(({ path }) => path)).toEqual(["a.sh", "b.sh"]);
  expect(graphProblems(document)[0]).toContain('jobs[0].run: "./a.sh" is not attached');
});

test("a table is read, and stays behind", () => {
  const jobs = [{ name: "{who}-{n}", each: { table: "sweep.csv" }, run: "echo {who} {n}" }];
  const attachments = { "sweep.csv": attached("who,n\nann,1\nbob,2\n", false) };
  expect(neededFiles(graphDocument(jobs), KINDS)).toEqual([{ path: "sweep.csv", mayStay: false }]);
  const read = readSubmission(graphDocument(jobs, { attachments }), RULES);
  expect(read).toMatchObject({ ok: true, value: { files: [] } });
  expect(graphWork(graphDocument(jobs, { attachments })).jobs[0]!.each).toEqual({
    how: "rows",
    columns: { who: ["ann", "bob"], n: ["1", "2"] },
    order: ["who", "n"],
  });
  expect(graphProblems(graphDocument(jobs))[0]).toContain("jobs[0].each.table: is not attached");
});

test("sizes have names, and begin with what holds for all", () => {
  const document = graphDocument([{ name: "a", run: "a", resources: "big" }], {
    resources: { time: "5 min" },
    sizes: { big: { cores: 8 } },
    env: { A: "1" },
  });
  expect(graphWork(document).jobs[0]).toMatchObject({
    resources: { cores: 8, memoryMb: 16_000, wallMinutes: 5 },
    env: { A: "1" },
  });
});

const A = { name: "a", run: "a" };
const many = { seed: "1..3", lr: [1, 2] };

describe("what is wrong is told with its place", () => {
  test.each<[object[], object, string]>([
    [[{ name: "a" }], {}, "jobs[0].run: is missing"],
    [[{ run: "a" }], {}, "jobs[0].name: is missing"],
    [[], {}, "jobs: names no job"],
    [["x" as never], {}, 'jobs[0]: must be a job (got "x")'],
    [[{ ...A, command: "x" }], {}, "jobs[0].command: is not a known key; write run"],
    [[{ ...A, depends_on: [] }], {}, "jobs[0].depends_on: is not a known key; write after"],
    [[A], { directory: "here" }, 'directory: is a relative path (got "here")'],
    [[A], { directory: undefined }, "directory: is missing"],
    [[A], { changes: "hash" }, "changes: "],
    [[{ ...A, reads: ["a.txt", "data/*.txt"] }], {}, "jobs[0].reads[1]: is one file, not a pattern"],
    [[{ ...A, makes: ["out-?.txt"] }], {}, "jobs[0].makes[0]: is one file, not a pattern"],
    [[A], { steps: [] }, "steps: has no meaning in kind: graph"],
    [[A], { adaptive: true }, "adaptive: has no meaning in kind: graph"],
    [[A], { events: 5 }, "events: belongs to kind: generate"],
    [[A, { ...A }], {}, 'jobs[1].name: "a" is also made by jobs[0]'],
    [[{ ...A, each: "seed" }], { parameters: many }, 'jobs[0].name: makes "a" more than once'],
    [[{ ...A, name: "a-{seed}" }], { parameters: many }, "jobs[0].each: is missing: seed has 3 values"],
    [[{ ...A, name: "{sed}" }], {}, "jobs[0].name: {sed} is not a parameter here"],
    [[{ ...A, run: "a {" }], {}, "jobs[0].run: has a { on its own"],
    [[{ name: "{lr:03d}", run: "a", each: "lr" }], { parameters: { lr: [0.1, 1] } }, "jobs[0].name: {lr:03d} does not"],
    [[{ ...A, each: ["sed"] }], { parameters: many }, 'jobs[0].each[0]: "sed" is not a parameter; did you mean seed?'],
    [[{ ...A, each: { zip: ["seed", "lr"] } }], { parameters: many }, "jobs[0].each.zip: needs as many values of each"],
    [[{ ...A, each: { zip: [], table: "x" } }], {}, "jobs[0].each: must have either zip or table"],
    [[{ ...A, after: "b" }], {}, 'jobs[0].after: "b" is not a job of this graph'],
    [[{ ...A, after: "b*" }], {}, 'jobs[0].after: "b*" matches no job'],
    [[{ ...A, after: "a*" }], {}, 'jobs[0].after: "a*" matches "a", which would wait for itself'],
    [[{ ...A, after: "a" }], {}, 'jobs[0].after: "a" would wait for itself'],
    [[{ ...A, reads: "x", makes: "./x" }], {}, 'jobs[0].reads: "a" would wait for itself'],
    [
      [
        { ...A, after: "b" },
        { name: "b", run: "b", after: "c" },
        { name: "c", run: "c", reads: "x" },
        { name: "d", run: "d", makes: "x", after: "a" },
      ],
      {},
      "jobs wait for each other: ",
    ],
    [
      [
        { ...A, makes: "x/y" },
        { name: "b", run: "b", makes: "/data/here/x//y" },
      ],
      {},
      'jobs[1].makes: "x/y" is made by two jobs: "a" and "b"',
    ],
    [[{ ...A, makes: "*.txt" }], {}, "jobs[0].makes: is one file, not a pattern"],
    [[{ ...A, name: "a\u0007" }], {}, "jobs[0].name: must be one line without control characters"],
    [[{ ...A, name: "a*" }], {}, 'jobs[0].name: "a*" has a * or ?'],
    [[{ ...A, name: " a" }], {}, 'jobs[0].name: " a" is empty, or begins or ends with a blank'],
    [[{ ...A, name: "x".repeat(201) }], {}, "has 201 characters; at most 200"],
    [[{ ...A, resources: { memory: "50 TB" } }], {}, "jobs[0].resources.memory: asks for too much"],
    [[{ ...A, resources: { time: "100 d" } }], {}, "jobs[0].resources.time: 144000 min is longer than a job may run"],
    [[{ ...A, resources: { num_cpus: 3 } }], {}, "jobs[0].resources.num_cpus: is not a known key; write cores"],
    [[{ ...A, resources: "big" }], { sizes: { bigger: {} } }, 'jobs[0].resources: "big" is not one of the sizes'],
    [[A], { sizes: { big: { cores: 0 } } }, "sizes.big.cores: must be at least 1"],
    [[{ ...A, handler: "x" }], {}, 'jobs[0].handler: "x" is not one of recovery.handlers'],
    [[{ ...A, when: "failed" }], {}, 'jobs[0].when: "failed" is not one of the choices'],
    [[A], { on: { jobs_ended: [{ jobs: "b*", run: "x" }] } }, 'on.jobs_ended[0].jobs: "b*" matches no job'],
    [[A], { on: { finish: "x" } }, "on.finish: is not a known key"],
    [[{ name: "{i}", run: "a", each: "i" }], { parameters: { i: "1..300000" } }, "parameters.i: has 300000 values"],
    [
      [{ name: "{i}{j}", run: "a", each: ["i", "j"] }],
      { parameters: { i: "1..1000", j: "1..1000" } },
      "jobs: would be 1000000 jobs; a graph has at most 200000",
    ],
  ])("%j %j", (jobs, more, problem) =>
    expect(graphProblems(graphDocument(jobs, { ...more })).join("\n")).toContain(problem),
  );
});

test("all of it at once; what a broken job might have been called is not held against the others", () => {
  const problems = graphProblems(
    graphDocument([
      { name: "b", after: 7 },
      { name: "c", run: "c {y}", after: "b", resources: { cores: 0 } },
      { ...A, after: ["b", "x*"] },
      { ...A },
    ]),
  );
  expect(problems.map((problem) => problem.split(":")[0])).toEqual([
    "jobs[0].after",
    "jobs[0].run",
    "jobs[1].resources.cores",
    "jobs[1].run",
    "jobs[3].name",
  ]);
});

test("a mistake that a thousand jobs have is told once", () => {
  const jobs = [{ name: "a-{i}", run: "a", each: "i", after: "b-{i}" }];
  expect(graphProblems(graphDocument(jobs, { parameters: { i: "1..1000" } }))).toEqual([
    'jobs[0].after: "b-1" is not a job of this graph (and 999 more like it)',
  ]);
});

test("a file that turns out to be none is refused at once, not when the job has run", () => {
  const problems = (job: object, values: string[]) =>
    graphProblems(
      graphDocument([{ name: "j{i}", each: { zip: ["i", "x"] }, run: "true", ...job }], {
        parameters: { i: values.map((_, i) => i), x: values },
      }),
    );
  expect(problems({ makes: "{x}" }, ["a", ""])).toEqual(['jobs[0].makes: of "j1" is no file: ""']);
  expect(problems({ makes: "{x}" }, [" ", "/"])).toEqual([
    'jobs[0].makes: of "j0" is no file: " " (and 1 more like it)',
  ]);
  expect(problems({ reads: ["in", "{x}"] }, ["a*"])).toEqual([
    'jobs[0].reads: of "j0" is one file, not a pattern: "a*"',
  ]);
  expect(problems({ run: ["{x}", "b"] }, ["", "a"])).toEqual([
    'jobs[0].run: of "j0" names no program: its first word is empty',
  ]);
  expect(problems({ makes: "out/{x}" }, ["a b", "ü"])).toEqual([]);
});
