import { describe, expect, test } from "vitest";
import { attempt, ended, events, report } from "../../tests/support/attempts.ts";
import type { Attempt } from "./attempt.ts";
import { readOutcome } from "./outcome.ts";

const held = (code: number, subcode: number, reason = "text") =>
  attempt({ dagReturn: -1002, report: null, events: events({ held: { code, subcode, reason } }) });
const bare = (dagReturn: number, changes: Partial<Attempt> = {}) => attempt({ dagReturn, report: null, ...changes });
const removed = (aborted: string, changes = {}) => bare(-1002, { events: events({ aborted, ...changes }) });

test("success needs $RETURN 0 and a finished report of this attempt that says 0", () => {
  expect(readOutcome(attempt())).toEqual({ kind: "succeeded" });
  expect(readOutcome(attempt({ report: report({ cluster: null }) }))).toEqual({ kind: "succeeded" });
  for (const broken of [
    attempt({ report: null }),
    attempt({ report: report({ state: "started", exitCode: null }) }),
    attempt({ report: report({ state: "truncated" }) }),
    attempt({ report: report({ cluster: 6 }) }),
    attempt({ report: report({ node: "proc_000001" }) }),
    attempt({ report: report({ exitCode: null }) }),
  ])
    expect(readOutcome(broken)).toMatchObject({ cause: "missing_report", exitCode: 50115 });
  expect(readOutcome(attempt({ events: events({ terminated: { code: 5, signal: null } }) }))).toMatchObject({
    cause: "exit",
    exitCode: 5,
  });
});

test("a landing job writes no report", () => {
  expect(readOutcome(bare(0, { role: "landing", node: "landing" }))).toEqual({ kind: "succeeded" });
  expect(readOutcome(bare(1, { role: "landing", node: "landing" }))).toMatchObject({ exitCode: 1 });
});

describe("where the true code comes from", () => {
  test.each<[string, Attempt, object]>([
    ["the report", ended(8021), { cause: "exit", exitCode: 8021, decodedFrom: "report" }],
    ["the payload's own 42", ended(42), { cause: "exit", exitCode: 42, decodedFrom: "report" }],
    ["the payload's own 43, no report", bare(43), { cause: "exit", exitCode: 43, decodedFrom: "status" }],
    ["the payload's own 44, no report", bare(44), { cause: "exit", exitCode: 44, decodedFrom: "status" }],
    [
      "99108 points to the step before",
      attempt({
        dagReturn: 1,
        report: report({
          exitCode: 99108,
          steps: [
            { name: "GEN", exitCode: 0, status: 0, signal: null },
            { name: "SIM", exitCode: 8001, status: 65, signal: null },
            { name: "RECO", exitCode: 99108, status: 1, signal: null },
          ],
        }),
      }),
      { exitCode: 8001, decodedFrom: "report" },
    ],
    [
      "a report over a later hold",
      attempt({
        dagReturn: -1002,
        report: report({ exitCode: 8021 }),
        events: events({ held: { code: 12, subcode: 2, reason: "no output" } }),
      }),
      { exitCode: 8021, decodedFrom: "report" },
    ],
    [
      "a hold over a report that only knows the signal",
      attempt({
        dagReturn: -1002,
        report: report({ exitCode: 143 }),
        events: events({ held: { code: 3, subcode: 50660, reason: "WMS2 memory" } }),
      }),
      { cause: "oom", exitCode: 50660, decodedFrom: "hold" },
    ],
    [
      "a hold over a report that says 0",
      attempt({ dagReturn: -1002, events: events({ held: { code: 12, subcode: 2, reason: "x" } }) }),
      { cause: "missing_output", exitCode: 60302, decodedFrom: "hold" },
    ],
    ["report 0, $RETURN 1", attempt({ dagReturn: 1 }), { cause: "exit", exitCode: 1, decodedFrom: "status" }],
    [
      "the event log before $RETURN",
      bare(1, { events: events({ terminated: { code: null, signal: 11 } }) }),
      { cause: "signal", exitCode: 139, signal: 11 },
    ],
    ["-1001", bare(-1001, { cluster: null }), { cause: "submit_failed", exitCode: -1001 }],
    ["-1002 without text", bare(-1002), { cause: "evicted", exitCode: 50666, decodedFrom: "remove" }],
    ["-1003", bare(-1003), { cause: "node_lost", exitCode: -1003 }],
    ["-1004", bare(-1004), { cause: "submit_failed", exitCode: -1004 }],
    ["a number without meaning", bare(-5000), { cause: "node_lost" }],
    ["a worker that is gone", bare(1, { events: events({ lost: "gone" }) }), { cause: "node_lost", text: "gone" }],
    [
      "a declared output missing",
      attempt({ missingOutputs: ["merge_output.json"] }),
      { cause: "missing_output", exitCode: 60302 },
    ],
  ])("%s", (_name, given, expected) => {
    expect(readOutcome(given)).toMatchObject({ kind: "failed", ...expected });
  });
});

describe("holds", () => {
  test.each<[number, number, object]>([
    [3, 50660, { cause: "oom", exitCode: 50660 }],
    [3, 50664, { cause: "walltime", exitCode: 50664 }],
    [3, 50662, { cause: "disk", exitCode: 50662 }],
    [3, 42, { cause: "held", exitCode: 42 }],
    [3, 0, { cause: "held", exitCode: -1002 }],
    [6, 2, { cause: "held", exitCode: -1002 }],
    [12, 2, { cause: "missing_output", exitCode: 60302 }],
    [12, 28, { cause: "held" }],
    [13, 2, { cause: "held", hold: { code: 13, subcode: 2 } }],
    [34, 0, { cause: "oom", exitCode: 50660 }],
    [46, 0, { cause: "walltime", exitCode: 50664 }],
    [47, 0, { cause: "walltime", exitCode: 50664 }],
    [99, 1, { cause: "held" }],
  ])("code %i subcode %i", (code, subcode, expected) => {
    expect(readOutcome(held(code, subcode))).toMatchObject({ decodedFrom: "hold", ...expected });
  });
});

test("removals are read from their text, never from the text of an expression", () => {
  const expression = "The job attribute PeriodicRemove expression '(MemoryUsage > 3) || idle' evaluated to TRUE";
  expect(readOutcome(removed("Removed due to memory use"))).toMatchObject({ cause: "oom", exitCode: 50660 });
  expect(readOutcome(removed("Removed due to wall clock limit"))).toMatchObject({ exitCode: 50664 });
  expect(readOutcome(removed("Removed due to disk usage"))).toMatchObject({ exitCode: 50662 });
  expect(readOutcome(removed("Removed due to idle time limit"))).toMatchObject({ exitCode: 50665 });
  expect(readOutcome(removed("via condor_rm (by user wms)"))).toMatchObject({ cause: "evicted", exitCode: 99400 });
  expect(readOutcome(removed(expression))).toMatchObject({ cause: "evicted", exitCode: 50666 });
  expect(readOutcome(removed(expression, { executions: 0 }))).toMatchObject({ exitCode: 50665 });
});

test("signals have one form, however they are told", () => {
  const forms = [
    bare(-9),
    bare(137),
    ended(137),
    ended(-9),
    bare(1, { events: events({ terminated: { code: null, signal: 9 } }) }),
  ];
  for (const form of forms) expect(readOutcome(form)).toMatchObject({ cause: "signal", exitCode: 137, signal: 9 });
  for (let signal = 1; signal <= 64; signal++)
    expect(readOutcome(bare(-signal))).toMatchObject({ cause: "signal", exitCode: 128 + signal, signal });
});

test("short codes are aliases, unless they are signals or have a meaning of their own", () => {
  const decoded = (code: number) => {
    const outcome = readOutcome(bare(code));
    return outcome.kind === "failed" ? [outcome.exitCode, outcome.decodedFrom] : null;
  };
  const ALIAS = {
    50: 10034,
    53: 8501,
    56: 10040,
    65: 8001,
    66: 8002,
    67: 8003,
    68: 8004,
    81: 50513,
    84: 8020,
    85: 8021,
    86: 8022,
    87: 8023,
    90: 8026,
    92: 8028,
    94: 8030,
    95: 8031,
    96: 8032,
    97: 8033,
    128: 80000,
    147: 60307,
    151: 60311,
    155: 60315,
    157: 60317,
    190: 50110,
    193: 50113,
    195: 50115,
    228: 50660,
    229: 50661,
    230: 50662,
    231: 50663,
    232: 50664,
    233: 50665,
    234: 50666,
    237: 50669,
    243: 60403,
  };
  for (const [short, long] of Object.entries(ALIAS)) {
    expect(long & 0xff).toBe(Number(short));
    expect(decoded(Number(short))).toEqual([long, "alias"]);
  }
  for (const own of [1, 2, 64, 70, 71, 72, 73, 74, 126, 127]) expect(decoded(own)).toEqual([own, "status"]);
  for (const signal of [129, 132, 133, 134, 135, 136, 137, 139, 143, 152, 153])
    expect(readOutcome(bare(signal))).toMatchObject({ cause: "signal", signal: signal - 128 });
  expect(readOutcome(ended(85))).toMatchObject({ exitCode: 8021, shortCode: 85, decodedFrom: "alias" });
  for (const reading of [
    { cmsCodes: true, shortCodes: false },
    { cmsCodes: false, shortCodes: true },
  ])
    expect(readOutcome(bare(85), reading)).toMatchObject({ exitCode: 85, decodedFrom: "status" });
});

test("a kill is explained by what the job used", () => {
  expect(readOutcome(bare(-9, { memoryMb: 2000, peakMemoryMb: 2100 }))).toMatchObject({ cause: "oom", exitCode: 137 });
  expect(readOutcome(bare(-9, { memoryMb: 2000, peakMemoryMb: 900 }))).toMatchObject({ cause: "signal" });
  expect(readOutcome(bare(-15, { wallMinutes: 10, wallSec: 601 }))).toMatchObject({ cause: "walltime", exitCode: 143 });
  expect(readOutcome(bare(-11, { wallMinutes: 10, wallSec: 601 }))).toMatchObject({ cause: "signal" });
});

test("whose word a code is: the framework's where its report or its payload is, else the program's", () => {
  const plain = { cmsCodes: false, shortCodes: true };
  expect(readOutcome(ended(65), plain)).toMatchObject({ exitCode: 65, shortCode: null, speech: "ordinary" });
  const reported = attempt({ dagReturn: 1, report: report({ exitCode: 65, framework: true }) });
  expect(readOutcome(reported, plain)).toMatchObject({ exitCode: 8001, shortCode: 65, speech: "cms" });
  expect(readOutcome(ended(65))).toMatchObject({ exitCode: 8001, speech: "cms" });
  expect(readOutcome(ended(8021), plain)).toMatchObject({ exitCode: 8021, decodedFrom: "report" });
});
