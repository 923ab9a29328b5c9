import { expect, test } from "vitest";
import { parse } from "yaml";
import { namedText } from "./named-text.ts";

test("what a person wrote keeps its comments and order, under the name it has now", () => {
  const text = "# muons of May\nkind: generate\nname: muons # the first\nevents: 12345678901234567890\n";
  expect(namedText(text, "muons-v2")).toBe(
    "# muons of May\nkind: generate\nname: muons-v2 # the first\nevents: 12345678901234567890\n",
  );
});

test("what a program wrote is laid out, and means the same", () => {
  const document = { kind: "graph", name: "g", jobs: [{ name: "a", run: "echo 'x: y' # z\ntrue" }], attachments: [] };
  const text = namedText(JSON.stringify(document), "g");
  expect(text.split("\n").length).toBeGreaterThan(5);
  expect(parse(text)).toEqual(document);
});
