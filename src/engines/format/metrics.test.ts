import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { METRICS_FAILED, METRICS_REMOVED } from "../../../tests/support/engine-samples.ts";
import { describeMetrics, type Metrics, parseMetrics, verdictOf } from "./metrics.ts";

const good: Metrics = {
  dagmanId: "1",
  exitCode: 0,
  dagStatus: 0,
  startTime: 0,
  endTime: 1,
  rescueUsed: 0,
  total: 3,
  succeeded: 3,
  failed: 0,
};

describe("metrics", () => {
  it.each([
    ["all three agree", {}, "success"],
    ["ABORT-DAG-ON … RETURN 0: not every node succeeded", { succeeded: 2 }, "aborted"],
    ["halted and drained: DagStatus 0, exit code 1", { exitCode: 1, succeeded: 2 }, "halted"],
    ["a node failed", { exitCode: 1, dagStatus: 2, failed: 1 }, "failed"],
    ["a FINAL node turned a failure into exit code 0", { dagStatus: 2, failed: 1 }, "failed"],
    ["removed reports no failed node", { exitCode: 2, dagStatus: 4, succeeded: 0 }, "removed"],
    ["removed, with a FINAL node", { dagStatus: 4 }, "removed"],
    ["ABORT-DAG-ON", { exitCode: 1, dagStatus: 3 }, "aborted"],
    ["a cycle", { exitCode: 1, dagStatus: 5 }, "unreadable"],
    ["halted", { exitCode: 1, dagStatus: 6 }, "halted"],
    ["an error", { exitCode: 1, dagStatus: 1 }, "failed"],
    ["a status of the future", { dagStatus: 9 }, "failed"],
  ] as const)("%s", (_name, change, verdict) => expect(verdictOf({ ...good, ...change })).toBe(verdict));

  it("reads DAGMan's own", () => {
    const failed = parseMetrics(METRICS_FAILED);
    expect(failed).toMatchObject({
      ok: true,
      value: { dagmanId: "22", total: 3, succeeded: 0, failed: 1, dagStatus: 2 },
    });
    const removed = parseMetrics(METRICS_REMOVED.replaceAll("\n", "\r\n").replace("DagStatus", "dag_status"));
    expect(removed).toMatchObject({ ok: true, value: { dagmanId: "25", exitCode: 2, dagStatus: 4 } });
    expect(removed.ok && describeMetrics(removed.value)).toBe("it was removed");
  });
  it("a cut or foreign file is a problem, never a verdict", () => {
    const end = METRICS_FAILED.lastIndexOf("}");
    fc.assert(
      fc.property(fc.nat(end), (at) => {
        expect(parseMetrics(METRICS_FAILED.slice(0, at)).ok).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(parseMetrics(text).ok).toBe(false);
      }),
    );
  });
});
