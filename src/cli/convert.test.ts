import { resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { graphOf, REPLAY_ATTACHED } from "../../tests/support/imported-graphs.ts";
import { stringify } from "../core/base/json.ts";
import { Notes } from "../intake/reading/notes.ts";
import { parseDocument } from "../intake/reading/parse-document.ts";
import { translateGraph } from "../kinds/graph/import/translate.ts";
import { graphYaml } from "./convert.ts";
import { readRequestFile } from "./request-file.ts";

type Spec = Record<string, unknown>;

/** The document as `wms2 convert` writes it, read again. */
function converted(document: Spec, format: "yaml" | "json"): Spec {
  const own = translateGraph(document, new Notes())!.document;
  const read = parseDocument(format === "yaml" ? graphYaml(own) : stringify(own), format);
  if (!read.ok) throw new Error(read.error[0]!.message);
  return read.value as Spec;
}

const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.constantFrom("yes", "1:2", "{x", "a: b", "# no", "- x", "{n:03d}", "'", "\t", "é\n{{"),
);
const values = fc.oneof(
  fc.tuple(fc.nat(20), fc.nat(4)).map(([from, more]) => `${from}:${from + more}`),
  fc.uniqueArray(fc.integer({ min: -5, max: 500 }), { minLength: 1, maxLength: 5 }),
  fc.constantFrom("0.0:1.0:0.25", "[x,'y',0.10]", "true"),
);
const job = fc.record({
  command: fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => `run {n} ${words.join(" ")}`),
  parameters: fc.record({ n: values, m: values }),
  env: fc.dictionary(fc.constantFrom("A", "B"), word),
  priority: fc.nat(9),
  cancel_on_blocking_job_failure: fc.boolean(),
  waits: fc.constantFrom("none", "name", "pattern"),
  makes: fc.boolean(),
});

const spec = fc
  .array(job, { minLength: 1, maxLength: 4 })
  .map(
    (jobs): Spec => ({
      name: "random spec",
      files: jobs.map(({ parameters }, index) => ({
        name: `out${index}_{n}_{m}`,
        path: `out/${index}/{n}-{m}.txt`,
        parameters,
      })),
      resource_requirements: [{ name: "small", num_cpus: 1, memory: "1g" }],
      jobs: jobs.map(({ waits, makes, ...rest }, index) => ({
        ...rest,
        name: `job${index}_{n}_{m}`,
        resource_requirements: "small",
        ...(makes && { output_files: [`out${index}_{n}_{m}`] }),
        ...(index > 0 && waits === "pattern" && { depends_on_regexes: [`^job${index - 1}_`] }),
        ...(index > 0 && waits === "name" && { depends_on_regexes: [`^job[${index - 1}]_.*`] }),
      })),
    }),
  );

test("law: what convert writes is read as the same graph, as YAML and as JSON", () => {
  fc.assert(
    fc.property(spec, (document) => {
      const graph = graphOf(document);
      expect(graphOf(converted(document, "yaml"))).toEqual(graph);
      expect(graphOf(converted(document, "json"))).toEqual(graph);
    }),
    { numRuns: 30 },
  );
});

test.each([
  ["sweep.torc.yaml", 17, "Torc"],
  ["fork-join.wfformat.json", 5, "WfFormat 1.5"],
])("examples/imports/%s is read as it is, with what travels", (file, jobs, from) => {
  const document = readRequestFile(resolve(import.meta.dirname, "../../examples/imports", file), {}) as Spec;
  expect(graphOf(document).jobs).toHaveLength(jobs);
  expect(translateGraph(document, new Notes())!.from).toBe(from);
});

test("law: the same for WfFormat, with any ids", () => {
  const id = fc.stringMatching(/^[0-9a-zA-Z-_.#{}]{1,20}$/);
  fc.assert(
    fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 12 }), fc.nat(), (ids, chance) => {
      const tasks = ids.map((id, n) => ({
        id,
        name: id,
        parents: ids.slice(0, n).filter((_, at) => (chance >> ((at + n) % 30)) % 2 === 1),
        outputFiles: [`/f:${id}`],
      }));
      const document = {
        name: "ids",
        schemaVersion: "1.5",
        attachments: REPLAY_ATTACHED,
        workflow: { specification: { tasks } },
      };
      const graph = graphOf(document);
      expect(graph.jobs.map(({ name }) => name)).toEqual(ids);
      expect(graphOf(converted(document, "yaml"))).toEqual(graph);
    }),
    { numRuns: 30 },
  );
});
