import { expect, test } from "vitest";
import { linesByJob } from "./shared-ledger.ts";

const attempt = (node: string, cluster: number) => `{"event":"attempt","node":"${node}","cluster":${cluster}}`;

test("each job gets its own lines; what is said of many is said to each of itself; what cannot be told is shown once", () => {
  const text = [
    attempt("job_000000", 1),
    attempt("job_000001", 2),
    '{"event":"epoch","epoch":1,"nodes":["job_000000","job_000002"]}',
    attempt("job_000000", 3),
    "torn {",
  ].join("\n");
  const of = linesByJob(text, "job_000001");
  expect(of("job_000000")?.split("\n")).toEqual([
    attempt("job_000000", 1),
    '{"event":"epoch","epoch":1,"nodes":["job_000000"]}',
    attempt("job_000000", 3),
    "",
  ]);
  expect(of("job_000001")).toBe(`${attempt("job_000001", 2)}\ntorn {\n`);
  expect(of("job_000002")).toBe('{"event":"epoch","epoch":1,"nodes":["job_000002"]}\n');
  expect(of("job_000003")).toBe("");
  expect(linesByJob(null, "job_000000")("job_000000")).toBeNull();
});
