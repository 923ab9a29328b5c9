import { expect, test } from "vitest";
import { describeEvidence } from "./hold-evidence.ts";

const told = (evidence: Record<string, unknown>, message = "held") => describeEvidence({ message, evidence });

test("evidence of a round is told in sentences; of one place and what the message says, nothing", () => {
  const evidence = {
    verdict: "failed",
    text: "",
    unitsTotal: 4,
    unitsDone: 2,
    failedUnits: ["job_000001"],
    categories: { permanent: 1 },
    codes: [{ name: "42", units: 1, meaning: "the program failed: its stderr says why", exitCode: 42, failures: 1 }],
    sites: [{ site: "local", nodes: 3, failed: 1 }],
    badFiles: { named: [], total: 0 },
    first: { at: "2026-11-18T16:20:00.704Z", node: "job_000001", unit: "job_000001", reason: "exit 42" },
  };
  expect(told(evidence)).toEqual([
    "1 job failed with exit code 42 (the program failed: its stderr says why)",
    "first failure: 2026-11-18 16:20:00 UTC: exit 42",
  ]);
});

test("many places, files and units have their names", () => {
  const evidence = {
    failedUnits: ["mg_000001", "mg_000002"],
    sites: [
      { site: "T2_A", nodes: 3, failed: 1 },
      { site: "T2_B", nodes: 9, failed: 9 },
    ],
    badFiles: { named: ["/store/a"], total: 1 },
    first: { at: "2026-11-18T16:20:00.704Z", node: "proc_000001", unit: "mg_000001", reason: "exit 8021" },
  };
  expect(told(evidence)).toEqual([
    "failed: mg_000001, mg_000002",
    "failed by site: T2_A 1 of 3, T2_B 9 of 9",
    "bad input files: /store/a",
    "first failure: mg_000001/proc_000001, 2026-11-18 16:20:00 UTC: exit 8021",
  ]);
});

test("whatever another hold keeps, no JSON is shown", () => {
  const evidence = {
    pattern: "/data/*.csv",
    files: ["a", "b"],
    mask: { runs: [1] },
    none: null,
    jobsPerUnit: 7,
    deep: [{ a: 1 }],
  };
  expect(told(evidence)).toEqual(["pattern: /data/*.csv", "files: a, b", "jobs per unit: 7"]);
  expect(told({ hint: "wait" }, "no answer; hint: wait")).toEqual([]);
});
