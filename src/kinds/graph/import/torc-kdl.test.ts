import { expect, test } from "vitest";
import { parseDocument } from "../../../intake/reading/parse-document.ts";
import { parseTorcKdl, torcKdlLines } from "./torc-kdl.ts";

const YAML = `
name: a sweep
variables: {root: /data}
env: {LEVEL: debug}
parameters: {rate: "0:1:0.5", way: [up, down]}
files: [{name: "out_{rate}", path: "{root}/{rate}.txt", use_parameters: [rate]}, {name: all, path: all.txt}]
user_data: [{name: limits, is_ephemeral: true, data: {most: 5}}]
resource_requirements: [{name: small, num_cpus: 2, memory: 1g, runtime: PT5M}]
failure_handlers: [{name: again, rules: [{exit_codes: [10, 11], max_retries: 2}, {match_all_exit_codes: true}]}]
jobs:
  - {name: first, command: "echo \\"hello\\"", resource_requirements: small}
  - {name: "run_{rate}", command: "./run {rate}", depends_on: [first, second], output_files: ["out_{rate}"], failure_handler: again, use_parameters: [rate], cancel_on_blocking_job_failure: false, priority: 3}
actions: [{trigger_type: on_workflow_complete, action_type: run_commands, commands: [one, two]}]
`;
const KDL = `
// The same.
name "a sweep"
variables { root "/data"; }
env { LEVEL "debug"; }
parameters {
    rate "0:1:0.5"
    way "up" "down"
}
file "out_{rate}" {
    path "{root}/{rate}.txt"
    use_parameters "rate"
}
file "all" path="all.txt"
user_data "limits" {
    is_ephemeral #true
    data "{\\"most\\": 5}"
}
resource_requirements "small" {
    num_cpus 2
    memory "1g"
    runtime "PT5M"
}
failure_handler "again" {
    rule {
        exit_codes 10 11
        max_retries 2
    }
    rule { match_all_exit_codes #true; }
}
job "first" {
    command "echo \\"hello\\""
    resource_requirements "small"
}
job "run_{rate}" {
    command "./run {rate}"
    depends_on "first"
    depends_on_job "second"
    output_file "out_{rate}"
    failure_handler "again"
    use_parameters "rate"
    cancel_on_blocking_job_failure #false
    priority 3
}
action {
    trigger_type "on_workflow_complete"
    action_type "run_commands"
    command "one"
    command "two"
}
`;
const JSON5 = `// The same job.
{ name: 'a sweep', jobs: [ { name: "first", command: 'echo "hello"', }, ], /* no more */ }`;

test("a spec in KDL is what it is in YAML", () => {
  expect(parseTorcKdl(KDL)).toEqual(parseDocument(YAML, "yaml"));
});

test("a spec in JSON5 too", () => {
  const yaml = parseDocument("{name: a sweep, jobs: [{name: first, command: 'echo \"hello\"'}]}", "yaml");
  expect(parseDocument(JSON5, "json5")).toEqual(yaml);
});

test.each<[string, ReturnType<typeof parseTorcKdl>, RegExp]>([
  ["KDL that does not end", parseTorcKdl('name "a"\njob "x" {\n  command "y\n}'), /^is not KDL 2: .* at 4:2$/],
  ["KDL 1", parseTorcKdl('job "x" { cancel_on_blocking_job_failure false; }'), /^is not KDL 2: .*"false"/],
  ["a key given twice", parseTorcKdl('job "x" { command "a"; command "b"; }'), /command is given twice/],
  ["KDL that is too long", parseTorcKdl(`name "${"x".repeat(400_000)}"`), /^is too long/],
  ["JSON5 that does not end", parseDocument("{\n  name: 'a'", "json5"), /^line 2, column \d+: invalid end of input$/],
])("%s is refused with its line", (_, parsed, why) => {
  expect(parsed.ok ? "" : parsed.error[0]!.message).toMatch(why);
});

test("problems are found by their paths", () => {
  const lineOf = torcKdlLines(KDL);
  const line = (words: string): number => KDL.split("\n").findIndex((text) => text.includes(words)) + 1;
  expect(lineOf("jobs[1].depends_on[0]")).toBe(line('depends_on "first"'));
  expect(lineOf("jobs[1].label")).toBe(line('job "run_'));
  expect(lineOf("files[1].path")).toBe(line('file "all"'));
  expect(lineOf("dynamic_jobs")).toBe(null);
});

test("blocks in blocks without end are refused in words; braces in text are not blocks", () => {
  for (const text of ["a{".repeat(30_000), `${"a {\n".repeat(65)}${"}\n".repeat(65)}`])
    expect(parseTorcKdl(text)).toEqual({
      ok: false,
      error: [{ path: "", message: "nested deeper than 64", allowed: null }],
    });
  expect(parseTorcKdl(`name "${"{".repeat(200)}" // ${"{".repeat(200)}`).ok).toBe(true);
});
