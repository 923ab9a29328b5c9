import { parseJson } from "../core/base/json.ts";
import { CATEGORIES, CAUSES } from "./attempt.ts";
import * as f from "./fields.ts";

/**
 * The ledger: JSON lines that are only ever appended. Reading is tolerant, but nothing it skips is skipped in
 * silence: a torn last line, a line that is no record, an attempt told twice, an epoch that went back.
 */
const RECORD = {
  event: f.choice(["attempt"], "attempt"),
  at: f.text(f.LONG, ""),
  node: f.needed(f.text(200, "")),
  /** -1: nothing was submitted. */
  cluster: f.number(f.CLUSTER, -1),
  retry: f.number(f.COUNT, 0),
  maxRetries: f.number(f.COUNT, 0),
  return: f.number(f.CODE, 0),
  /** Genuine executions of the node in this epoch, this one included when it was one. */
  rrn: f.number(f.COUNT, 0),
  epoch: f.number(f.COUNT, 0),
  cause: f.choice(CAUSES),
  exitCode: f.number(f.CODE, 0),
  decodedFrom: f.text(20),
  signal: f.number(f.whole(0, 128)),
  site: f.text(100),
  host: f.text(300),
  startedAt: f.text(100),
  endedAt: f.text(100),
  wallSec: f.number(f.AMOUNT),
  cpuSec: f.number(f.AMOUNT),
  peakMemoryMb: f.number(f.AMOUNT),
  /** What this attempt had asked for, and what the next one is to ask for. */
  cores: f.number(f.COUNT),
  memoryMb: f.number(f.AMOUNT),
  wallMinutes: f.number(f.AMOUNT),
  nextMemoryMb: f.number(f.AMOUNT),
  nextWallMinutes: f.number(f.AMOUNT),
  decision: f.needed(f.choice(["done", "retry", "stop", "unclassified", "abort"], "stop")),
  why: f.text(50),
  category: f.choice(CATEGORIES),
  rule: f.text(300),
  ruleSource: f.text(500),
  delaySec: f.number(f.AMOUNT, 0),
  notBefore: f.text(100),
  changeSite: f.flag(false),
  avoidSites: f.texts(),
  avoidHosts: f.texts(),
  badFiles: f.texts(),
  /** Files the failure was about. */
  files: f.texts(),
  /** More executions that rule and ceiling allow in this epoch, whoever starts them. */
  retriesLeft: f.number(f.COUNT),
  reason: f.text(f.LONG, ""),
};
export type AttemptRecord = f.Of<typeof RECORD>;
export const NO_RECORD: AttemptRecord = f.blank(RECORD);

/** An operator gave these nodes a fresh budget; their history stays. `nodes` null: all of them. */
const EPOCH = {
  event: f.choice(["epoch"], "epoch"),
  at: f.text(f.LONG, ""),
  epoch: f.needed(f.number(f.COUNT, 0)),
  nodes: f.textsOrNull(),
  by: f.text(f.LONG, ""),
  reason: f.text(f.LONG, ""),
};
export type EpochRecord = f.Of<typeof EPOCH>;

/** Anything else somebody notes: "script", and "moved" (the unit lands again, so all of it runs again). */
const SCRIPT = {
  node: f.text(200, ""),
  cluster: f.number(f.CLUSTER, -1),
  script: f.text(1000, ""),
  result: f.text(f.LONG, ""),
  seconds: f.number(f.AMOUNT),
  log: f.text(1000),
};
export type ScriptRecord = f.Of<typeof SCRIPT>;

const NOTE = { event: f.text(50, "attempt"), at: f.text(f.LONG, "") };
type NoteRecord = f.Of<typeof NOTE> & { readonly note: f.Row };

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
const isEpoch = (line: LedgerLine): line is EpochRecord => line.event === "epoch";

/** How the recovery scripts of attempts ended; the last word counts, for POST runs one again if it was killed. */
export function scriptsOf(lines: readonly LedgerLine[]): (attempt: AttemptRecord) => ScriptRecord | null {
  const scripts = lines.flatMap((line) =>
    "note" in line && line.event === "script" ? f.readFields(SCRIPT, line.note, new f.FieldPath()) : [],
  );
  return ({ node, cluster }) => scripts.findLast((one) => one.node === node && one.cluster === cluster) ?? null;
}

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

/**
 * The law of PRE: a node whose last attempt is done stays done, until a person names it for a new epoch, its unit moves,
 * or the jobs before it, whose end it waited for, run again.
 * A new epoch for all that is left of a unit is none for what is done. bin/pre reads the same from the text.
 */
export function staysDone(lines: readonly LedgerLine[], node: string): boolean {
  return lines.reduce((is, line) => {
    if (isAttempt(line)) return line.node === node ? line.decision === "done" : is;
    const named = isEpoch(line) ? line.nodes : line.event === "again" && "note" in line ? line.note.nodes : null;
    return is && line.event !== "moved" && !(Array.isArray(named) && named.includes(node));
  }, false);
}

/** A line as data, or why it is none. Lines of earlier versions lack fields; what they lack is unknown. */
function readLine(source: string): LedgerLine | string {
  const json = parseJson(source);
  if (!json.ok) return "is no JSON";
  const { value } = json;
  if (!f.isRow(value)) return "is no record";
  const at = new f.FieldPath();
  const line = lineOf(value, at);
  const [first] = at.problems;
  return first ? `${first.path}: ${first.message}` : line;
}

function lineOf(row: f.Row, at: f.FieldPath): LedgerLine {
  const note = f.readFields(NOTE, row, at);
  if (note.event === "epoch") return f.readFields(EPOCH, row, at);
  if (note.event !== "attempt") return { ...note, note: row };
  const record = recordOf(row, at);
  const unsaid = record.return === -1001 || record.return === -1004 ? "submit_failed" : "exit";
  return { ...record, cause: record.cause ?? (record.decision === "done" ? null : unsaid) };
}

/** The first version wrote only what DAGMan returned. */
const recordOf = (row: f.Row, at: f.FieldPath): AttemptRecord =>
  f.readFields(RECORD, "exitCode" in row ? row : { ...row, exitCode: row.return }, at);

/**
 * The attempts of a ledger for counting, where parseLedger would refuse too much: a field that is wrong is unknown.
 * What is no attempt and no other record is counted, never skipped in silence.
 */
export function readTallyLines(text: string): {
  readonly lines: readonly AttemptRecord[];
  readonly unreadable: number;
} {
  const lines: AttemptRecord[] = [];
  let unreadable = 0;
  for (const source of text.split("\n")) {
    if (source.trim() === "") continue;
    const json = parseJson(source);
    const row = json.ok && f.isRow(json.value) ? json.value : null;
    if (row && (row.event ?? "attempt") !== "attempt") continue;
    const at = new f.FieldPath();
    const record = row && recordOf(row, at);
    if (record && !at.problems.some(({ path }) => path === "node" || path === "decision")) lines.push(record);
    else unreadable += 1;
  }
  return { lines, unreadable };
}
