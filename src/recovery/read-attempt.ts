import { err, ok, type Result } from "../base/result.ts";
import type { Problem } from "../domain/problem.ts";
import type { Attempt, JobEvents, Report, ReportStep } from "./attempt.ts";
import { AMOUNT, CLUSTER, CODE, COUNT, Fields, isRow, shown, whole } from "./fields.ts";

/**
 * An attempt as written in JSON (docs/policy.md). Only `node` and `dagReturn` are needed; what is absent is not
 * known. A post.json is accepted too: the attempt it was decided from is inside.
 */
export function readAttempt(document: unknown): Result<Attempt, Problem[]> {
  const value = isRow(document) && isRow(document.observed) ? document.observed : document;
  if (!isRow(value)) return err([{ path: "", message: "must be an object", allowed: "docs/policy.md" }]);
  const problems: Problem[] = [];
  const from = new Fields(value, "", problems);
  const node = from.text("node", "", 200);
  if (node === "" && !problems.some(({ path }) => path === "node")) from.wrong("node", "is missing: the node's name");
  if (!from.has("dagReturn")) from.wrong("dagReturn", "is missing: DAGMan's $RETURN");
  const cluster = from.number("cluster", CLUSTER, null);
  const attempt: Attempt = {
    node,
    unit: from.text("unit", null, 200),
    role: from.text("role", roleByName(node), 100),
    cluster: cluster !== null && cluster > 0 ? cluster : null,
    dagRetry: from.number("dagRetry", COUNT, 0),
    maxRetries: from.number("maxRetries", COUNT, 0),
    dagReturn: from.number("dagReturn", CODE, -1003),
    report: reportFrom(from),
    events: eventsFrom(from.section("events")),
    stderrTail: from.text("stderrTail", ""),
    startedAt: time(from, "startedAt"),
    endedAt: time(from, "endedAt"),
    site: from.text("site", null, 100),
    host: from.text("host", null, 300),
    sites: from.has("sites") ? from.texts("sites") : null,
    cores: from.number("cores", whole(1, 100_000), 1),
    memoryMb: from.number("memoryMb", whole(1, 1e9), null),
    peakMemoryMb: from.number("peakMemoryMb", AMOUNT, null),
    wallMinutes: from.number("wallMinutes", whole(1, 1e7), null),
    wallSec: from.number("wallSec", AMOUNT, null),
    inputs: from.texts("inputs"),
    missingOutputs: from.texts("missingOutputs"),
  };
  return problems.length === 0 ? ok(attempt) : err(problems);
}

/** The names our own DAGs give; anything else is a processing node. */
export function roleByName(node: string): string {
  return node === "landing" || node === "merge" || node === "cleanup" ? node : "processing";
}

/** report.json as text from disk: null when there is none, `truncated` when it cannot be read as one. */
export function readReport(text: string | null): Report | null {
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return TRUNCATED;
  }
  if (!isRow(value)) return TRUNCATED;
  const problems: Problem[] = [];
  const report = reportOf(new Fields(value, "", problems));
  return problems.length === 0 ? report : TRUNCATED;
}

const TRUNCATED: Report = {
  state: "truncated",
  node: null,
  cluster: null,
  exitCode: null,
  error: null,
  site: null,
  host: null,
  startedAt: null,
  endedAt: null,
  wallSec: null,
  cpuSec: null,
  peakMemoryMb: null,
  eventsRead: null,
  eventsWritten: null,
  steps: [],
  inputs: [],
  outputs: [],
};

function reportFrom(from: Fields): Report | null {
  const section = from.section("report");
  return section === null ? null : reportOf(section);
}

function reportOf(from: Fields): Report {
  const state = from.choice("state", ["started", "finished", "truncated"] as const, null);
  if (state === null && !from.has("state")) from.wrong("state", "is missing", "started, finished, truncated");
  return {
    state: state ?? "truncated",
    node: from.text("node", null, 200),
    cluster: from.number("cluster", CLUSTER, null),
    exitCode: from.number("exitCode", CODE, null),
    error: from.text("error", null),
    site: from.text("site", null, 100),
    host: from.text("host", null, 300),
    startedAt: from.number("startedAt", AMOUNT, null),
    endedAt: from.number("endedAt", AMOUNT, null),
    wallSec: from.number("wallSec", AMOUNT, null),
    cpuSec: from.number("cpuSec", AMOUNT, null),
    peakMemoryMb: from.number("peakMemoryMb", AMOUNT, null),
    eventsRead: from.number("eventsRead", AMOUNT, null),
    eventsWritten: from.number("eventsWritten", AMOUNT, null),
    steps: from.list("steps").flatMap((step, at) => stepFrom(step, `steps[${at}]`, from)),
    inputs: from.texts("inputs"),
    outputs: from.list("outputs").flatMap((item) => outputPath(item)),
  };
}

function stepFrom(value: unknown, key: string, from: Fields): ReportStep[] {
  if (!isRow(value)) {
    from.wrong(key, `must be an object (got ${shown(value)})`);
    return [];
  }
  const step = new Fields(value, from.place(key), from.problems);
  return [
    {
      name: step.text("name", "", 200),
      exitCode: step.number("exitCode", CODE, null),
      status: step.number("status", CODE, null),
      signal: step.number("signal", whole(0, 128), null),
    },
  ];
}

/** A path, or report.json's {name, path, …}. */
function outputPath(item: unknown): string[] {
  if (typeof item === "string") return [item];
  return isRow(item) && typeof item.path === "string" ? [item.path] : [];
}

function eventsFrom(from: Fields | null): JobEvents | null {
  if (from === null) return null;
  const terminated = from.section("terminated");
  const held = from.section("held");
  return {
    site: from.text("site", null, 100),
    host: from.text("host", null, 300),
    executions: from.number("executions", COUNT, 0),
    evictions: from.number("evictions", COUNT, 0),
    terminated: terminated && {
      code: terminated.number("code", CODE, null),
      signal: terminated.number("signal", whole(0, 128), null),
    },
    held: held && {
      code: held.number("code", COUNT, 0),
      subcode: held.number("subcode", CODE, 0),
      reason: held.text("reason", ""),
    },
    aborted: from.text("aborted", null),
    lost: from.text("lost", null),
    peakMemoryMb: from.number("peakMemoryMb", AMOUNT, null),
  };
}

function time(from: Fields, key: string): string | null {
  const text = from.text(key, null, 100);
  if (text === null || !Number.isNaN(Date.parse(text))) return text;
  from.wrong(key, `is no time (got ${shown(text)})`, "2026-11-15T10:00:00Z");
  return null;
}
