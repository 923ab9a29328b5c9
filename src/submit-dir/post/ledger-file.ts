import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { jobIndex } from "../../core/names.ts";
import { reports, roleOfNode } from "../../core/roles.ts";
import type { GroupSummary } from "../../recovery/decision.ts";
import { type AttemptRecord, type History, historyOf, isAttempt, parseLedger } from "../../recovery/ledger-record.ts";
import { summariseGroup } from "../../recovery/records.ts";
import { UNIT } from "../names.ts";
import { giveToOwner, PostTrouble, readIfThere, withFile } from "./disk.ts";
import type { PostArguments } from "./observe.ts";

export type NodeLedger = Readonly<ReturnType<typeof readLedger>>;

/**
 * The node's own past. A line about this node that cannot be read is only passed over when another line tells of the
 * same attempt, or when it is about the present one (a POST killed while it wrote): otherwise an execution would be
 * forgotten in silence, and the node stops until a person has looked.
 */
export function readLedger(dir: string, args: PostArguments) {
  const path = join(dir, UNIT.ledger);
  const text = readIfThere(path) ?? "";
  const { history, group, problems } = ledgerForNode(text, args.node);
  const own = `"node":${JSON.stringify(args.node)}`;
  for (const { line, kind, message } of problems) {
    if (kind !== "torn" && kind !== "garbage") continue;
    const source = text.split("\n")[line - 1] ?? "";
    if (!source.includes(own)) continue;
    const cluster = Number(/"cluster":(-?\d+)/.exec(source)?.[1]);
    if (cluster === (args.cluster ?? -1) || history.records.some((record) => record.cluster === cluster)) continue;
    throw new PostTrouble("person", `${path} line ${line} is about ${args.node} and cannot be read: ${message}`);
  }
  return {
    history,
    group,
    problems,
    /** What was already written of this very attempt: POST runs again when it was killed half-way. */
    told: sameAttempt(history, args),
    scriptRan: text.includes(`"event":"script",${own},"cluster":${args.cluster ?? -1},`),
  };
}

/**
 * What POST needs of a group's ledger, without reading every sibling's records as data: the node's own history, and
 * how many siblings succeeded or stopped for good. A line is only parsed when it is about the node, opens an epoch,
 * or stopped for a permanent reason; all writers of the ledger write compact JSON, so that plain search finds them.
 */
export function ledgerForNode(text: string, node: string) {
  const own = `"node":${JSON.stringify(node)}`;
  const wanted: string[] = [];
  const done = new Set<string>();
  for (const line of text.split("\n")) {
    const isOwn = line.includes(own);
    if (!isOwn && line.includes('"decision":"done"')) done.add(nameIn(line));
    const isEnd = line.includes('"category":"permanent"') && !line.includes('"decision":"retry"');
    const isWhole = line === "" || line.endsWith("}");
    wanted.push(isOwn || isEnd || !isWhole || line.includes('"event":"epoch"') ? line : "");
  }
  for (const node of done) if (!reports(roleOfNode(node))) done.delete(node);
  const { lines, problems } = parseLedger(wanted.join("\n"));
  const stopped = lines.filter((line) => isAttempt(line) && !done.has(line.node));
  const { alike } = summariseGroup(stopped, node);
  // Jobs of a graph share a folder, and nothing else.
  const group: GroupSummary = jobIndex(node) === null ? { alike, succeeded: done.size } : { alike: {}, succeeded: 0 };
  return { history: historyOf(lines, node), group, problems };
}

function nameIn(line: string): string {
  const at = line.indexOf('"node":"') + 8;
  return at < 8 ? "" : line.slice(at, line.indexOf('"', at));
}

/** By cluster; a failed submission has none, and is known by its place at the end of the node's records. */
export function sameAttempt({ records, epoch }: History, { cluster, retry }: PostArguments): AttemptRecord | null {
  if (cluster !== null) return records.find((record) => record.cluster === cluster) ?? null;
  const last = records.at(-1);
  const same = last !== undefined && last.cluster <= 0 && last.retry === retry && last.epoch >= epoch;
  return same ? last : null;
}

/** One line by one write, so that lines of several writers do not mix. A line torn by a full disk is closed first. */
export function appendLine(dir: string, line: string): void {
  const path = join(dir, UNIT.ledger);
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
