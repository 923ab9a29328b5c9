import { describe, expect, test } from "vitest";
import {
  graphOf,
  parentsOf,
  problemsOf,
  REPLAY_ATTACHED,
  readGraphDocument,
} from "../../../../tests/support/imported-graphs.ts";
import { Notes } from "../../../intake/reading/notes.ts";
import { translateGraph } from "./translate.ts";

type Task = Record<string, unknown>;

const instance = (tasks: readonly Task[], more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: "made-up",
  schemaVersion: "1.5",
  attachments: REPLAY_ATTACHED,
  workflow: {
    specification: { tasks, files: [] },
    execution: { tasks: tasks.map(({ id }) => ({ id, runtimeInSeconds: 50 })) },
  },
  ...more,
});

const TASKS = [
  { id: "a.1", name: "make", parents: [], children: ["b#2"], inputFiles: ["/data/raw:1"], outputFiles: ["x/y"] },
  { id: "b#2", name: "use", parents: ["a.1"], children: [], inputFiles: ["x/y", "/data/raw:1"], outputFiles: [] },
];
const FILES = [
  { id: "x/y", sizeInBytes: 123_456 },
  { id: "/data/raw:1", sizeInBytes: 1 },
];
const EXECUTION = {
  tasks: [
    { id: "a.1", runtimeInSeconds: 12.5, priority: 7 },
    { id: "b#2", runtimeInSeconds: 300 },
  ],
};
const NEW = {
  name: "made-up",
  attachments: REPLAY_ATTACHED,
  workflow: { specification: { tasks: TASKS, files: FILES }, execution: EXECUTION },
};
const OLD = {
  name: "made-up",
  attachments: REPLAY_ATTACHED,
  workflow: {
    tasks: [
      {
        id: "a.1",
        name: "make_1",
        runtimeInSeconds: 12.5,
        priority: 7,
        parents: [],
        children: ["use_1"],
        files: [
          { link: "input", name: "/data/raw:1", sizeInBytes: 1 },
          { link: "output", name: "x/y", sizeInBytes: 123_456 },
        ],
      },
      {
        id: "b#2",
        name: "use_1",
        runtimeInSeconds: 300,
        parents: ["make_1"],
        files: [
          { link: "input", name: "x/y", sizeInBytes: 123_456 },
          { link: "input", name: "/data/raw:1", sizeInBytes: 1 },
        ],
      },
    ],
  },
};

describe.each<[string, Record<string, unknown>]>([
  ["1.4", OLD],
  ["1.5", NEW],
  ["1.6", { ...NEW, workflow: { ...NEW.workflow, metrics: { any: 1 } } }],
])("version %s", (schemaVersion, document) => {
  test("tasks sleep, read what others made, and make files, all by the speed", () => {
    const { jobs } = graphOf({ schemaVersion, ...document });
    expect(jobs.map(({ name, argv, reads, makes, priority }) => ({ name, argv, reads, makes, priority }))).toEqual([
      {
        name: "a.1",
        argv: ["./replay.sh", "0.125", "out:1235:replay-files/x%2fy"],
        reads: [],
        makes: ["replay-files/x%2fy"],
        priority: 7,
      },
      {
        name: "b#2",
        argv: ["./replay.sh", "3.000", "in:replay-files/x%2fy"],
        reads: ["replay-files/x%2fy"],
        makes: [],
        priority: 0,
      },
    ]);
    expect(parentsOf(graphOf({ schemaVersion, ...document }))).toEqual({ "a.1": [], "b#2": ["a.1"] });
  });

  test("another speed", () => {
    const [job] = graphOf({ schemaVersion, ...document, replay: { speed: 1 } }).jobs;
    expect(job!.argv).toEqual(["./replay.sh", "12.500", "out:123456:replay-files/x%2fy"]);
  });
});

test("the person is told that it is a replay, and of tasks nobody knows the time of", () => {
  const { warnings } = readGraphDocument({
    ...instance([{ id: "a", name: "a" }]),
    workflow: { specification: { tasks: [{ id: "a", name: "a" }] } },
  });
  expect(warnings).toEqual([
    "workflow.execution: 1 of 1 tasks have no runtime; they end at once",
    "a replay 100 times as fast: tasks sleep and make files (replay.speed)",
  ]);
});

test("all files together stay below a gigabyte", () => {
  const tasks = Array.from({ length: 30 }, (_, n) => ({ id: `t${n}`, name: "t", outputFiles: [`f${n}`] }));
  const files = tasks.map((_, n) => ({ id: `f${n}`, sizeInBytes: 1e10 }));
  const document = instance(tasks, { workflow: { specification: { tasks, files } } });
  const bytes = graphOf(document).jobs.map(({ argv }) => Number(argv[2]!.split(":")[1]));
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1e9);
  expect(readGraphDocument(document).warnings).toContain(
    "files are made 3 times smaller still: a replay makes at most 1 GB",
  );
});

test("files lie where the replay is, whatever their ids say", () => {
  const ids = ["../../etc/passwd", "/abs", "..", "a%2fb", "a/b", "*", `${"é".repeat(150)}`];
  const tasks = [{ id: "t", name: "t", outputFiles: ids }];
  const { makes } = graphOf(instance(tasks)).jobs[0]!;
  expect(new Set(makes).size).toBe(ids.length);
  for (const path of makes) expect(path).toMatch(/^replay-files\/[^/*?]+$/);
});

test.each<[string, Record<string, unknown>, string]>([
  [
    "a version nobody knows",
    instance([{ id: "a", name: "a" }], { schemaVersion: "0.9" }),
    'schemaVersion: version "0.9" is not known',
  ],
  [
    "a parent that is not there",
    instance([{ id: "a", name: "a", parents: ["z"] }]),
    'workflow.specification.tasks[0].parents[0]: "z" is not a task',
  ],
  [
    "the same id twice",
    instance([
      { id: "a", name: "a" },
      { id: "a", name: "b" },
    ]),
    'workflow.specification.tasks[1].id: "a" is also made by jobs[0]',
  ],
  [
    "a circle",
    instance([
      { id: "a", name: "a", parents: ["b"] },
      { id: "b", name: "b", parents: ["a"] },
    ]),
    "workflow.specification.tasks[1].parents: jobs wait for each other: b → a → b",
  ],
  [
    "two makers of a file",
    instance([
      { id: "a", name: "a", outputFiles: ["f"] },
      { id: "b", name: "b", outputFiles: ["f"] },
    ]),
    "workflow.specification.tasks[1].outputFiles:",
  ],
  [
    "a speed of 0",
    instance([{ id: "a", name: "a" }], { replay: { speed: 0 } }),
    "replay.speed: must be above 0 (got 0)",
  ],
  [
    "no program to replay with",
    instance([{ id: "a", name: "a" }], { attachments: {} }),
    'workflow.specification.tasks[0].run: "./replay.sh" is not attached',
  ],
])("%s is refused where it stands", (_, document, problem) => {
  expect(problemsOf(document).join("\n")).toContain(problem);
});

test("a task that reads nearly 20,000 files of others is taken, as instances have it; one that reads more is refused in words", () => {
  const file = (index: number) => `fit.1.${String(index).padStart(6, "0")}_area.txt`;
  const gathering = (files: number) => {
    const makers = Array.from({ length: Math.ceil(files / 100) }, (_, at) => ({
      id: `mFit_${at}`,
      outputFiles: Array.from({ length: Math.min(100, files - at * 100) }, (_, one) => file(at * 100 + one)),
    }));
    const all = makers.flatMap(({ outputFiles }) => outputFiles);
    return instance([...makers, { id: "mConcat", parents: makers.map(({ id }) => id), inputFiles: all }]);
  };
  const last = graphOf(gathering(19_990)).jobs.at(-1)!;
  expect([last.argv.length, last.reads.length]).toEqual([19_992, 19_990]);
  expect(problemsOf(gathering(20_100)).join()).toMatch(/tasks\[201\].*20102.*20000/);
});

test("an instance of 2,000 tasks and 10,000 edges is translated within a second", () => {
  const width = 400;
  const tasks = Array.from({ length: 2000 }, (_, n) => ({
    id: `task.${n}`,
    name: "task",
    parents:
      n < width
        ? []
        : [0, 1, 2, 3, 4, 5].map((step) => `task.${n - width + ((step * 7) % (n % width || 1)) - (n % width)}`),
    inputFiles: n < width ? [] : [`file.${n - width}`],
    outputFiles: [`file.${n}`],
  }));
  const document = instance(tasks);
  const seconds = [1, 2, 3].map(() => {
    const before = performance.now();
    translateGraph(document, new Notes());
    return (performance.now() - before) / 1000;
  });
  expect(Math.min(...seconds)).toBeLessThan(1);
  expect(graphOf(document).jobs).toHaveLength(2000);
});
