import { expect, test } from "vitest";
import { decodedNames, tabTitle } from "./address-names.ts";

test("names are what their signs stand for; a lone % is itself", () => {
  expect(decodedNames({ name: "muons", node: "mg_000003%2Fproc_000021", unit: "100%" })).toEqual({
    name: "muons",
    node: "mg_000003/proc_000021",
    unit: "100%",
  });
});

test.each([
  ["/queue", "Queue", {}, "Queue · WMS2"],
  ["/requests/:name", "Request", { name: "muons" }, "muons · WMS2"],
  ["/requests/:name/failures", "Failures", { name: "muons" }, "Failures · muons · WMS2"],
  ["/requests/:name/nodes/:node", "Job", { name: "muons", node: "mg_1:proc_2" }, "mg_1:proc_2 · muons · WMS2"],
  ["/sites/:name", "Site", { name: "north" }, "north · WMS2"],
])("a tab with %s", (path, title, names, text) => expect(tabTitle({ path, title }, names)).toBe(text));
