import fc from "fast-check";
import { expect, test } from "vitest";
import { torcSpec } from "../../tests/support/imported-graphs.ts";
import { generateDocument, RULES, readSubmission, stepChainDocument } from "../../tests/support/request-documents.ts";
import { planInSlices, sampleFacts } from "../../tests/support/sample-facts.ts";
import { stringify } from "../core/base/json.ts";
import { toEnd } from "../core/base/slices.ts";
import type { GraphWork } from "../core/graph.ts";
import type { RequestSpec } from "../core/request.ts";
import { expandAll } from "../kinds/graph/expand.ts";
import { MAX_BYTES, MAX_JOBS } from "../kinds/graph/limits.ts";
import { countJobs } from "../kinds/graph/rows.ts";
import { writtenBytes } from "../kinds/graph/written-size.ts";
import { kindOf } from "../kinds/kind.ts";
import { KINDS } from "../kinds/table.ts";

/**
 * No small document costs much: reading it takes seconds at most, and what comes of it is in proportion to it, or calculated before and
 * refused with the number. What a graph of our own becomes is in kinds/graph/written-size.test.ts.
 */
type Document = Readonly<Record<string, unknown>>;
const HEAVY = { timeout: 180_000 };

function read(document: Document): RequestSpec | null {
  const before = process.cpuUsage();
  const answer = readSubmission({ directory: "/graphs", ...document }, RULES);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(20);
  if (answer.ok) return answer.value.spec;
  for (const { message } of answer.error) expect(message.length).toBeLessThan(2000);
  expect(answer.error.length).toBeLessThanOrEqual(1000);
  return null;
}

const bytesOf = (value: unknown): number => stringify(value).length;

const amount = fc.oneof(
  fc.constantFrom<unknown>(1, 7, 1000, 100_000, 10 ** 9, 10 ** 15, "9223372036854775807", 2 ** 31, 0.5, 1e-9, "x"),
  fc.integer({ min: 1, max: 10 ** 6 }),
);

/** Walks a round that may have few nodes: it has no more than was calculated, and stops where it has to. */
function planIsBounded(spec: RequestSpec): void {
  const most = 500;
  const facts = sampleFacts(spec, {
    next: kindOf(KINDS, spec.work).begin(spec.work),
    policy: { maxNodesPerRound: most },
  });
  const calculated = kindOf(KINDS, spec.work).mostJobs(facts);
  const outcome = toEnd(planInSlices(facts));
  if (outcome.kind !== "planned") return;
  let [units, jobs] = [0, 0];
  for (const { nodes } of outcome.plan.units) {
    units += 1;
    jobs += nodes.length;
    if (jobs > 2 * most) throw new Error("more jobs than a round may have");
  }
  expect(units).toBe(outcome.plan.summary.units);
  expect(BigInt(jobs)).toBeLessThanOrEqual(calculated);
  expect(jobs).toBeLessThanOrEqual(most);
}

test("generate: whatever numbers a document has", HEAVY, () => {
  const documents = fc.record(
    {
      events: amount,
      first_event: amount,
      first_lumi: amount,
      filter_efficiency: amount,
      events_per_lumi: amount,
      lumis: fc.constantFrom("per_job", "per_work_unit"),
      split: fc.record({ by: fc.constantFrom("events", "files"), events_per_job: amount }, { requiredKeys: ["by"] }),
      unit: fc.record({ jobs: amount, max_size: fc.constantFrom("1 B", "1 GB", "9 PB") }, { requiredKeys: [] }),
    },
    { requiredKeys: ["events", "split"] },
  );
  fc.assert(
    fc.property(documents, (change) => {
      const document = generateDocument(change);
      const spec = read(document);
      if (!spec) return;
      expect(bytesOf(spec)).toBeLessThan(20 * bytesOf(document) + 20_000);
      planIsBounded(spec);
    }),
    { numRuns: 300 },
  );
});

test("generate: too many jobs are refused with the number, and what would do", () => {
  const answer = readSubmission(
    generateDocument({ events: 10 ** 12, split: { by: "events", events_per_job: 1 } }),
    RULES,
  );
  expect(answer.ok ? [] : answer.error.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^1000000000000 events would be 1000000000000 jobs of 1; a request makes at most \d+/),
  ]);
});

const range = fc.tuple(fc.nat(10 ** 9), fc.nat(10 ** 9));
const step = fc.record(
  {
    RequestNumEvents: amount,
    FilterEfficiency: amount,
    EventsPerLumi: amount,
    EventsPerJob: amount,
    LumisPerJob: amount,
    SplittingAlgo: fc.constantFrom("EventBased", "EventAwareLumiBased", "LumiBased", "FileBased"),
    InputDataset: fc.constantFrom("/A/B-v1/RAW", "/a/b"),
    KeepOutput: fc.boolean(),
    LumiList: fc.dictionary(fc.constantFrom("1", "300000", "x"), fc.array(range, { maxLength: 5 })),
    RunWhitelist: fc.array(amount, { maxLength: 20 }),
  },
  { requiredKeys: [] },
);

test("ReqMgr2: whatever numbers and lists a document has", HEAVY, () => {
  const documents = fc
    .tuple(
      fc.constantFrom("StepChain", "TaskChain", "ReReco"),
      amount,
      fc.array(step, { minLength: 1, maxLength: 10 }),
      fc.record(
        {
          Multicore: amount,
          Memory: amount,
          TimePerEvent: amount,
          SizePerEvent: amount,
          LumiList: fc.dictionary(fc.constant("1"), fc.array(range)),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([kind, count, steps, more]) => {
      const first = stepChainDocument();
      const word = kind === "TaskChain" ? "Task" : "Step";
      const chain = steps.map((own, at) => {
        const name = { [`${word}Name`]: `S${at}`, ...(at > 0 && { [`Input${word}`]: `S${at - 1}` }) };
        return [`${word}${at + 1}`, { ...(first.Step1 as object), ...name, ...own }];
      });
      return stepChainDocument({
        RequestType: kind,
        [kind]: typeof count === "number" && count > 100 ? count : steps.length,
        ...(kind === "ReReco" ? steps[0] : {}),
        ...Object.fromEntries(chain),
        ...more,
      });
    });
  fc.assert(
    fc.property(documents, (document) => {
      const spec = read(document);
      if (!spec) return;
      expect(bytesOf(spec)).toBeLessThan(40 * bytesOf(document) + 50_000);
      if (spec.work.kind === "generate") planIsBounded(spec);
    }),
    { numRuns: 300 },
  );
});

/** Of a graph that was accepted: no more jobs and letters than was calculated, and both within the limits. */
function graphIsBounded(work: GraphWork): number {
  const calculated = writtenBytes(work);
  expect(calculated).toBeLessThanOrEqual(MAX_BYTES);
  expect(countJobs(work)).toBeLessThanOrEqual(MAX_JOBS);
  const { jobs } = expandAll(work).graph;
  expect(jobs.length).toBe(countJobs(work));
  const letters = jobs.reduce(
    (sum, { name, argv, reads, makes, env }) =>
      [name, ...argv, ...reads, ...makes, ...Object.values(env)].reduce((all, text) => all + text.length, sum),
    0,
  );
  expect(letters).toBeLessThanOrEqual(calculated);
  return calculated;
}

test("Torc: whatever parameters, files and patterns a document has", HEAVY, () => {
  const values = fc.constantFrom<unknown>("1:200000", "1:9", "0.0:1.0:0.00001", "[1,2,3]", "a,b", "y".repeat(900), [
    "1:50000",
  ]);
  const text = fc.constantFrom("w", "{a}", "{a}_{b}", "{a:09d}", "{a}".repeat(100), "k".repeat(900), "{v}{v}");
  const torcJob = fc.record(
    {
      name: fc.constantFrom("j", "j_{a}", "j_{a}_{b}"),
      command: text,
      use_parameters: fc.constantFrom<unknown>(["a"], ["a", "b"], []),
      parameter_mode: fc.constantFrom("product", "zip"),
      depends_on: fc.array(text, { maxLength: 5 }),
      depends_on_regexes: fc.array(fc.constantFrom("^j", ".*", "^(j|k)_.*5$", "(a*)*b"), { maxLength: 5 }),
      input_files: fc.array(text, { maxLength: 20 }),
      output_files: fc.array(text, { maxLength: 20 }),
      parameters: fc.record({ a: values }),
      env: fc.dictionary(fc.constantFrom("A", "B"), text),
    },
    { requiredKeys: ["name"] },
  );
  const documents = fc
    .tuple(
      fc.array(torcJob, { minLength: 1, maxLength: 4 }),
      fc.record({ a: values, b: values }),
      fc.array(fc.record({ name: text, path: text, use_parameters: fc.constantFrom(["a"], ["a", "b"]) }), {
        maxLength: 4,
      }),
      text,
    )
    .map(([jobs, parameters, files, v]) => torcSpec(jobs, { parameters, files, variables: { v } }));
  fc.assert(
    fc.property(documents, (document) => {
      const spec = read(document);
      if (spec?.work.kind === "graph") graphIsBounded(spec.work);
    }),
    { numRuns: 15 },
  );
});

test("WfFormat: what comes of a document is in proportion to it", HEAVY, () => {
  const names = fc.constantFrom("a", "b.1", "c#2", "d".repeat(150));
  const files = fc.array(fc.constantFrom("f1", "f2", "dir/f3", "g".repeat(200)), { maxLength: 30 });
  const task = fc.record({
    name: names,
    id: names,
    parents: fc.array(names, { maxLength: 10 }),
    children: fc.array(names, { maxLength: 10 }),
    inputFiles: files,
    outputFiles: files,
  });
  const documents = fc.array(task, { minLength: 1, maxLength: 30 }).map((tasks) => ({
    name: "instance",
    schemaVersion: "1.5",
    workflow: {
      specification: {
        // With ids of their own, or nothing but twins would be tried.
        tasks: tasks.map((each, at) => ({
          ...each,
          id: `${each.id}-${at}`,
          parents: each.parents.flatMap((to) => (at > 0 ? [`${tasks[at - 1]!.id}-${at - 1}`] : [to])),
          children: [],
        })),
        files: [],
      },
      execution: {
        tasks: tasks.map((each, at) => ({ id: `${each.id}-${at}`, runtimeInSeconds: 1e9, memoryInBytes: 1e15 })),
      },
    },
  }));
  fc.assert(
    fc.property(documents, (document) => {
      const spec = read(document);
      if (spec?.work.kind !== "graph") return;
      expect(graphIsBounded(spec.work)).toBeLessThan(40 * bytesOf(document) + 10_000);
    }),
    { numRuns: 100 },
  );
});
