import { expect, test } from "vitest";
import type { NodeTally } from "../core/dag.ts";
import type { RequestRecord } from "../core/request.ts";
import { NO_WAITS, type RunObservation, type RunWaits } from "../core/run.ts";
import type { Wait } from "../core/wait.ts";
import { explainWait } from "./explain-wait.ts";

const NOW = new Date("2026-11-16T06:00:00Z");
const BEFORE = new Date("2026-11-16T05:00:00Z");
const LATER = new Date("2026-11-16T06:15:00Z");

const request = (status: RequestRecord["status"], waiting: Wait | null = null) => ({
  status,
  statusSince: BEFORE,
  waiting,
});
const run = (nodes: Partial<NodeTally>, waits: Partial<RunWaits> = {}, note: string | null = null): RunObservation => ({
  kind: "running",
  nodes: { total: 8, waiting: 0, queued: 0, idle: 0, held: 0, done: 0, failed: 0, ...nodes },
  units: { total: 4, waiting: 4, running: 0, done: 0, failed: 0 },
  unitsDone: [],
  unitsFailed: [],
  note,
  waits: { ...NO_WAITS, ...waits },
});
const explain = (observation: RunObservation | null, waiting: Wait | null = null) =>
  explainWait({ request: request("active", waiting), observation, error: null, reason: "as decided" }, NOW);

const deferred = {
  nodes: 4,
  nextAt: LATER,
  lastAt: LATER,
  reason: "exit 8021 in step RECO",
  example: "mg_000000/proc_000000",
};
const held = {
  nodes: 2,
  since: BEFORE,
  reason: "via condor_hold (by user ann)",
  byHand: true,
  example: "mg_000001/proc_000007",
};

test("all jobs failed and cool off: how many, why, and until when", () => {
  expect(explain(run({ waiting: 4 }, { deferred }))).toMatchObject({
    code: "retry",
    reason: "4 failed jobs tried again later (mg_000000/proc_000000: exit 8021 in step RECO)",
    until: LATER,
    who: "time",
  });
});

test("their time has come, and the engine has not looked yet: they wait, and nothing is starting", () => {
  expect(explain(run({ waiting: 4 }, { deferred: { ...deferred, nextAt: BEFORE } }))).toMatchObject({
    code: "retry",
    reason: "4 failed jobs tried again as soon as the engine looks (mg_000000/proc_000000: exit 8021 in step RECO)",
    until: null,
  });
});

test("how many units are done is counted over all rounds, as lists do", () => {
  const facts = { request: request("active", null), observation: run({ queued: 1 }, {}), error: null, reason: "r" };
  expect(explainWait({ ...facts, counts: { done: 7, total: 12 } }, NOW).reason).toBe(
    "1 job running, 7 of 12 units done",
  );
});

test("jobs held by a user say whose word it is, and that a person has to help", () => {
  expect(explain(run({ queued: 2, held: 2 }, { held }))).toMatchObject({
    code: "job-held-by-hand",
    reason: expect.stringContaining("2 jobs held (mg_000001/proc_000007): via condor_hold (by user ann)"),
    since: BEFORE,
    who: "operator",
  });
  expect(explain(run({ queued: 2, held: 2 }, { held: { ...held, byHand: false } })).code).toBe("job-held");
});

test("idle jobs nobody can take name who has to help; those that only wait their turn do not", () => {
  const nobody = { code: "no-worker", reason: "there is no worker in the pool" } as const;
  expect(explain(run({ queued: 8, idle: 8 }, { unmatched: nobody }))).toMatchObject({
    ...{ code: "no-worker", who: "pool", reason: "8 jobs waiting: there is no worker in the pool" },
  });
  expect(explain(run({ queued: 8, idle: 8 }))).toMatchObject({ code: "slots", who: "time" });
});

test("a ledger that POST cannot read is told as that", () => {
  const checking = { nodes: 1, trouble: "cannot read ledger.jsonl: EACCES", example: "mg_000000/merge" };
  expect(explain(run({ queued: 1 }, { checking }))).toMatchObject({
    ...{ code: "not-checked", who: "operator", reason: expect.stringContaining("cannot read ledger.jsonl: EACCES") },
  });
});

test("a category at its limit is named, with the limit and how many wait", () => {
  const limited = [
    { category: "units", limit: 2, waiting: 7 },
    { category: "processing", limit: 500, waiting: 1 },
  ] as const;
  expect(explain(run({ waiting: 8 }, { limited }))).toMatchObject({
    ...{ code: "limit", who: "time", reason: "7 units wait: category units is at its limit of 2" },
    details: ["1 job waits: category processing is at its limit of 500 in each unit"],
  });
});

test("while jobs run, what waits beside them is in the details", () => {
  expect(explain(run({ queued: 5, held: 2, idle: 1 }, { held, deferred }))).toMatchObject({
    code: "running",
    reason: "2 jobs running, 0 of 4 units done",
    details: [
      expect.stringContaining("2 jobs held"),
      "1 job waiting for a free slot",
      expect.stringContaining("until 2026-11-16T06:15:00.000Z"),
    ],
  });
});

test("the same wait goes on: it keeps its beginning, another begins now", () => {
  const first = explain(run({ queued: 1, idle: 1 }), { ...explain(run({ queued: 1, idle: 1 })), since: BEFORE });
  expect(first.since).toEqual(BEFORE);
  expect(explain(run({ waiting: 4 }, { deferred }), first).since).toEqual(NOW);
});

test.each([
  ["queued", "admission", "time"],
  ["held", "person", "operator"],
  ["planning", "step", "time"],
] as const)("%s: %s", (status, code, who) => {
  const facts = { request: request(status), observation: null, error: null, reason: "as decided" };
  const since = status === "planning" ? NOW : BEFORE;
  expect(explainWait(facts, NOW)).toEqual({ code, who, reason: "as decided", since, until: null, details: [] });
});

test("a service that is away is not the operator's fault; any other failing pass is for a person", () => {
  const error = { code: "engine-unreachable", message: "condor_q timed out", hint: "", since: BEFORE, count: 3 };
  const facts = { request: request("active"), observation: null, reason: "" };
  expect(explainWait({ ...facts, error }, NOW)).toMatchObject({ code: "service", who: "service", since: BEFORE });
  expect(explainWait({ ...facts, error: { ...error, code: "bug" } }, NOW)).toMatchObject({ code: "trouble" });
  expect(explain({ kind: "unknown", why: "it left the queue" })).toMatchObject({ code: "service" });
});
