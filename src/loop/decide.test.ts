import { describe, expect, test } from "vitest";
import {
  abortWish,
  dag,
  ended,
  facts,
  intent,
  NOW,
  owing,
  place,
  policy,
  request,
  running,
  wished,
} from "../../tests/support/decide-facts.ts";
import type { UnitName } from "../core/names.ts";
import { canMove, REQUEST_STATUSES, type RequestStatus } from "../core/request-status.ts";
import { decide } from "./decide.ts";
import type { Decision, Facts } from "./decision.ts";

const ALL_UNITS = { ...facts({}).workflow, hasAllUnits: true } as Facts["workflow"];

type Story = [story: string, facts: Facts, kind: Decision["kind"], words: RegExp];
const TABLE: Story[] = [
  ["submitted", facts({ request: request("submitted") }), "open-workflow", /accepted/],
  ["queued with a place", facts({ request: request("queued"), admission: place }), "start", /free/],
  ["queued without", facts({ request: request("queued") }), "wait", /queue/],
  ["planning, nothing planned", facts({ request: request("planning"), workRemains: true }), "plan", /round 0/],
  ["planning, nothing left", facts({ request: request("planning") }), "complete", /no work/],
  [
    "planning, nothing left but outputs owed: none will be added",
    facts({ request: request("planning"), outputs: owing() }),
    "close-outputs",
    /all work is done/,
  ],
  [
    "planning, nothing left but outputs owed, which all are there",
    facts({ request: request("planning"), outputs: owing(), workflow: ALL_UNITS }),
    "wait",
    /outputs: 3 of 5 blocks archived$/,
  ],
  [
    "writing was interrupted",
    facts({ request: request("planning"), dag: dag("planning") }),
    "discard-plan",
    /interrupted/,
  ],
  [
    "the directory is gone",
    facts({ request: request("planning"), dag: dag("ready"), directoryComplete: false }),
    "discard-plan",
    /gone/,
  ],
  ["ready, never tried", facts({ request: request("planning"), dag: dag("ready") }), "submit", /complete/],
  [
    "ready, tried before, new leader",
    facts({ request: request("planning"), dag: dag("ready"), submitIntent: intent, leaderForSec: 2 }),
    "wait",
    /on its way/,
  ],
  [
    "ready, tried before",
    facts({ request: request("planning"), dag: dag("ready"), submitIntent: intent }),
    "submit",
    /begun before/,
  ],
  ["active, engine silent", facts({ dag: dag("running") }), "wait", /could not be asked/],
  [
    "active, engine cannot tell",
    facts({ dag: dag("running"), observation: { kind: "unknown", why: "garbled" } }),
    "wait",
    /garbled/,
  ],
  ["active, other numbers", facts({ dag: dag("running"), observation: running(2) }), "follow", /news/],
  ["active, first sign of life", facts({ dag: dag("submitted"), observation: running(4) }), "follow", /news/],
  ["active, nothing new", facts({ dag: dag("running"), observation: running(4) }), "wait", /4 of 4/],
  [
    "active, outputs owed: the run goes on",
    facts({ dag: dag("running"), observation: running(4), outputs: owing() }),
    "wait",
    /4 of 4/,
  ],
  [
    "ended well, a unit without a row",
    facts({ dag: dag("running"), observation: ended("success"), newlyDone: ["mg_000000" as UnitName] }),
    "follow",
    /news/,
  ],
  [
    "ended well, outputs owed: no unit will come any more",
    facts({ dag: dag("running"), observation: ended("success"), outputs: owing() }),
    "close-outputs",
    /all work is done/,
  ],
  [
    "ended well, outputs owed, which all are there",
    facts({ dag: dag("running"), observation: ended("success"), outputs: owing(), workflow: ALL_UNITS }),
    "wait",
    /3 of 5/,
  ],
  [
    "ended well, and the catalog is away: the run is over all the same",
    facts({
      dag: dag("running"),
      observation: ended("success"),
      outputs: owing({ code: "unreachable", message: "Rucio does not answer" }),
    }),
    "owe-outputs",
    /wait to be registered/,
  ],
  [
    "ended well, outputs owed, work remains",
    facts({ dag: dag("running"), observation: ended("success"), outputs: owing(), workRemains: true }),
    "finish-round",
    /remains/,
  ],
  [
    "only outputs are owed, by a run that ended before this version",
    facts({ dag: dag("completed"), outputs: owing() }),
    "close-outputs",
    /all work is done/,
  ],
  [
    "only outputs are owed, and their service is away",
    facts({
      dag: dag("completed"),
      workflow: ALL_UNITS,
      outputs: owing({ code: "unreachable", message: "Rucio does not answer" }),
    }),
    "wait",
    /3 of 5 blocks archived; Rucio does not answer$/,
  ],
  [
    "only outputs are owed, and one is refused",
    facts({
      dag: dag("completed"),
      workflow: ALL_UNITS,
      outputs: owing({ code: "InsufficientAccountLimit", message: "no quota" }),
    }),
    "wait",
    /tape-rule of \/A\/B\/C#1 is refused: no quota \(ask for more\)/,
  ],
  ["all outputs are archived", facts({ dag: dag("completed") }), "complete", /registered/],
  [
    "ended well, work remains",
    facts({ dag: dag("running"), observation: ended("success"), workRemains: true }),
    "finish-round",
    /remains/,
  ],
  ["ended well, all done", facts({ dag: dag("running"), observation: ended("success") }), "finish-round", /registered/],
  ["ended with failures", facts({ dag: dag("running"), observation: ended("failed") }), "end-partial", /failed/],
  [
    "removed with units done is no success",
    facts({ dag: dag("running"), observation: ended("removed") }),
    "end-partial",
    /removed/,
  ],
  [
    "unreadable DAG",
    facts({ dag: dag("running"), observation: ended("unreadable", { text: "ERROR: bad keyword" }) }),
    "end-partial",
    /bad keyword/,
  ],
  [
    "an output block failed",
    facts({ outputs: { ...owing({ code: "310", message: "another size" }), failed: 1 } }),
    "hold",
    /registration-failed/,
  ],
  ["held", facts({ request: request("held") }), "wait", /held/],
  ["abort before anything ran", facts({ request: request("queued", abortWish) }), "abort", /ann: typo/],
  [
    "abort of a run",
    facts({ request: request("active", abortWish), dag: dag("running"), observation: running(4) }),
    "stop-run",
    /typo/,
  ],
  [
    "abort when the run is over",
    facts({ request: request("active", abortWish), dag: dag("running"), observation: ended("removed") }),
    "abort",
    /typo/,
  ],
  [
    "abort waits for no catalog: what finished is owed all the same",
    facts({
      request: request("active", abortWish),
      dag: dag("running"),
      observation: ended("removed"),
      outputs: owing(),
    }),
    "abort",
    /typo/,
  ],
  [
    "abort of an uncertain submission asks first",
    facts({ request: request("planning", abortWish), dag: dag("ready"), submitIntent: intent }),
    "stop-run",
    /typo/,
  ],
  [
    "released while its run goes on",
    facts({ request: wished("held", "release"), dag: dag("running") }),
    "go-on",
    /ann/,
  ],
  ["failed while its run goes on", facts({ request: wished("held", "fail"), dag: dag("running") }), "stop-run", /ann/],
  ["failed when it is over", facts({ request: wished("held", "fail"), dag: dag("partial") }), "fail", /ann/],
  ["restarted when it is over", facts({ request: wished("held", "restart"), dag: dag("partial") }), "restart", /ann/],
  ...(["queued", "planning", "active", "partial"] as const).map(
    (status): Story => [
      `stop of an uncertain submission while ${status}`,
      facts({ request: wished(status, "stop"), dag: dag("ready"), submitIntent: intent }),
      "begin-stop",
      /ann: typo/,
    ],
  ),
];

test.each(TABLE)("%s", (_story, given, kind, words) => {
  const decision = decide(given, policy, NOW);
  expect(decision.kind).toBe(kind);
  expect(decision.kind === "hold" ? `${decision.hold.code}: ${decision.hold.message}` : decision.reason).toMatch(words);
});

describe("timeouts", () => {
  const late = new Date("2026-03-01T00:00:00Z");
  test("planning that goes nowhere is held, never failed", () => {
    const stuck = facts({ request: request("planning"), dag: dag("running"), leaderForSec: 3601 });
    expect(decide(stuck, policy, late)).toMatchObject({ kind: "hold", hold: { code: "stuck" } });
  });
  test("what passed while nobody looked does not count: no server, or a clock that leapt ahead", () => {
    const begun = facts({ request: request("planning"), dag: dag("running"), leaderForSec: 5 });
    expect(decide(begun, policy, late).kind).toBe("wait");
    const onItsWay = facts({ request: request("planning"), dag: dag("ready"), submitIntent: intent, leaderForSec: 1 });
    expect(decide(onItsWay, policy, late).kind).toBe("wait");
  });
  test("a long run is still followed, and a long queue still served", () => {
    expect(decide(facts({ dag: dag("running"), observation: running(2) }), policy, late).kind).toBe("follow");
    expect(decide(facts({ request: request("queued"), admission: place }), policy, late).kind).toBe("start");
    expect(decide(facts({ request: request("queued") }), policy, late).kind).toBe("wait");
  });
});

test("law: every decision that moves a request is a legal move from its status", () => {
  const target: Partial<Record<Decision["kind"], RequestStatus>> = {
    "open-workflow": "queued",
    start: "planning",
    submit: "active",
    "end-partial": "partial",
    complete: "completed",
    hold: "held",
    abort: "aborted",
    fail: "failed",
    restart: "failed",
    "go-on": "active",
    "begin-stop": "stopping",
  };
  for (const [, given] of TABLE) {
    const decision = decide(given, policy, NOW);
    const to = decision.kind === "finish-round" ? decision.next : target[decision.kind];
    if (to)
      expect([given.request.status, to, canMove(given.request.status, to)]).toEqual([given.request.status, to, true]);
  }
});

test("law: FAILED is never the program's own choice, and every open status has a way out", () => {
  for (const status of REQUEST_STATUSES) {
    if (status !== "held") expect(canMove(status, "failed")).toBe(false);
    if (!["completed", "failed", "aborted"].includes(status)) expect(canMove(status, "aborted")).toBe(true);
  }
});

test.each<[string, Facts]>([
  ["active without a DAG", facts({ request: request("active") })],
  ["partial without a round", facts({ request: request("partial"), dag: dag("partial") })],
  ["a rescue without a round", facts({ request: wished("held", "rescue"), dag: dag("partial") })],
])("a hold for a bug says where it was and what it concerned: %s", (_, given) => {
  const decision = decide(given, policy, NOW);
  if (decision.kind !== "hold") throw new Error(decision.kind);
  const { message, code, evidence } = decision.hold;
  expect(evidence).toEqual({
    ...{ error: code, message, where: expect.stringMatching(/^decide/) },
    correlation: { request: "r", version: 3, status: given.request.status, workflow: "w", dag: given.dag?.id ?? null },
  });
});
