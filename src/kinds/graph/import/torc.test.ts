// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how Torc names files
import { describe, expect, test } from "vitest";
import {
  graphOf,
  parentsOf,
  readGraphDocument,
  torcSpec as spec,
  workOf,
} from "../../../../tests/support/imported-graphs.ts";
import { attached } from "../../../../tests/support/request-documents.ts";

const names = (document: Record<string, unknown>): readonly string[] => graphOf(document).jobs.map(({ name }) => name);

test("a command is a line for bash, the invocation script before it; braces that are no parameter stay", () => {
  const job = { name: "a", command: "awk '{print $1}' ${HOME}/x {other}", invocation_script: "nice -n 5" };
  expect(graphOf(spec([job])).jobs[0]!.argv).toEqual(["bash", "-c", "nice -n 5 awk '{print $1}' ${HOME}/x {other}"]);
});

test("requirements become sizes, in powers of 1024, and runtimes durations", () => {
  expect(workOf(spec([{ name: "a" }])).jobs[0]!.resources).toMatchObject({
    cores: 2,
    memoryMb: 537,
    wallMinutes: 90,
    gpus: 0,
  });
});

test("a job without requirements is small and short, and the person is told", () => {
  const { spec: request, warnings } = readGraphDocument({ name: "x", jobs: [{ name: "a", command: "true" }] });
  expect(request.work.kind === "graph" && request.work.jobs[0]!.resources).toMatchObject({
    cores: 1,
    memoryMb: 500,
    wallMinutes: 1,
  });
  expect(warnings).toContain("jobs: those without resource_requirements get 1 core, 500 MB and 1 min");
});

test("any name makes a plain one for the request; those of jobs stay", () => {
  const { spec: request, warnings } = readGraphDocument(spec([{ name: "sum up" }], { name: "Data (v2) – Überblick" }));
  expect(request.name).toBe("Data-v2-berblick");
  expect(warnings).toContain("name: the request is called Data-v2-berblick");
  expect(names(spec([{ name: "sum up" }]))).toEqual(["sum up"]);
});

describe("dependencies", () => {
  test.each<[string, readonly Record<string, unknown>[], Record<string, unknown>, Record<string, readonly string[]>]>([
    ["by name", [{ name: "a" }, { name: "b", depends_on: ["a"] }], {}, { a: [], b: ["a"] }],
    [
      "row by row",
      [
        { name: "a{i}", parameters: { i: "1:2" } },
        { name: "b{i}", depends_on: ["a{i}"], parameters: { i: "1:2" } },
      ],
      {},
      { a1: [], a2: [], b1: ["a1"], b2: ["a2"] },
    ],
    [
      "by a pattern anywhere in the name",
      [{ name: "job_1" }, { name: "job_10" }, { name: "z", depends_on_regexes: ["job_1"] }],
      {},
      { job_1: [], job_10: [], z: ["job_1", "job_10"] },
    ],
    [
      "by a pattern from end to end",
      [{ name: "job_1" }, { name: "job_10" }, { name: "z", depends_on_regexes: ["^job_1$"] }],
      {},
      { job_1: [], job_10: [], z: ["job_1"] },
    ],
    [
      "by a pattern that no glob says",
      [{ name: "a1" }, { name: "a22" }, { name: "ax" }, { name: "z", depends_on_regexes: ["^a[0-9]{1,2}$"] }],
      {},
      { a1: [], a22: [], ax: [], z: ["a1", "a22"] },
    ],
    [
      "by such a pattern with parameters",
      [{ name: "a1" }, { name: "a2" }, { name: "z{i}", depends_on_regexes: ["^[ab]{i}$"], parameters: { i: "1:2" } }],
      {},
      { a1: [], a2: [], z1: ["a1"], z2: ["a2"] },
    ],
    [
      "by files",
      [
        { name: "b", input_files: ["data"] },
        { name: "a", output_files: ["data"] },
      ],
      { files: [{ name: "data", path: "d/x.csv" }] },
      { b: ["a"], a: [] },
    ],
    [
      "by patterns of files",
      [
        { name: "b", input_file_regexes: ["^part_\\d+$"] },
        { name: "a{i}", output_files: ["part_{i}"], parameters: { i: "1:2" } },
      ],
      { files: [{ name: "part_{i}", path: "p/{i}", parameters: { i: "1:2" } }] },
      { b: ["a1", "a2"], a1: [], a2: [] },
    ],
    [
      "by what the command names",
      [
        { name: "a", command: "date > ${files.output.data}" },
        { name: "b", command: "cat ${files.input.data}" },
      ],
      { files: [{ name: "data", path: "d.txt" }] },
      { a: [], b: ["a"] },
    ],
    [
      "by user data",
      [
        { name: "b", input_user_data: ["count"] },
        { name: "a", output_user_data: ["count"] },
      ],
      { user_data: [{ name: "count", data: 1 }] },
      { b: ["a"], a: [] },
    ],
  ])("%s", (_, jobs, more, parents) => {
    expect(parentsOf(graphOf(spec(jobs, more)))).toEqual(parents);
  });

  test("user data is what the document says, and the person is told", () => {
    const jobs = [
      { name: "a", output_user_data: ["n"] },
      { name: "b", command: "echo ${user_data.input.n}" },
    ];
    const document = spec(jobs, { user_data: [{ name: "n", data: [1] }] });
    expect(graphOf(document).jobs[1]!.argv[2]).toBe("echo [1]");
    expect(readGraphDocument(document).warnings.join()).toContain("jobs[0].output_user_data: what it writes");
  });

  test("many names that a pattern matches are one glob, where one says just them", () => {
    const jobs = [
      { name: "run_{i}", parameters: { i: "1:20" } },
      { name: "z", depends_on_regexes: ["^run_[0-9]+$"] },
    ];
    expect(workOf(spec(jobs)).jobs[1]!.after).toEqual(["run_*"]);
    expect(workOf(spec([{ name: "run_x" }, ...jobs])).jobs[2]!.after).toHaveLength(20);
  });

  test("a job that runs however those before it ended", () => {
    const jobs = [{ name: "a" }, { name: "b", depends_on: ["a"], cancel_on_blocking_job_failure: false }];
    expect(graphOf(spec(jobs)).jobs.map(({ when }) => when)).toEqual(["done", "ended"]);
  });
});

describe("texts", () => {
  test("variables are constants everywhere", () => {
    const document = spec([{ name: "a", command: "ls {root}", output_files: ["f"] }], {
      variables: { root: "/data" },
      files: [{ name: "f", path: "{root}/x" }],
      env: { ROOT: "{root}" },
    });
    const [job] = graphOf(document).jobs;
    expect([job!.argv[2], job!.makes, job!.env]).toEqual(["ls /data", ["/data/x"], { ROOT: "/data" }]);
  });

  test("files and user data are put into commands, also by parameters", () => {
    const document = spec(
      [{ name: "a{i}", command: "run ${files.input.in_{i:02d}} '${user_data.input.cfg}'", parameters: { i: "1:2" } }],
      {
        files: [{ name: "in_{i:02d}", path: "/data/{i}.csv", parameters: { i: "1:9" } }],
        user_data: [{ name: "cfg", data: { lr: 0.1 } }],
      },
    );
    expect(graphOf(document).jobs.map(({ argv, reads }) => [argv[2], reads])).toEqual([
      [`run /data/1.csv '{"lr":0.1}'`, ["/data/1.csv"]],
      [`run /data/2.csv '{"lr":0.1}'`, ["/data/2.csv"]],
    ]);
    expect(workOf(document).jobs).toHaveLength(1);
  });

  test("where no text with parameters says which file, each job is written out", () => {
    const files = [
      { name: "in_1", path: "/first" },
      { name: "in_2", path: "/second" },
    ];
    const document = spec([{ name: "a{i}", command: "cat ${files.input.in_{i}}", parameters: { i: "1:2" } }], {
      files,
    });
    expect(graphOf(document).jobs.map(({ name, argv }) => [name, argv[2]])).toEqual([
      ["a1", "cat /first"],
      ["a2", "cat /second"],
    ]);
  });

  test("what the command names counts instead of the list", () => {
    const files = [
      { name: "a", path: "a.txt" },
      { name: "b", path: "b.txt" },
    ];
    const document = spec([{ name: "j", command: "date > ${files.output.a}", output_files: ["b"] }], { files });
    expect(graphOf(document).jobs[0]!.makes).toEqual(["a.txt"]);
    expect(readGraphDocument(document).warnings.join()).toContain("jobs[0].output_files: b: the command names others");
  });

  test("a job's env beats the workflow's", () => {
    const document = spec([{ name: "a{i}", parameters: { i: [7] }, env: { B: "job {i}" } }], {
      env: { A: "all {i}", B: "all" },
    });
    expect(graphOf(document).jobs[0]!.env).toEqual({ A: "all {i}", B: "job 7" });
  });
});

describe("what happens when", () => {
  test("failure handlers are for the jobs that name them; scripts travel", () => {
    const handler = {
      name: "my handler",
      rules: [
        { exit_codes: [10], recovery_script: "python fix.py --again", max_retries: 2 },
        { match_all_exit_codes: true, recovery_script: "scripts/fix.sh" },
      ],
    };
    const document = spec([{ name: "a", failure_handler: "my handler" }, { name: "b" }], {
      failure_handlers: [handler, { name: "idle", rules: [{ exit_codes: [1] }] }],
      use_pending_failed: true,
      attachments: { "scripts/fix.sh": attached("#!/bin/sh\n") },
    });
    const { spec: request, files, warnings } = readGraphDocument(document);
    expect(request.recovery).toMatchObject({
      pendingClassification: true,
      handlers: [
        {
          name: "my-handler",
          rules: [
            { exitCodes: [10], maxRetries: 2, script: "./recovery-1.sh" },
            { matchAllExitCodes: true, maxRetries: 3, script: "./scripts/fix.sh" },
          ],
        },
      ],
    });
    expect(graphOf(document).jobs.map(({ handlers }) => handlers)).toEqual([["my-handler"], []]);
    expect(Buffer.from(files.find(({ path }) => path === "recovery-1.sh")!.content).toString()).toBe(
      "#!/bin/bash\npython fix.py --again\n",
    );
    expect(warnings).toContain('failure_handlers[1].name: no job names "idle"; it is left out');
  });

  test("actions are hooks", () => {
    const action = (trigger_type: string, more: object) => ({ trigger_type, action_type: "run_commands", ...more });
    const actions = [
      action("on_workflow_start", { commands: ["echo {go}"] }),
      action("on_workflow_complete", { commands: ["a", "b"] }),
      action("on_jobs_complete", { jobs: ["x"], job_name_regexes: ["^y"], commands: ["c"] }),
      { trigger_type: "on_workflow_start", action_type: "schedule_nodes", scheduler: "s", num_allocations: 1 },
    ];
    const document = spec([{ name: "x" }, { name: "y1" }], { actions });
    expect(workOf(document).hooks).toEqual([
      { on: "start", jobs: [], argv: ["bash", "-c", "echo {go}"] },
      {
        on: "end",
        jobs: [],
        argv: ["bash", "-c", 'for command do bash -c "$command" || exit; done', "bash", "a", "b"],
      },
      { on: "jobs-ended", jobs: ["x", "y*"], argv: ["bash", "-c", "c"] },
    ]);
    expect(readGraphDocument(document).warnings.join()).toContain("actions[3].action_type: has no effect");
  });

  test("priorities", () => expect(graphOf(spec([{ name: "a", priority: 5 }])).jobs[0]!.priority).toBe(5));
});
