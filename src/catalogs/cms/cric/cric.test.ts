import { expect, test } from "vitest";
import { readReport, readSites, readStorage } from "./answers.ts";

test("rows are read by the names of their columns, in whatever order", () => {
  const result = [
    ["T1_US_FNAL_Disk", "T1_US_FNAL"],
    [null, "T3_XX_Bare"],
    ["T2_YY_Lonely", ""],
  ];
  expect(readStorage({ desc: { columns: ["phedex_name", "psn_name"] }, result })).toEqual([
    { site: "T1_US_FNAL", rse: "T1_US_FNAL_Disk" },
  ]);
});

test("sites are processing sites, each once", () => {
  const columns = ["type", "site_name", "alias"];
  const result = [
    ["psn", "FNAL", "T1_US_FNAL"],
    ["psn", "FNAL", "T1_US_FNAL"],
    ["phedex", "FNAL", "T1_US_FNAL_Disk"],
    ["lcg", "FNAL", "USCMS-FNAL-WC1"],
  ];
  expect(readSites({ desc: { columns }, result })).toEqual(["T1_US_FNAL"]);
});

test("some reports have objects already; an empty one is empty", () => {
  expect(readReport({ result: [{ login: "robot" }] })).toEqual([{ login: "robot" }]);
  expect(readReport({ desc: { columns: [] }, result: [] })).toEqual([]);
});

test.each([[{}], [[]], [{ result: [["a"]] }], ["text"], [null]])("%j is no report", (value) => {
  expect(() => readReport(value)).toThrow(/no report/);
});
