import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { GroupSummary } from "../recovery/decision.ts";
import { ledgerForNode } from "../recovery/ledger-for-node.ts";
import type { AttemptRecord, History, LedgerProblem } from "../recovery/ledger-record.ts";
import type { PostArguments } from "./arguments.ts";
import { giveToOwner, readIfThere } from "./disk.ts";
import { PostTrouble, withFile } from "./trouble.ts";

export const LEDGER = "ledger.jsonl";

export interface NodeLedger {
  readonly history: History;
  readonly group: GroupSummary;
  readonly problems: readonly LedgerProblem[];
  /** What was already written of this very attempt: POST runs again when it was killed half-way. */
  readonly told: AttemptRecord | null;
  readonly scriptRan: boolean;
}

/**
 * The node's own past. A line about this node that cannot be read is only passed over when another line tells of the
 * same attempt, or when it is about the present one (a POST killed while it wrote): otherwise an execution would be
 * forgotten in silence, and the node stops until a person has looked.
 */
export function readLedger(dir: string, args: PostArguments): NodeLedger {
  const path = join(dir, LEDGER);
  const text = readIfThere(path) ?? "";
  const { history, group, problems } = ledgerForNode(text, args.node);
  const own = `"node":${JSON.stringify(args.node)}`;
  if (problems.some(({ kind }) => kind === "torn" || kind === "garbage")) {
    const lines = text.split("\n");
    for (const { line, kind, message } of problems) {
      const source = lines[line - 1] ?? "";
      if ((kind !== "torn" && kind !== "garbage") || !source.includes(own)) continue;
      const cluster = Number(/"cluster":(-?\d+)/.exec(source)?.[1]);
      if (cluster === (args.cluster ?? -1) || history.records.some((record) => record.cluster === cluster)) continue;
      throw new PostTrouble("person", `${path} line ${line} is about ${args.node} and cannot be read: ${message}`);
    }
  }
  return {
    history,
    group,
    problems,
    told: sameAttempt(history, args),
    scriptRan: text.includes(`"event":"script",${own},"cluster":${args.cluster ?? -1},`),
  };
}

/** By cluster; a failed submission has none, and is known by its place at the end of the node's records. */
function sameAttempt({ records, epoch }: History, { cluster, retry }: PostArguments): AttemptRecord | null {
  if (cluster !== null) return records.find((record) => record.cluster === cluster) ?? null;
  const last = records.at(-1);
  const same = last !== undefined && last.cluster <= 0 && last.retry === retry && last.epoch >= epoch;
  return same ? last : null;
}

/** One line by one write, so that lines of several writers do not mix. A line torn by a full disk is closed first. */
export function appendLine(dir: string, line: string): void {
  const path = join(dir, LEDGER);
  withFile(`append to ${path}`, () => {
    const descriptor = openSync(path, "a+");
    try {
      const { size } = fstatSync(descriptor);
      if (size === 0) giveToOwner(path);
      const last = Buffer.alloc(1);
      const torn = size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE;
      const bytes = Buffer.from(torn ? `\n${line}` : line);
      const written = writeSync(descriptor, bytes);
      if (written < bytes.length)
        throw new PostTrouble("again", `${path} took only ${written} bytes: is the disk full?`);
    } finally {
      closeSync(descriptor);
    }
  });
}

const NEWLINE = 10;
