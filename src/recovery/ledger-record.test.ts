import { expect, test } from "vitest";
import { attempt, ended, events, NOW, report, story } from "../../tests/support/attempts.ts";
import { decideAttempt } from "./decide.ts";
import { historyOf, isAttempt, NO_HISTORY, parseLedger } from "./ledger-record.ts";
import { builtinPolicy } from "./policy.ts";
import { attemptRecord, ledgerText, postJson, summariseGroup } from "./records.ts";

const { records } = story([ended(8036), ended(8036), attempt()]);
const text = records.map(ledgerText).join("");
const kinds = (source: string) => parseLedger(source).problems.map(({ line, kind }) => [line, kind]);

test("what is written is read back, a line each", () => {
  expect(text.split("\n")).toHaveLength(4);
  expect(parseLedger(text)).toEqual({ lines: records, problems: [] });
  expect(historyOf(parseLedger(text).lines, "proc_000000")).toEqual({ epoch: 0, records });
  expect(historyOf(parseLedger(text).lines, "other")).toEqual(NO_HISTORY);
});

test("a torn last line is told apart from garbage, and neither hides the rest", () => {
  expect(kinds(text.slice(0, -20))).toEqual([[3, "torn"]]);
  expect(kinds(`garbage\n[]\n{"node":"x"}\n${text}`)).toEqual([
    [1, "garbage"],
    [2, "garbage"],
    [3, "garbage"],
  ]);
  expect(parseLedger(`{"at":"2026\n${text}`).lines).toHaveLength(3);
});

test("an attempt told twice counts once, and is reported", () => {
  expect(kinds(text + ledgerText(records[0]!))).toEqual([[4, "duplicate"]]);
  expect(parseLedger(text + text).lines).toEqual(records);
  const unsubmitted = { ...records[0]!, cluster: -1 };
  expect(parseLedger(ledgerText(unsubmitted).repeat(2)).lines).toHaveLength(2);
});

test("epochs are opened for the nodes they name; one that goes back is reported", () => {
  const epoch = (number: number, nodes: string[] | null) =>
    ledgerText({ event: "epoch", at: "", epoch: number, nodes, by: "op", reason: "again" });
  const { lines } = parseLedger(text + epoch(1, ["proc_000000", "b"]) + epoch(2, ["b"]));
  expect(historyOf(lines, "proc_000000").epoch).toBe(1);
  expect(historyOf(lines, "b").epoch).toBe(2);
  expect(historyOf(lines, "c").epoch).toBe(0);
  expect(historyOf(parseLedger(epoch(4, null)).lines, "c").epoch).toBe(4);
  const later = { ...records[0]!, epoch: 3, cluster: 50 };
  expect(kinds(ledgerText(later) + ledgerText(records[0]!))).toEqual([[2, "epoch-went-back"]]);
  const going = decideAttempt(ended(8036, { cluster: 60 }), { epoch: 1, records: [later] }, builtinPolicy(), NOW);
  expect(going).toMatchObject({ epoch: 3, rrn: 2 });
});

test("a PRE that ran without its job is a note, and counts for nothing", () => {
  const pre = `{"event":"pre","at":"2026-11-15T10:00:00Z","node":"proc_000000"}\n`;
  const { lines, problems } = parseLedger(pre + pre + text + pre);
  expect(problems).toEqual([]);
  expect(lines.filter(isAttempt)).toEqual(records);
});

test("lines of the first version are understood", () => {
  const old = `{"at":"2026-11-15T10:00:00Z","node":"p","cluster":123,"retry":0,"maxRetries":3,"return":1,"exitCode":8021,"site":"A","host":"w","wallSec":12,"peakMemoryMb":812,"decision":"retry","reason":"exit 8021"}\n`;
  expect(parseLedger(old).problems).toEqual([]);
  expect(parseLedger(old).lines[0]).toMatchObject({ event: "attempt", cause: "exit", exitCode: 8021, rrn: 0 });
  const next = decideAttempt(
    ended(8036, { node: "p", report: report({ node: "p", exitCode: 8036 }) }),
    historyOf(parseLedger(old).lines, "p"),
    builtinPolicy(),
    NOW,
  );
  expect(next.rrn).toBe(2);
});

test("post.json has the fields of the specification, and replays", () => {
  const given = ended(8021, {
    site: "A",
    memoryMb: 2000,
    events: events(),
    stderrTail: `${"line\n".repeat(300)}last`,
    report: report({
      exitCode: 8021,
      error: "cannot read /store/a.root",
      inputs: ["/store/a.root"],
      wallSec: 100,
      eventsRead: 50,
      steps: [{ name: "RECO", exitCode: 8021, status: 85, signal: null }],
    }),
  });
  const decision = decideAttempt(given, NO_HISTORY, builtinPolicy(), NOW);
  const post = postJson(given, decision, attemptRecord(given, decision, NOW));
  expect(post).toMatchObject({
    node_name: "proc_000000",
    timestamp: "2026-11-15T10:00:00.000Z",
    attempt: 1,
    max_retries: 3,
    final: false,
    job: { exit_code: 8021, exit_signal: null, hold_reason: null, wall_time_sec: 100, memory_mb: 2000, site: "A" },
    cmssw: {
      exit_code: 8021,
      steps: { RECO: { status: 85, exit_code: 8021 } },
      error_message: "cannot read /store/a.root",
      input_files: ["/store/a.root"],
      performance: { avg_event_time_sec: 2, events_read: 50 },
    },
    classification: {
      category: "infrastructure",
      retryable: true,
      action: "retry",
      rule: "read-failed",
      rrn: 1,
      epoch: 0,
    },
    verdict: attemptRecord(given, decision, NOW),
    observed: given,
  });
  expect(String(post.log_tail).split("\n")).toHaveLength(200);
});

test("a group is summed up by each node's last record", () => {
  const stop = story([ended(8009)]).records[0]!;
  const lines = [stop, { ...stop, node: "b" }, { ...stop, node: "b", decision: "done" as const, category: null }];
  expect(summariseGroup(lines, "x")).toEqual({ alike: { "logic-error:8009": 1 }, succeeded: 1 });
  expect(summariseGroup(lines, "proc_000000")).toEqual({ alike: {}, succeeded: 1 });
});
