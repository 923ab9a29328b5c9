import { join } from "node:path";
import { expect, test } from "vitest";
import { neededFiles } from "../../intake/read-submission.ts";
import { parseDocument } from "../../intake/reading/parse-document.ts";
import { KINDS } from "../../kinds/table.ts";
import { aboutIn, readExamples } from "./examples.ts";

const EXAMPLES = join(import.meta.dirname, "../../../examples");

test("examples that are offered need no other file, and say what they are", async () => {
  const { requests, scenarios } = await readExamples(EXAMPLES);
  expect(requests.map(({ file }) => file)).toEqual(["generate.yaml"]);
  expect(scenarios.map(({ file }) => file)).toContain("scenarios/flaky-site.yaml");
  for (const { file, about, text } of [...requests, ...scenarios]) {
    expect([file, about]).toEqual([file, expect.stringMatching(/^[A-Z].*\.$/)]);
    const parsed = parseDocument(text, "yaml");
    expect(parsed.ok && neededFiles(parsed.value, KINDS)).toEqual([]);
  }
});

test("without examples there are none, and that is no error", async () => {
  expect(await readExamples("/nowhere")).toEqual({ requests: [], scenarios: [] });
});

test.each([
  ["# One.\n# Two.\n#   wms2 submit x\nname: x\n", "One. Two."],
  ["# One.\nname: x\n", "One."],
  ["name: x\n", ""],
])("the comment of %j is %j", (text, about) => expect(aboutIn(text)).toBe(about));
