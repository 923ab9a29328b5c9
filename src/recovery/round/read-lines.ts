import { CATEGORIES, type Category } from "../attempt.ts";
import type { AttemptRecord } from "../ledger-record.ts";

/** What a tally needs of an attempt; every AttemptRecord is one. */
export type TallyLine = Pick<
  AttemptRecord,
  | "at"
  | "node"
  | "cluster"
  | "retry"
  | "maxRetries"
  | "cause"
  | "exitCode"
  | "site"
  | "host"
  | "decision"
  | "why"
  | "category"
  | "rule"
  | "changeSite"
  | "avoidSites"
  | "badFiles"
  | "files"
  | "reason"
>;

export interface TallyLines {
  readonly lines: readonly TallyLine[];
  /** Lines that are no attempt and no other known record: told, never skipped in silence. */
  readonly unreadable: number;
}

const NONE: readonly string[] = [];
const DECISIONS: readonly unknown[] = ["done", "retry", "stop", "unclassified", "abort"];

/**
 * Reads a ledger for the tally alone. A round has some hundred thousand lines, nine of ten about success, so this
 * looks at half the fields and mends what parseLedger would refuse; what is no attempt to either is counted.
 */
export function readTallyLines(text: string): TallyLines {
  const lines: TallyLine[] = [];
  let unreadable = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const until = end < 0 ? text.length : end;
    const source = text.slice(from, until);
    from = until + 1;
    if (source.trim() === "") continue;
    const line = readLine(source);
    if (line === null) unreadable += 1;
    else if (line !== "other") lines.push(line);
  }
  return { lines, unreadable };
}

function readLine(source: string): TallyLine | "other" | null {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const row = value as Partial<Record<keyof TallyLine | "event" | "return", unknown>>;
  if (row.event !== undefined && row.event !== "attempt") return "other";
  if (typeof row.node !== "string" || !DECISIONS.includes(row.decision)) return null;
  return {
    at: text(row.at) ?? "",
    node: row.node,
    cluster: number(row.cluster, -1),
    retry: number(row.retry, 0),
    maxRetries: number(row.maxRetries, 0),
    cause: text(row.cause) as TallyLine["cause"],
    exitCode: number(row.exitCode, number(row.return, 0)),
    site: text(row.site),
    host: text(row.host),
    decision: row.decision as TallyLine["decision"],
    why: text(row.why),
    category: (CATEGORIES as readonly unknown[]).includes(row.category) ? (row.category as Category) : null,
    rule: text(row.rule),
    changeSite: row.changeSite === true,
    avoidSites: texts(row.avoidSites),
    badFiles: texts(row.badFiles),
    files: texts(row.files),
    reason: text(row.reason) ?? "",
  };
}

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const number = (value: unknown, missing: number): number => (Number.isFinite(value) ? Number(value) : missing);
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) && value.length > 0 ? value.filter((item): item is string => typeof item === "string") : NONE;
