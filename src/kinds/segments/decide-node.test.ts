import { describe, expect, test } from "vitest";
import { due, NOW, sampleRow, sampleSegments, TRANSFER } from "../../../tests/support/sample-segments.ts";
import type { Cause } from "../../core/cause.ts";
import type { NodeRow } from "../../core/segments.ts";
import { decideNode, type EndedNode, forceNode, type NodeEnding, releaseNode } from "./decide-node.ts";

const submitted = (change: Partial<NodeRow> = {}): NodeRow => sampleRow(due(5), "submitted", change);
const hours = (count: number): Date => new Date(NOW.getTime() + count * 3_600_000);

function decided(row: NodeRow, ending: NodeEnding, change: Partial<EndedNode> = {}): NodeRow {
  const work = sampleSegments();
  const facts = { row, ending, isHistory: false, madeSum: null, madeOfSum: "inputs", work, wallMinutes: 120, now: NOW };
  return decideNode({ ...facts, ...change });
}
const failed = (...causes: (Cause | number)[]): NodeEnding => ({
  kind: "failed",
  reason: "as its log says",
  attempts: causes.map((cause) =>
    typeof cause === "number" ? { cause: "exit", exitCode: cause } : { cause, exitCode: null },
  ),
});

describe("a unit ended", () => {
  test.each<[string, Partial<NodeRow>, NodeEnding, Partial<NodeRow>]>([
    ["in error, once", {}, failed(3), { state: "failed", executions: 1, cause: "exit", retryAt: null }],
    ["in error, and once before", { executions: 1 }, failed(3), { state: "held", executions: 2 }],
    ["twice in error in one round", {}, failed(3, "signal"), { state: "held", executions: 2, cause: "signal" }],
    ["without its history", {}, failed(66), { state: "input-missing", executions: 0, madeOfSum: "inputs" }],
    ["without its history, once more", { executions: 1 }, failed(66), { state: "input-missing", executions: 1 }],
    ["in a copy", {}, failed(75), { state: "failed", transfers: 1, executions: 0, retryAt: hours(1) }],
    ["in a copy, the third time", { transfers: 2 }, failed(75), { state: "failed", transfers: 3, retryAt: hours(4) }],
    ["in a copy, once too often", { transfers: 6 }, failed(75), { state: "held", transfers: 7 }],
    ["lost", {}, failed("node_lost"), { state: "lost", losses: 1, executions: 0 }],
    ["never seen to begin", {}, failed(), { state: "lost", losses: 1 }],
    ["lost too often", { losses: 2 }, failed("evicted"), { state: "held", losses: 3 }],
    ["lost, then in error", {}, failed("node_lost", 3), { state: "failed", losses: 1, executions: 1 }],
    ["over its time", {}, failed("walltime"), { state: "failed", overruns: 1, executions: 0 }],
    ["over its time, three times", { overruns: 1 }, failed("walltime", "walltime"), { state: "held", overruns: 3 }],
    ["well, and left nothing", {}, { kind: "done" }, { state: "failed", executions: 1, cause: "missing_output" }],
    ["before it began", {}, { kind: "not-run", reason: "stopped" }, { state: "missing", reason: "stopped" }],
    ["before it began, and had failed", { executions: 1 }, { kind: "not-run", reason: "stopped" }, { state: "failed" }],
    ["without a chunk it is made of", {}, failed(50121), { state: "missing", executions: 0, losses: 1 }],
    ["without a chunk, again and again", { losses: 2 }, failed(50121), { state: "held", losses: 3 }],
    ["blocked", {}, { kind: "blocked", by: due(10) }, { state: "missing", reason: `blocked by ${due(10)}` }],
  ])("%s", (_, row, ending, expected) => expect(decided(submitted(row), ending)).toMatchObject(expected));

  test("well, and what it made verifies: done, and what was counted is forgotten", () => {
    const row = submitted({ executions: 1, overruns: 2, reason: "exit code 3", cause: "exit" });
    expect(decided(row, { kind: "done" }, { madeSum: "outputs" })).toMatchObject({
      state: "done",
      executions: 0,
      overruns: 0,
      reason: null,
      cause: null,
      madeSum: "outputs",
      madeOfSum: "inputs",
    });
  });

  test("lost, but what it made is there: it is done; what was there before proves nothing", () => {
    const row = submitted({ madeSum: "before" });
    expect(decided(row, failed("node_lost"), { madeSum: "new" })).toMatchObject({ state: "done", madeSum: "new" });
    expect(decided(row, failed("node_lost"), { madeSum: "before" })).toMatchObject({ state: "lost" });
    expect(decided(row, failed(3), { madeSum: "new" })).toMatchObject({ state: "failed" });
  });

  test("asked for again and never run: it is as done, and as stale, as before", () => {
    const row = submitted({ madeSum: "before", madeOfSum: "then" });
    expect(decided(row, { kind: "blocked", by: due(10) }, { madeSum: "before" })).toMatchObject({
      state: "done",
      madeSum: "before",
      madeOfSum: "then",
    });
  });

  test("19: three time limits suggest a longer one, with a number", () => {
    const { reason } = decided(submitted({ overruns: 2 }), failed("walltime"));
    expect(reason).toBe(
      "ran over its limit of 120 min 3 times; give it more (resources: {time: 240 min}), then release it: as its log says",
    );
  });
});

describe("history that is fetched", () => {
  const history = { ...sampleSegments().history, transfer: TRANSFER };
  const fetched = (transfers: number, cause: Cause | number) =>
    decided(sampleRow("history/0013", "submitted", { transfers }), failed(cause), {
      isHistory: true,
      work: sampleSegments({ history }),
    });
  test.each<[number, Cause | number, Partial<NodeRow>]>([
    [0, 3, { state: "failed", transfers: 1, retryAt: hours(1) }],
    [1, "node_lost", { state: "failed", transfers: 2, retryAt: hours(2) }],
    [2, 3, { state: "held", transfers: 3 }],
    [2, 50122, { state: "failed", transfers: 2, retryAt: null }], // frepp's stager has it
  ])("after %s failures: %s", (before, cause, expected) => expect(fetched(before, cause)).toMatchObject(expected));

  test("24: one more by force: at once, its count is kept, and then it is held again", () => {
    const forced = forceNode(sampleRow("history/0013", "held", { transfers: 3 }), "ann", NOW);
    expect(forced).toMatchObject({ state: "failed", transfers: 3, retryAt: null });
    expect(fetched(3, 3)).toMatchObject({ state: "held", transfers: 4 });
  });
});

test("10: a release opens an epoch with budgets of its own", () => {
  const held = sampleRow(due(5), "held", { executions: 2, overruns: 1, epoch: 1, retryAt: hours(3), cause: "exit" });
  const released = releaseNode(held, "ann", NOW);
  expect(released).toMatchObject({
    state: "missing",
    epoch: 2,
    executions: 0,
    overruns: 0,
    retryAt: null,
    cause: null,
  });
  expect(decided({ ...released, state: "submitted" }, failed(3))).toMatchObject({ state: "failed", executions: 1 });
});
