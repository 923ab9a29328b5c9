// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how Torc names files
import fc from "fast-check";
import { expect, test } from "vitest";
import { problemsOf, readGraphDocument, torcSpec as spec } from "../../../../tests/support/imported-graphs.ts";

test("what Torc's runners and Slurm want is warned of", () => {
  const document = spec([{ name: "a", scheduler: "s", stdio: { mode: "none" }, supports_termination: true }], {
    slurm_schedulers: [{ name: "s" }],
    resource_monitor: { enabled: true },
    access_groups: ["x"],
    enable_ro_crate: true,
    user: "me",
  });
  const told = readGraphDocument(document).warnings.map((warning) => warning.split(":", 1)[0]);
  expect(told).toEqual([
    "jobs[0].scheduler",
    "jobs[0].stdio",
    "slurm_schedulers",
    "resource_monitor",
    "enable_ro_crate",
    "access_groups",
  ]);
});

test.each<[string, Record<string, unknown>, string]>([
  [
    "several hosts",
    spec([{ name: "a" }], { resource_requirements: [{ name: "small", num_nodes: 2, memory: "1g" }] }),
    "resource_requirements[0].num_nodes: is not possible here: a job runs on one host",
  ],
  [
    "a label",
    spec([{ name: "a", label: "gpu" }]),
    "jobs[0].label: is not known here: any place that fits runs the job",
  ],
  [
    "dynamic jobs",
    spec([{ name: "a" }], { dynamic_jobs: { max_iterations: 3 } }),
    "dynamic_jobs: jobs that make other jobs are not possible here",
  ],
  ["an unknown key", spec([{ name: "a", comand: "x" }]), "jobs[0].comand: is not a known key; did you mean command?"],
  ["an unknown key at the top", spec([{ name: "a" }], { datasets: [] }), "datasets: is not a known key"],
  [
    "a job that is not there",
    spec([{ name: "a", depends_on: ["b"] }]),
    'jobs[0].depends_on: "b" is not a job of this graph',
  ],
  [
    "a pattern without a match",
    spec([{ name: "a", depends_on_regexes: ["^b"] }]),
    'jobs[0].depends_on_regexes: "b*" matches no job',
  ],
  [
    "a harder one",
    spec([{ name: "a", depends_on_regexes: ["^(b|c)"] }]),
    'jobs[0].depends_on_regexes[0]: "^(b|c)" matches nothing',
  ],
  [
    "a file that is not there",
    spec([{ name: "a", command: "cat ${files.input.x}" }]),
    'jobs[0].command: "x" is not one of the files',
  ],
  [
    "the same name twice",
    spec([{ name: "a", parameters: { i: "1:2" } }]),
    'jobs[0].name: makes "a" more than once; put into it all that each lists',
  ],
  [
    "unequal lengths",
    spec([{ name: "a{i}{j}", parameters: { i: "1:2", j: "1:3" }, parameter_mode: "zip" }]),
    "jobs[0].parameters: needs as many values of each: i has 2, j has 3",
  ],
  [
    "too much memory",
    spec([{ name: "a" }], { resource_requirements: [{ name: "small", num_cpus: 1, memory: "20g" }] }),
    "resource_requirements[0].memory: asks for too much",
  ],
  [
    "an unknown requirement",
    spec([{ name: "a", resource_requirements: "large" }]),
    'jobs[0].resource_requirements: "large" is not one of the sizes',
  ],
  [
    "an unknown handler",
    spec([{ name: "a", failure_handler: "x" }]),
    'jobs[0].failure_handler: "x" is not one of recovery.handlers',
  ],
  [
    "an unknown variable",
    spec([{ name: "a", command: "ls {rot}" }], { variables: { root: "/" } }),
    "jobs[0].command: {rot} is neither a variable nor a parameter",
  ],
  [
    "a variable that is a parameter",
    spec([{ name: "a{i}", parameters: { i: "1:2" } }], { variables: { i: 1 } }),
    "variables.i: is also the name of a parameter",
  ],
  [
    "jobs when they are ready",
    spec([{ name: "a" }], {
      actions: [{ trigger_type: "on_jobs_ready", action_type: "run_commands", commands: ["x"], jobs: ["a"] }],
    }),
    "actions[0].trigger_type: on_jobs_ready is not known here",
  ],
  [
    "a runtime that is none",
    spec([{ name: "a" }], { resource_requirements: [{ name: "small", runtime: "1 hour" }] }),
    "resource_requirements[0].runtime: must be a duration",
  ],
])("%s is refused where it stands", (_, document, problem) => {
  expect(problemsOf(document).join("\n")).toContain(problem);
});

test.each<[string, Record<string, unknown>]>([
  [
    "a job for each of a million million rows",
    spec([{ name: "a{i}{j}", parameters: { i: "1:100000", j: "1:100000" }, depends_on_regexes: ["^[b]{i}"] }]),
  ],
  [
    "a file for each",
    spec([{ name: "a" }], { files: [{ name: "{i}{j}", path: "x", parameters: { i: "1:100000", j: "1:100000" } }] }),
  ],
  [
    "variables that grow",
    spec([{ name: "a", command: "{v}".repeat(30_000) }], { variables: { v: "x".repeat(10_000) } }),
  ],
])("%s is refused before it is written out", (_, document) => {
  const before = performance.now();
  expect(problemsOf(document).join()).toMatch(/would be too much when written out|would be \d+ jobs/);
  expect(performance.now() - before).toBeLessThan(2000);
});

test("law: whatever stands in a spec, it is read or refused, never more", () => {
  const whole = spec(
    [
      {
        name: "a{i}",
        parameters: { i: "1:2" },
        use_parameters: ["p"],
        input_files: ["f"],
        output_user_data: ["u"],
        env: { A: "b" },
        failure_handler: "h",
      },
      { name: "b", depends_on: ["a1"], depends_on_regexes: ["^a."], input_user_data: ["u"], stdio: { mode: "none" } },
    ],
    {
      parameters: { p: "1:3" },
      variables: { v: "x" },
      files: [{ name: "f", path: "{v}.txt" }],
      user_data: [{ name: "u", data: 1 }],
      failure_handlers: [{ name: "h", rules: [{ exit_codes: [1], recovery_script: "x y" }] }],
      actions: [{ trigger_type: "on_workflow_start", action_type: "run_commands", commands: ["x"] }],
    },
  );
  const places = pathsIn(whole);
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 2 }), (place, value) => {
      expect(Array.isArray(problemsOf(replaced(whole, place, value) as Record<string, unknown>))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

function pathsIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [[key], ...pathsIn(item).map((path) => [key, ...path])]);
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...(value as object) };
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}
