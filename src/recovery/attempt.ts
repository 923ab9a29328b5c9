import { parseJson } from "../core/base/json.ts";
import { err, ok, type Result } from "../core/base/result.ts";
import type { Problem } from "../core/problem.ts";
import { roleOfNode } from "../core/roles.ts";
import * as f from "./fields.ts";

/** One execution of a node as it was observed, and the words in which failures are told. */

export { CAUSES, type Cause } from "../core/cause.ts";

/** Not an execution of the node's work: these have a small budget of their own and never count in rrn. */
export const LOSSES: readonly string[] = ["evicted", "node_lost", "submit_failed"];

/**
 * transient: may go away by itself · infrastructure: the place is at fault · data: the input is · permanent: trying
 * again changes nothing, a person or a change is needed.
 */
export const CATEGORIES = ["transient", "infrastructure", "data", "permanent"] as const;
export type Category = (typeof CATEGORIES)[number];

const SIGNAL = f.whole(0, 128);

const STEP = {
  name: f.text(200, ""),
  exitCode: f.number(f.CODE),
  /** What the process returned, and the signal that killed it. */
  status: f.number(f.CODE),
  signal: f.number(SIGNAL),
};

/** report.json of the job. `truncated`: a file was there, but it is not whole. */
const REPORT = {
  state: f.needed(f.choice(["started", "finished", "truncated"], "truncated")),
  node: f.text(200),
  cluster: f.number(f.CLUSTER),
  exitCode: f.number(f.CODE),
  error: f.text(f.LONG),
  site: f.text(100),
  host: f.text(300),
  startedAt: f.number(f.AMOUNT),
  endedAt: f.number(f.AMOUNT),
  wallSec: f.number(f.AMOUNT),
  cpuSec: f.number(f.AMOUNT),
  peakMemoryMb: f.number(f.AMOUNT),
  eventsRead: f.number(f.AMOUNT),
  eventsWritten: f.number(f.AMOUNT),
  steps: f.list((item, key, at) => f.rowIn(item, key, at, (row, place) => f.readFields(STEP, row, place))),
  /** A step left a report of the framework. */
  framework: f.flag(false),
  inputs: f.texts(),
  outputs: f.list(outputPath),
};
export type Report = f.Of<typeof REPORT>;
export const NO_REPORT: Report = f.blank(REPORT);

/** A path, or report.json's {name, path, …}. */
function outputPath(item: unknown): string | null {
  const path = f.isRow(item) ? item.path : item;
  return typeof path === "string" ? path : null;
}

/** What the job's event log says of one cluster: the last of each kind; a hold that was released is no hold. */
const EVENTS = {
  site: f.text(100),
  host: f.text(300),
  /** How often it began to execute. */
  executions: f.number(f.COUNT, 0),
  evictions: f.number(f.COUNT, 0),
  terminated: f.section({ code: f.number(f.CODE), signal: f.number(SIGNAL) }),
  held: f.section({ code: f.number(f.COUNT, 0), subcode: f.number(f.CODE, 0), reason: f.text(f.LONG, "") }),
  /** Why it was taken out of the queue. */
  aborted: f.text(f.LONG),
  /** The last word was that the worker is gone. */
  lost: f.text(f.LONG),
  peakMemoryMb: f.number(f.AMOUNT),
};
export type JobEvents = f.Of<typeof EVENTS>;
export const NO_EVENTS: JobEvents = f.blank(EVENTS);

const TIME: f.Field<string | null> = {
  missing: null,
  read: (value, key, at) => {
    if (typeof value === "string" && !Number.isNaN(Date.parse(value))) return value;
    at.wrong(key, `is no time (got ${f.shown(value)})`, "2026-11-15T10:00:00Z");
    return null;
  },
};

const ATTEMPT = {
  node: f.needed(f.text(200, ""), "is missing: the node's name"),
  unit: f.text(200),
  /** landing, processing, merge, cleanup, or a graph's own. Landing jobs write no report. */
  role: f.text(100, ""),
  /** Of a graph's job: the handlers it names. */
  handlers: f.textsOrNull(),
  /** null when nothing was submitted. */
  cluster: f.number(f.CLUSTER),
  dagRetry: f.number(f.COUNT, 0),
  maxRetries: f.number(f.COUNT, 0),
  /** DAGMan's $RETURN: 0…255, -signal, -1001 … -1004. */
  dagReturn: f.needed(f.number(f.CODE, -1003), "is missing: DAGMan's $RETURN"),
  report: f.section(REPORT),
  events: f.section(EVENTS),
  /** The end of the job's stderr; at most the last 64 kB are looked at. */
  stderrTail: f.text(f.LONG, ""),
  startedAt: TIME,
  endedAt: TIME,
  site: f.text(100),
  host: f.text(300),
  /** Where the node may run at all; null: not known. */
  sites: f.textsOrNull(),
  cores: f.number(f.whole(1, 100_000), 1),
  memoryMb: f.number(f.whole(1, 1e9)),
  peakMemoryMb: f.number(f.AMOUNT),
  wallMinutes: f.number(f.whole(1, 1e7)),
  wallSec: f.number(f.AMOUNT),
  inputs: f.texts(),
  /** Declared outputs POST looked for and did not find whole. */
  missingOutputs: f.texts(),
  /** What POST found wrong with what the job says it made. */
  forgedOutput: f.text(f.LONG),
};
export type Attempt = f.Of<typeof ATTEMPT>;
export const NO_ATTEMPT: Attempt = f.blank(ATTEMPT);

/**
 * An attempt as written in JSON (docs/policy.md). Only `node` and `dagReturn` are needed; what is absent is not
 * known. A post.json is accepted too: the attempt it was decided from is inside.
 */
export function readAttempt(document: unknown): Result<Attempt, Problem[]> {
  const value = f.isRow(document) && f.isRow(document.observed) ? document.observed : document;
  if (!f.isRow(value)) return err([{ path: "", message: "must be an object", allowed: "docs/policy.md" }]);
  const at = new f.FieldPath();
  const read = f.readFields(ATTEMPT, value, at);
  if (value.node === "") at.wrong("node", ATTEMPT.node.needed ?? "");
  if (at.problems.length > 0) return err(at.problems);
  const { node, role, cluster } = read;
  return ok({ ...read, role: role || roleOfNode(node), cluster: cluster !== null && cluster > 0 ? cluster : null });
}

/** report.json as text from disk: null when there is none, `truncated` when it cannot be read as one. */
export function readReport(source: string | null): Report | null {
  if (source === null) return null;
  const json = parseJson(source);
  if (!json.ok || !f.isRow(json.value)) return NO_REPORT;
  const at = new f.FieldPath();
  const report = f.readFields(REPORT, json.value, at);
  return at.problems.length === 0 ? report : NO_REPORT;
}

/** Never the report's own word: whoever is in a job could put the blame on another site. */
export const siteOf = (attempt: Attempt): string | null => attempt.site ?? attempt.events?.site ?? null;
export const hostOf = (attempt: Attempt): string | null =>
  attempt.host ?? ownReport(attempt)?.host ?? attempt.events?.host ?? null;
export const peakMemoryOf = (attempt: Attempt): number | null =>
  attempt.peakMemoryMb ?? ownReport(attempt)?.peakMemoryMb ?? attempt.events?.peakMemoryMb ?? null;
export const wallSecOf = (attempt: Attempt): number | null => attempt.wallSec ?? ownReport(attempt)?.wallSec ?? null;
export const inputsOf = (attempt: Attempt): readonly string[] =>
  attempt.inputs.length > 0 ? attempt.inputs : (ownReport(attempt)?.inputs ?? []);

/** The report, if it is whole and of this very attempt. An engine that tells a job no cluster leaves null there. */
export function ownReport(attempt: Attempt): Report | null {
  const { report, node, cluster } = attempt;
  if (report === null || report.state === "truncated" || report.node !== node) return null;
  return report.cluster === null || report.cluster === cluster ? report : null;
}
