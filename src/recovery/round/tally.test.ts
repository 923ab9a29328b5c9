import { expect, test } from "vitest";
import { attemptLine, failedLine } from "../../../tests/support/rounds.ts";
import type { Attempt } from "../attempt.ts";
import { decideAttempt } from "../decide.ts";
import { NO_HISTORY, parseLedger, readTallyLines } from "../ledger-record.ts";
import { builtinPolicy } from "../policy.ts";
import { attemptRecord, ledgerText } from "../records.ts";
import { tallyRound } from "./tally.ts";

const attempt = (over: Partial<Attempt>): Attempt => ({
  node: "proc_000000",
  unit: "mg_000000",
  role: "processing",
  handlers: null,
  cluster: 7,
  dagRetry: 3,
  maxRetries: 3,
  dagReturn: 1,
  report: null,
  events: null,
  stderrTail: "",
  startedAt: null,
  endedAt: null,
  site: "A",
  host: "h",
  sites: null,
  cores: 1,
  memoryMb: 1000,
  peakMemoryMb: null,
  wallMinutes: 60,
  wallSec: 5,
  inputs: ["/f"],
  missingOutputs: [],
  forgedOutput: null,
  ...over,
});

test("what level 1 writes is what level 2 reads", () => {
  const now = new Date(0);
  const text = [1, 84, 127, -9, -1001, -1002]
    .map((dagReturn, at) => {
      const seen = attempt({ dagReturn, cluster: at + 1, node: `proc_00000${at}` });
      return ledgerText(attemptRecord(seen, decideAttempt(seen, NO_HISTORY, builtinPolicy(), now), now));
    })
    .join("");
  const whole = parseLedger(text).lines;
  const { lines, unreadable } = readTallyLines(text);
  expect(unreadable).toBe(0);
  expect(lines).toHaveLength(6);
  for (const [at, line] of lines.entries()) expect(whole[at]).toMatchObject(line);
  const tally = tallyRound([{ unit: "mg_000000", state: "failed", lines }]);
  expect(tally.nodes.failed).toBe(6);
  expect(tally.codes.every(({ category }) => category !== "unknown")).toBe(true);
});

test("lines of before, torn lines and other records", () => {
  const text = [
    '{"at":"2026-01-01T00:00:00Z","node":"proc_000000","cluster":1,"retry":3,"maxRetries":3,"return":85,"decision":"retry"}',
    '{"event":"epoch","epoch":1,"at":"","by":"ann","reason":""}',
    "not json",
    "[1]",
    '{"event":"attempt","node":"proc_000001","decision":"perhaps"}',
    '{"node":"proc_0000',
  ].join("\n");
  const { lines, unreadable } = readTallyLines(text);
  expect(unreadable).toBe(4);
  expect(lines).toMatchObject([{ node: "proc_000000", exitCode: 85, category: null, cause: null }]);
  const tally = tallyRound([{ unit: "mg_000000", state: "failed", lines, unreadable }]);
  expect(tally).toMatchObject({
    unreadable: 4,
    failedUnits: [{ outlook: "open" }],
    categories: [{ key: "unknown", failures: 1 }],
  });
});

test("an attempt told twice counts once, and a retry that never came is no verdict", () => {
  const stop = failedLine({ cluster: 5 });
  const cutOff = failedLine({ node: "proc_000001", decision: "retry", retry: 1 });
  const tally = tallyRound([{ unit: "mg_000000", state: "open", lines: [stop, stop, cutOff] }]);
  expect(tally).toMatchObject({ attempts: 2, nodes: { failed: 1 }, units: { open: 1 } });
});

test("what failed first and most", () => {
  const at = (day: number, exitCode: number, node: string) =>
    failedLine({ at: `2026-01-0${day}T00:00:00Z`, exitCode, rule: null, node });
  const tally = tallyRound([
    { unit: "mg_1", state: "failed", lines: [at(2, 1, "a"), at(3, 2, "b"), at(3, 2, "c")] },
    { unit: "mg_0", state: "failed", lines: [at(1, 1, "a"), at(3, 2, "b"), attemptLine({ node: "d" })] },
  ]);
  expect(tally.first).toMatchObject({ unit: "mg_0", node: "a" });
  expect(tally.codes).toMatchObject([
    { exitCode: 2, failures: 3, units: 2, first: { unit: "mg_0", node: "b" } },
    { exitCode: 1, failures: 2, units: 2, first: { unit: "mg_0", node: "a" } },
  ]);
  expect(tally.failedUnits.map(({ unit }) => unit)).toEqual(["mg_0", "mg_1"]);
  expect(tally.nodes).toMatchObject({ done: 1, failed: 5 });
});
