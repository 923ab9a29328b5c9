import { expect, test } from "vitest";
import { clockCheck, limitChecks, nodeCheck, spoolPathChecks } from "./machine.ts";

test.each([
  ["18.20.0", "fail"],
  ["20.19.9", "fail"],
  ["20.20.0", "ok"],
  ["22.1.0", "ok"],
])("Node %s: %s", (version, result) => expect(nodeCheck(version).result).toBe(result));

test.each([
  ["1970-01-01T00:00:10Z", "fail"],
  ["2026-11-15T12:00:00Z", "ok"],
  ["2199-01-01T00:00:00Z", "fail"],
])("a clock at %s: %s", (at, result) => expect(clockCheck(new Date(at)).result).toBe(result));

test("low limits are warnings that say how to raise them", () => {
  const [files, processes] = limitChecks({ openFiles: 1024, processes: Number.POSITIVE_INFINITY });
  expect(files).toMatchObject({ result: "warn", fix: expect.stringContaining("ulimit -n") });
  expect(processes).toMatchObject({ result: "ok", message: "processes: unlimited" });
});

test.each([
  ["dagman", "/tmp/wms2/spool", 1],
  ["dagman", "/var/tmp/spool", 0],
  ["dagman", "/tmpfs/spool", 0],
  ["local", "/tmp/wms2/spool", 0],
] as const)("%s with its spool in %s: %d warnings", (engine, spool_dir, warnings) => {
  expect(spoolPathChecks({ "engine.kind": engine, spool_dir })).toHaveLength(warnings);
});
