import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expect, test } from "vitest";
import { describeProblems, RULES, readSubmission } from "../../tests/support/request-documents.ts";
import type { GraphWork } from "../core/graph.ts";
import type { Submission } from "../core/submission.ts";
import { expandAll } from "../kinds/graph/expand.ts";
import { graphInputs } from "../kinds/graph/inputs.ts";
import { KINDS } from "../kinds/table.ts";
import { absolutePaths } from "./absolute-paths.ts";
import { neededFiles } from "./read-submission.ts";
import { parseDocument } from "./reading/parse-document.ts";

const EXAMPLES = resolve(import.meta.dirname, "../../examples");

/** What `wms2 submit FILE` does to a document. */
function submitted(name: string): Submission {
  const path = resolve(EXAMPLES, name);
  const parsed = parseDocument(readFileSync(path, "utf8"), name.endsWith(".json") ? "json" : "yaml");
  if (!parsed.ok) throw new Error(describeProblems(parsed.error).join("\n"));
  const here = dirname(path);
  const document = absolutePaths(parsed.value, (relative) => resolve(here, relative)) as Record<string, unknown>;
  const attachments = neededFiles(document, KINDS)
    .map(({ path }) => path)
    .filter((file) => existsSync(resolve(here, file)))
    .map((file) => {
      const executable = (statSync(resolve(here, file)).mode & 0o111) !== 0;
      return [file, { content_base64: readFileSync(resolve(here, file)).toString("base64"), executable }];
    });
  const read = readSubmission({ ...document, attachments: Object.fromEntries(attachments) }, RULES);
  if (!read.ok) throw new Error(describeProblems(read.error).join("\n"));
  return read.value;
}

test("process/request.yaml", () => {
  const { spec, files, warnings } = submitted("process/request.yaml");
  expect(warnings).toEqual([]);
  expect(spec.work.kind).toBe("process");
  expect(spec.work.input).toMatchObject({
    from: "glob",
    pattern: resolve(EXAMPLES, "process/data/*.csv"),
    events: { by: "lines" },
  });
  expect(files.map((file) => [file.path, file.executable])).toEqual([
    ["totals.sh", true],
    ["select.sh", true],
    ["merge-totals.sh", true],
  ]);
});

test("generate.yaml", () => {
  const { spec, warnings } = submitted("generate.yaml");
  expect(warnings).toEqual([]);
  expect(spec.work).toMatchObject({ totalEvents: 1600n, eventsPerLumi: 50 });
  expect(spec.steps.map((step) => step.name)).toEqual(["GEN", "SIM", "DIGI", "RECO", "MINI"]);
  expect(spec.outputs.map((output) => output.file)).toEqual(["mini.out"]);
});

test("reqmgr2-stepchain.json", () => {
  const { spec } = submitted("reqmgr2-stepchain.json");
  expect(spec).toMatchObject({
    name: "demo_GEN_RECO_260715_101010_1234",
    work: { totalEvents: 20_000n, eventsPerLumi: 100, split: { eventsPerJob: 4300 } },
    outputs: [{ name: "reco" }],
  });
});

test.each([
  ["sweep.yaml", 22, [2, 42], ["prepare.sh", "train.sh", "report.sh"]],
  ["diamond.yaml", 4, [2, 6], ["sum.sh"]],
  ["handlers.yaml", 5, [1, 5], ["solve.sh", "renew-licence.sh"]],
  ["fan-in.yaml", 1001, [1, 1001], ["total.sh"]],
] as const)("graphs/%s", (name, jobs, [sets, members], scripts) => {
  const { spec, files, warnings } = submitted(`graphs/${name}`);
  expect(warnings).toEqual([]);
  expect(files.map((file) => file.path)).toEqual(scripts);
  const work = spec.work as GraphWork;
  expect(work.directory).toBe(resolve(EXAMPLES, "graphs"));
  const graph = expandAll(work).graph;
  expect(graph.jobs).toHaveLength(jobs);
  expect(graph.edges).toHaveLength(sets);
  expect(graph.edges.flatMap(({ parents, children }) => [...parents, ...children])).toHaveLength(members);
  expect([...graphInputs(work).values()]).toEqual(["directory"]);
});
