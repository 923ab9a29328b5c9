import { expect, test } from "vitest";
import { parse } from "yaml";
import { sampleRequest } from "../../../tests/support/api-samples.ts";
import { requestDetailView } from "../../../tests/support/api-views.ts";
import { graphDocument, sweepDocument } from "../../../tests/support/graph-documents.ts";
import { describeProblems, RULES, readSubmission } from "../../../tests/support/request-documents.ts";
import type { GraphWork } from "../../core/graph.ts";
import { expandAll } from "../../kinds/graph/expand.ts";
import { documentText } from "./document.ts";

const rules = [
  { stderr: "Stale file handle", delay: "30 s", max_retries: 5, time_factor: 1.5 },
  { match_all_exit_codes: true, memory_factor: 2 },
];
const recovery = { hold_threshold: 0.5, handlers: [{ name: "slow-disk", rules }] };
const jobs = [
  {
    name: "a {x}-{LR}",
    each: { zip: ["x", "LR"] },
    run: ["sh", "-c", "echo {x} # {{it}}"],
    env: { OMP_NUM_THREADS: "{x}" },
  },
  { name: "b", run: "true", after: "a *", when: "ended", priority: 3, retries: 0 },
];

const specOf = (document: unknown) => {
  const read = readSubmission(document, RULES);
  if (!read.ok) throw new Error(describeProblems(read.error).join("\n"));
  return read.value.spec;
};

test.each([
  ["a sweep", sweepDocument()],
  [
    "names in capitals, braces, hooks",
    graphDocument(jobs, { parameters: { x: "1..3", LR: [0.1, 0.2, 0.5] }, on: { end: "echo over" }, recovery }),
  ],
])("what a report says can be submitted again: %s", (_, document) => {
  const spec = specOf(document);
  const work = spec.work as GraphWork;
  const told = documentText(requestDetailView(sampleRequest({ spec }), null, []));
  // Files travel beside the page.
  const { work: again, recovery } = specOf({ ...parse(told), attachments: document.attachments ?? {} });
  expect(expandAll(again as GraphWork).graph).toEqual(expandAll(work).graph);
  expect((again as GraphWork).hooks).toEqual(work.hooks);
  expect(recovery).toEqual(spec.recovery);
});

test("any other request is told as it was understood", () => {
  const request = requestDetailView(sampleRequest(), null, []);
  expect(parse(documentText(request))).toMatchObject({ name: request.request_name, kind: "process" });
});
