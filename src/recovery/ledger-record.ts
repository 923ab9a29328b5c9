import { CATEGORIES, CAUSES, type Category, type Cause } from "./attempt.ts";
import { AMOUNT, CLUSTER, CODE, COUNT, Fields, isRow, type Row, whole } from "./fields.ts";

/**
 * The ledger: JSON lines that are only ever appended. Reading is tolerant, but nothing it skips is skipped in
 * silence: a torn last line, a line that is no record, an attempt told twice, an epoch that went back.
 */
export interface AttemptRecord {
  readonly event: "attempt";
  readonly at: string;
  readonly node: string;
  /** -1: nothing was submitted. */
  readonly cluster: number;
  readonly retry: number;
  readonly maxRetries: number;
  readonly return: number;
  /** Genuine executions of the node in this epoch, this one included when it was one. */
  readonly rrn: number;
  readonly epoch: number;
  readonly cause: Cause | null;
  readonly exitCode: number;
  readonly decodedFrom: string | null;
  readonly signal: number | null;
  readonly site: string | null;
  readonly host: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly wallSec: number | null;
  readonly cpuSec: number | null;
  readonly peakMemoryMb: number | null;
  /** What this attempt had asked for, and what the next one is to ask for. */
  readonly memoryMb: number | null;
  readonly wallMinutes: number | null;
  readonly nextMemoryMb: number | null;
  readonly nextWallMinutes: number | null;
  readonly decision: "done" | "retry" | "stop" | "unclassified" | "abort";
  readonly why: string | null;
  readonly category: Category | null;
  readonly rule: string | null;
  readonly ruleSource: string | null;
  readonly delaySec: number;
  readonly notBefore: string | null;
  readonly changeSite: boolean;
  readonly avoidSites: readonly string[];
  readonly avoidHosts: readonly string[];
  readonly badFiles: readonly string[];
  /** Files the failure was about. */
  readonly files: readonly string[];
  readonly reason: string;
}

/** An operator gave these nodes a fresh budget; their history stays. `nodes` null: all of them. */
export interface EpochRecord {
  readonly event: "epoch";
  readonly at: string;
  readonly epoch: number;
  readonly nodes: readonly string[] | null;
  readonly by: string;
  readonly reason: string;
}

/** Anything else somebody notes: "pre" (a PRE ran; never counted), "classified", "script". */
export interface NoteRecord {
  readonly event: string;
  readonly at: string;
  readonly note: Row;
}

export type LedgerLine = AttemptRecord | EpochRecord | NoteRecord;

export interface LedgerProblem {
  readonly line: number;
  readonly kind: "torn" | "garbage" | "duplicate" | "epoch-went-back";
  readonly message: string;
}

export interface Ledger {
  readonly lines: readonly LedgerLine[];
  readonly problems: readonly LedgerProblem[];
}

/** What is known of a node before the present attempt. */
export interface History {
  readonly epoch: number;
  readonly records: readonly AttemptRecord[];
}
export const NO_HISTORY: History = { epoch: 0, records: [] };

export const isAttempt = (line: LedgerLine): line is AttemptRecord => line.event === "attempt";
export const isEpoch = (line: LedgerLine): line is EpochRecord => line.event === "epoch";

export function parseLedger(text: string): Ledger {
  const lines: LedgerLine[] = [];
  const problems: LedgerProblem[] = [];
  const seen = new Set<string>();
  const newest = new Map<string, number>();
  const texts = text.split("\n");
  for (const [at, source] of texts.entries()) {
    if (source.trim() === "") continue;
    const problem = (kind: LedgerProblem["kind"], message: string) => problems.push({ line: at + 1, kind, message });
    const line = readLine(source);
    if (typeof line === "string") {
      if (at === texts.length - 1) problem("torn", `the last line was not written to its end: ${line}`);
      else problem("garbage", line);
      continue;
    }
    if (isAttempt(line)) {
      const key = `${line.node} ${line.cluster}`;
      if (line.cluster > 0 && seen.has(key)) {
        problem("duplicate", `${line.node} has two records of cluster ${line.cluster}; the first counts`);
        continue;
      }
      seen.add(key);
      const known = newest.get(line.node) ?? 0;
      if (line.epoch < known)
        problem("epoch-went-back", `${line.node} was in epoch ${known} before this record of ${line.epoch}`);
      newest.set(line.node, Math.max(known, line.epoch));
    }
    lines.push(line);
  }
  return { lines, problems };
}

export function historyOf(lines: readonly LedgerLine[], node: string): History {
  let epoch = 0;
  const records: AttemptRecord[] = [];
  for (const line of lines) {
    if (isAttempt(line) && line.node === node) records.push(line);
    if (isEpoch(line) && (line.nodes === null || line.nodes.includes(node))) epoch = Math.max(epoch, line.epoch);
  }
  return { epoch, records };
}

const DECISIONS = ["done", "retry", "stop", "unclassified", "abort"] as const;

/** A line as data, or why it is none. Lines of earlier versions lack fields; what they lack is unknown. */
function readLine(source: string): LedgerLine | string {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return "is no JSON";
  }
  if (!isRow(value)) return "is no record";
  const from = new Fields(value, "", []);
  const event = from.text("event", "attempt", 50);
  const line =
    event === "attempt"
      ? attemptFrom(from)
      : event === "epoch"
        ? epochFrom(from)
        : { event, at: from.text("at", ""), note: value };
  const [first] = from.problems;
  return first ? `${first.path}: ${first.message}` : line;
}

function epochFrom(from: Fields): EpochRecord {
  if (!from.has("epoch")) from.wrong("epoch", "is missing");
  return {
    event: "epoch",
    at: from.text("at", ""),
    epoch: from.number("epoch", COUNT, 0),
    nodes: from.has("nodes") ? from.texts("nodes") : null,
    by: from.text("by", ""),
    reason: from.text("reason", ""),
  };
}

function attemptFrom(from: Fields): AttemptRecord {
  for (const key of ["node", "decision"]) if (!from.has(key)) from.wrong(key, "is missing");
  const returned = from.number("return", CODE, 0);
  const decision = from.choice("decision", DECISIONS, "stop");
  const said = from.choice("cause", CAUSES, null);
  const unsaid = returned === -1001 || returned === -1004 ? "submit_failed" : "exit";
  return {
    event: "attempt",
    at: from.text("at", ""),
    node: from.text("node", "", 200),
    cluster: from.number("cluster", CLUSTER, -1),
    retry: from.number("retry", COUNT, 0),
    maxRetries: from.number("maxRetries", COUNT, 0),
    return: returned,
    rrn: from.number("rrn", COUNT, 0),
    epoch: from.number("epoch", COUNT, 0),
    cause: said ?? (decision === "done" ? null : unsaid),
    exitCode: from.number("exitCode", CODE, returned),
    decodedFrom: from.text("decodedFrom", null, 20),
    signal: from.number("signal", whole(0, 128), null),
    site: from.text("site", null, 100),
    host: from.text("host", null, 300),
    startedAt: from.text("startedAt", null, 100),
    endedAt: from.text("endedAt", null, 100),
    wallSec: from.number("wallSec", AMOUNT, null),
    cpuSec: from.number("cpuSec", AMOUNT, null),
    peakMemoryMb: from.number("peakMemoryMb", AMOUNT, null),
    memoryMb: from.number("memoryMb", AMOUNT, null),
    wallMinutes: from.number("wallMinutes", AMOUNT, null),
    nextMemoryMb: from.number("nextMemoryMb", AMOUNT, null),
    nextWallMinutes: from.number("nextWallMinutes", AMOUNT, null),
    decision,
    why: from.text("why", null, 50),
    category: from.choice("category", CATEGORIES, null),
    rule: from.text("rule", null, 300),
    ruleSource: from.text("ruleSource", null, 500),
    delaySec: from.number("delaySec", AMOUNT, 0),
    notBefore: from.text("notBefore", null, 100),
    changeSite: from.flag("changeSite", false),
    avoidSites: from.texts("avoidSites"),
    avoidHosts: from.texts("avoidHosts"),
    badFiles: from.texts("badFiles"),
    files: from.texts("files"),
    reason: from.text("reason", ""),
  };
}
