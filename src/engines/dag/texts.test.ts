import { describe, expect, test } from "vitest";
import { parseEvents } from "../../submit-dir/event-log.ts";
import { parseMetrics, verdictOf } from "../format/metrics.ts";
import { parseRescue } from "../format/rescue.ts";
import { parseStatusFile } from "../format/status-file.ts";
import { parseState } from "../runners/process/task-files.ts";
import { renderDagmanLine, renderMetrics, renderRescue, renderStatus } from "./bookkeeping-text.ts";
import { parseDag } from "./dag-file.ts";
import * as events from "./event-text.ts";
import type { JobSpec } from "./job-spec.ts";
import { type JournalLine, parseJournal, renderLine } from "./journal.ts";
import { DagMachine, type LiveNode } from "./machine.ts";
import { expandArguments, type ScriptFacts } from "./node-scripts.ts";
import { unwritten } from "./outbox.ts";

const AT = new Date("2026-11-15T19:26:28Z");

function machine(): DagMachine {
  const dag = parseDag("JOB a s\nJOB b s\nSUBDAG EXTERNAL c s\nRETRY b 2 UNLESS-EXIT 42\nPARENT a CHILD c\n", "g.dag");
  if (!dag.ok) throw new Error(dag.error);
  const made = new DagMachine(dag.value);
  made.handle({ k: "start" });
  made.handle({ k: "job", n: "a", code: 0 });
  return made;
}

describe("the bookkeeping files are read by the reader both engines share", () => {
  test("status, running and removed", () => {
    const live = machine();
    const facts = { dagName: "g.dag", at: AT, nextUpdate: null, machine: live, idle: 1, detailOf: () => 'why "so"' };
    const text = renderStatus({ ...facts, ended: null });
    expect(text).toContain('  DagStatus = 3; /* "STATUS_SUBMITTED ()" */\n  NodesTotal = 3;\n');
    expect(text).toContain("  JobProcsQueued = 1;\n");
    const running = parseStatusFile(text);
    expect(running.complete).toBe(true);
    expect(running.nodes).toMatchObject([
      { name: "a", state: "done" },
      { name: "b", state: "queued", detail: 'why "so"' },
      { name: "c", state: "queued" },
    ]);
    const cut = renderStatus({ ...facts, ended: "removed" });
    expect(cut).toContain('  DagStatus = 6; /* "STATUS_ERROR (removed)" */\n');
    expect(cut).toContain("  NodesFailed = 2;\n");
    const removed = parseStatusFile(cut);
    expect(removed.complete).toBe(true);
    expect(removed.nodes[1]).toMatchObject({ state: "failed", detail: "Was STATUS_SUBMITTED" });
  });

  test("metrics: a removed DAG reports no failed node and is not a success", () => {
    const text = renderMetrics({
      startedAt: AT,
      endedAt: AT,
      outcome: { exit: 2, status: 4, word: "removed" },
      dagmanId: 7,
      parentId: "",
      rescueUsed: 1,
      nodes: machine().nodes,
    });
    const metrics = parseMetrics(text);
    expect(metrics).toMatchObject({
      ok: true,
      value: { dagmanId: "7", exitCode: 2, total: 3, succeeded: 1, failed: 0, rescueUsed: 1 },
    });
    if (metrics.ok) expect(verdictOf(metrics.value)).toBe("removed");
  });

  test("rescue", () => {
    const text = renderRescue("g.dag", AT, machine().nodes);
    expect(text).toContain("# Created 11/15/2026 19:26:28 UTC\n");
    expect(text).toContain("DONE a\nRETRY b 2 UNLESS-EXIT 42\n");
    expect(parseRescue(text)).toMatchObject({ complete: true, problems: [] });
    expect(text).toContain("# Total number of Nodes: 3\n");
  });

  test("dagman.out lines are stamped", () => {
    expect(renderDagmanLine(AT, "hello")).toMatch(/^\d\d\/\d\d\/26 \d\d:26:28 hello\n$/);
  });
});

describe("a journal on a full disk", () => {
  test("has every line once, wherever the disk stopped", () => {
    const lines: JournalLine[] = [
      { k: "start" },
      { k: "held", n: "a", hold: { code: 3, subcode: 1, why: "µ" } },
      { k: "job", n: "a", code: -1002 },
    ];
    const bytes = Buffer.from(lines.map(renderLine).join(""));
    for (let at = 0; at <= bytes.length; at++) {
      const written = Buffer.concat([bytes.subarray(0, at), Buffer.from(unwritten(bytes, at))]);
      expect(parseJournal(written.toString())).toEqual(lines);
    }
  });
});

describe("event log", () => {
  const spec = { cluster: 12, node: "a", cpus: 1, memoryMb: 5, ulogAttributes: [] as string[] } as unknown as JobSpec;
  const used = { userSec: 90061, systemSec: 0, wallSec: 5, memoryMb: 12 };
  const asked = { ...spec, ulogAttributes: ["GLIDEIN_CMSSite"] };

  test.each<[string, object]>([
    [events.submitted(spec, AT), { kind: "submit", cluster: 12, body: ["DAG Node: a"] }],
    [
      events.executing(asked, AT, "T2_X", "/s"),
      {
        kind: "execute",
        body: ["SlotName: slot1@T2_X", 'CondorScratchDir = "/s"', "Cpus = 1", 'GLIDEIN_CMSSite = "T2_X"', "Memory = 5"],
      },
    ],
    [
      events.executing(spec, AT, "T2_X", "/s"),
      { kind: "execute", body: ["SlotName: slot1@T2_X", 'CondorScratchDir = "/s"', "Cpus = 1", "Memory = 5"] },
    ],
    [events.evicted(spec, AT, "gone"), { kind: "evicted", body: ["(0) CPU times", "gone"] }],
    [events.terminated(spec, AT, 3, used), { kind: "terminated", exit: { code: 3 } }],
    [events.terminated(spec, AT, -9, used), { kind: "terminated", exit: { signal: 9 } }],
    [
      events.held(spec, AT, { why: "WMS2 memory", code: 3, subcode: 50660 }, null),
      { kind: "held", body: ["WMS2 memory", "Code 3 Subcode 50660"] },
    ],
    [events.aborted(spec, AT, "stopped"), { kind: "aborted", body: ["stopped"] }],
  ])("%j", (text, expected) => {
    expect(parseEvents(text)).toMatchObject([expected]);
  });

  test("usage is days and hours", () => {
    const text = events.terminated(spec, AT, 0, used);
    expect(text).toContain("Usr 1 01:01:01");
    expect(text).toContain("\t   Memory (MB)          :       12        5         5 \n");
    expect(text).toMatch(
      /\n\n\tJob terminated of its own accord at 2026-11-15T19:26:28Z with exit-code 0\.\n\.\.\.\n$/,
    );
  });
});

describe("script arguments", () => {
  const [, node] = machine().nodes as [LiveNode, LiveNode];
  Object.assign(node, { attempt: 1, jobReturn: -9 });
  const facts: ScriptFacts = { node, cluster: 12 };
  test("whole words only", () => {
    const words = ["$JOB", "$RETURN", "$RETRY", "$MAX_RETRIES", "$CLUSTERID", "$JOBID", "x=$JOB", "toString"];
    expect(expandArguments(words, facts)).toEqual(["b", "-9", "1", "2", "12", "12.0", "x=$JOB", "toString"]);
  });
  test("a job that could not be submitted has no cluster", () => {
    const none = { ...facts, node: { ...node, jobReturn: -1001 }, cluster: null };
    expect(expandArguments(["$CLUSTERID", "$JOBID", "$RETURN"], none)).toEqual(["-1", "-1.-1", "-1001"]);
  });
});

describe("a task's state file", () => {
  const times = "0m0.00s 0m0.00s\n0m1.50s 1m0.25s\n";
  test.each([
    ["", { claim: null, group: null, end: null }],
    ["claim 5 99", { claim: null, end: null }],
    ["claim 5 99\n", { claim: { pid: 5, startTime: "99" }, group: null, end: null }],
    [`claim 5 99\npid 6\nexit 3\n${times}`, { group: 6, end: null }],
    [
      `claim 5 99\npid 6\nexit 3\n${times}.\n`,
      { end: { exit: { kind: "exited", code: 3 }, userSec: 1.5, systemSec: 60.25 } },
    ],
    [`claim 5 99\npid 6\nKilled\nexit 137\n${times}.\n`, { end: { exit: { kind: "signaled", signal: 9 } } }],
    [`claim 5 99\npid 6\nexit 137\n${times}.\n`, { end: { exit: { kind: "exited", code: 137 } } }],
    [`claim 5 99\npid 6\nexit 137\n${times}.\nclaim 7 99\n`, { end: { exit: { kind: "exited", code: 137 } } }],
    [
      `claim 5 99\npid 6\nclaim 7 99\nexit 3\n${times}.\n`,
      { claim: { pid: 5, startTime: "99" }, group: 6, end: { exit: { kind: "exited", code: 3 } } },
    ],
    [`claim 5 99\npid 6\nexit 137\nexit 137\n${times}.\n`, { end: { exit: { kind: "exited", code: 137 } } }],
    [
      `claim 5 99\n/x: No such directory\nexit 2\n${times}.\n`,
      { end: { exit: { kind: "unstarted", why: "/x: No such directory" } } },
    ],
  ])("%j", (text, expected) => {
    expect(parseState(text)).toMatchObject(expected);
  });
});
