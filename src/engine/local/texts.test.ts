import { describe, expect, test } from "vitest";
import { parseEvents } from "../format/event-log.ts";
import { parseMetrics, verdictOf } from "../format/metrics.ts";
import { parseRescue } from "../format/rescue.ts";
import { parseStatusFile } from "../format/status-file.ts";
import { renderDagmanLine, renderMetrics, renderRescue, renderStatus } from "./bookkeeping-text.ts";
import { parseDag } from "./dag-file.ts";
import { DagMachine } from "./dag-machine.ts";
import { type JobEventFacts, renderEvent } from "./event-text.ts";
import { expandArguments, type ScriptFacts } from "./script-macros.ts";
import { parseState } from "./task-files.ts";

const AT = new Date("2026-11-15T19:26:28Z");

function machine(): DagMachine {
  const dag = parseDag("JOB a s\nJOB b s\nSUBDAG EXTERNAL c s\nRETRY b 2 UNLESS-EXIT 42\nPARENT a CHILD c\n", "g.dag");
  if (!dag.ok) throw new Error(dag.error);
  const made = new DagMachine(dag.value);
  made.handle({ kind: "start" });
  made.handle({ kind: "job-ended", node: 0, code: 0 });
  return made;
}

describe("the bookkeeping files are read by the reader both engines share", () => {
  test("status, running and removed", () => {
    const live = machine();
    const facts = {
      dagName: "g.dag",
      at: AT,
      nextUpdate: null,
      counts: live.counts,
      nodes: live.nodes,
      jobs: { idle: 1, held: 0 },
      detailOf: () => 'why "so"',
    };
    const running = parseStatusFile(renderStatus({ ...facts, ended: null }));
    expect(running).toMatchObject({ complete: true, dagStatus: 3, nodesTotal: 3 });
    expect(running.nodes).toMatchObject([
      { name: "a", state: "done" },
      { name: "b", state: "queued", detail: 'why "so"', queued: 1 },
      { name: "c", state: "queued" },
    ]);
    const removed = parseStatusFile(renderStatus({ ...facts, ended: "removed" }));
    expect(removed).toMatchObject({ complete: true, dagStatus: 6 });
    expect(removed.nodes[1]).toMatchObject({ state: "failed", detail: "Was STATUS_SUBMITTED" });
  });

  test("metrics: a removed DAG reports no failed node and is not a success", () => {
    const text = renderMetrics({
      startedAt: AT,
      endedAt: AT,
      exit: 2,
      status: 4,
      dagmanId: "7",
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
    expect(parseRescue(text)).toMatchObject({ total: 3, complete: true, problems: [] });
  });

  test("dagman.out lines are stamped", () => {
    expect(renderDagmanLine(AT, "hello")).toMatch(/^\d\d\/\d\d\/26 \d\d:26:28 hello\n$/);
  });
});

describe("event log", () => {
  const usage = { userSec: 90061, systemSec: 0, wallSec: 5, memoryMb: 12, cpus: 1, requestedMb: 100 };
  const read = (event: JobEventFacts) => parseEvents(Buffer.from(renderEvent(12, AT, event))).events[0];

  test.each<[JobEventFacts, object]>([
    [
      { kind: "submit", node: "a" },
      { kind: "submit", cluster: 12, node: "a" },
    ],
    [
      { kind: "execute", site: "T2_X", cpus: 1, memoryMb: 5, scratch: "/s", siteAsked: true },
      { kind: "execute", site: "T2_X" },
    ],
    [
      { kind: "execute", site: "T2_X", cpus: 1, memoryMb: 5, scratch: "/s", siteAsked: false },
      { kind: "execute", site: null },
    ],
    [
      { kind: "terminated", code: 3, usage },
      { kind: "terminated", exit: { code: 3 } },
    ],
    [
      { kind: "terminated", code: -9, usage },
      { kind: "terminated", exit: { signal: 9 } },
    ],
    [
      { kind: "held", why: "WMS2 memory", code: 3, subcode: 50660 },
      { kind: "held", reason: "WMS2 memory", hold: { code: 3, subcode: 50660 } },
    ],
    [
      { kind: "aborted", why: "stopped" },
      { kind: "aborted", reason: "stopped" },
    ],
    [
      { kind: "post", node: "a", code: 1 },
      { kind: "post-terminated", exit: { code: 1 } },
    ],
  ])("%j", (event, expected) => {
    expect(read(event)).toMatchObject(expected);
  });

  test("usage is days and hours", () => {
    expect(renderEvent(1, AT, { kind: "terminated", code: 0, usage })).toContain("Usr 1 01:01:01");
  });
});

describe("script arguments", () => {
  const facts: ScriptFacts = {
    node: "a",
    retry: 1,
    maxRetries: 3,
    dagId: "5",
    dagStatus: 0,
    counts: { failed: 0, done: 1, queued: 0, futile: 0, total: 2 },
    job: { return: -9, cluster: 12, preReturn: -1, ran: true },
  };
  test("whole words only", () => {
    const words = ["$JOB", "$RETURN", "$RETRY", "$MAX_RETRIES", "$CLUSTERID", "$JOBID", "x=$JOB", "$EXIT_CODES"];
    expect(expandArguments(words, facts)).toEqual(["a", "-9", "1", "3", "12", "12.0", "x=$JOB", "-1"]);
  });
  test("a job that could not be submitted has no cluster", () => {
    const none = { ...facts, job: { return: -1001, cluster: 0, preReturn: -1, ran: false } };
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
    [`claim 5 99\npid 6\nKilled\nexit 137\n${times}.\n`, { end: { exit: { kind: "signalled", signal: 9 } } }],
    [`claim 5 99\npid 6\nexit 137\n${times}.\n`, { end: { exit: { kind: "exited", code: 137 } } }],
    [
      `claim 5 99\n/x: No such directory\nexit 2\n${times}.\n`,
      { end: { exit: { kind: "unstarted", words: "/x: No such directory" } } },
    ],
  ])("%j", (text, expected) => {
    expect(parseState(text)).toMatchObject(expected);
  });
});
