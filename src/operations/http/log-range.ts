import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "../../core/base/slices.ts";
import { attemptFile } from "../../submit-dir/names.ts";
import { attemptsIn, PLAIN } from "./node-logs.ts";

export interface LogWanted {
  readonly unit: string;
  readonly node: string;
  readonly file: "out" | "err";
  readonly cluster?: string | undefined;
}
export interface RangeWanted extends LogWanted {
  /** Absent: the end of the file. */
  readonly from?: number | undefined;
  readonly bytes: number;
}

/** What one attempt wrote, opened; null: there is no such unit, or the attempt left no such file. Whoever asks closes it. */
async function openLog(submitDir: string, { unit, node, file, cluster }: LogWanted) {
  const there = await attemptsIn(submitDir, unit, node);
  const shown = cluster ?? there?.clusters.at(-1);
  if (!there || shown === undefined) return null;
  const handle = await open(join(there.directory, attemptFile(node, shown, file)), PLAIN).catch(() => null);
  if (!handle) return null;
  const stats = await handle.stat();
  if (stats.isFile())
    return { handle, facts: { unit, node, file, cluster: shown, clusters: there.clusters, sizeBytes: stats.size } };
  await handle.close();
  return null;
}

/** A range of what one attempt wrote; null: there is no such unit, or the attempt left no such file. */
export async function readLogRange(submitDir: string, { from, bytes, ...wanted }: RangeWanted) {
  const log = await openLog(submitDir, wanted);
  if (!log) return null;
  const { handle, facts } = log;
  try {
    const { sizeBytes: size } = facts;
    const begin = Math.min(from ?? Math.max(0, size - bytes), size);
    const buffer = Buffer.alloc(Math.min(bytes, size - begin));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, begin);
    return { ...facts, ...wholeCharacters(buffer.subarray(0, bytesRead), begin, size) };
  } finally {
    await handle.close();
  }
}

export interface GrepWanted extends LogWanted {
  readonly text: string;
  readonly ignoreCase: boolean;
  /** Lines up to this one were shown before. */
  readonly afterLine: number;
  readonly limit: number;
  /** Whoever asked has left. */
  readonly signal?: AbortSignal | undefined;
}
interface Match {
  readonly line: number;
  /** Its first byte. */
  readonly from: number;
  readonly text: string;
}

/** The lines with a text in them, with their numbers, from the beginning of the file on; null: there is no such file. */
export async function grepLog(
  submitDir: string,
  { text, ignoreCase, afterLine, limit, signal, ...wanted }: GrepWanted,
  mostBytes = MOST_BYTES,
) {
  const log = await openLog(submitDir, wanted);
  if (!log) return null;
  const { handle, facts } = log;
  const needle = ignoreCase ? text.toLowerCase() : text;
  const has = (line: string): boolean => (ignoreCase ? line.toLowerCase() : line).includes(needle);
  const matches: Match[] = [];
  let [line, at, lookedAt] = [0, 0, 0];
  try {
    for await (const bytes of linesOf(handle)) {
      await turn();
      signal?.throwIfAborted();
      line += 1;
      const from = at;
      at += bytes.length;
      if (line <= afterLine) continue;
      lookedAt += bytes.length;
      const shown = bytes.toString("utf8").replace(/\r?\n$/, "");
      if (has(shown)) matches.push({ line, from, text: shown.slice(0, LONGEST_LINE) });
      if (matches.length >= limit || lookedAt >= mostBytes) break;
    }
    const isAll = at >= facts.sizeBytes;
    return { ...facts, matches, lines: line, scannedBytes: at, nextLine: isAll ? null : line };
  } finally {
    await handle.close();
  }
}
const LONGEST_LINE = 1000;
/** Of one question, whatever was found: it is read on in another. */
const MOST_BYTES = 100_000_000;
const CHUNK = 1_000_000;

/** With their ends; a line that is longer than a chunk comes in pieces. */
async function* linesOf(handle: FileHandle): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for (let at = 0; ; ) {
    const chunk = Buffer.alloc(CHUNK);
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, at);
    if (bytesRead === 0) break;
    at += bytesRead;
    const all = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let begin = 0;
    for (let end = all.indexOf(10); end >= 0; end = all.indexOf(10, begin)) {
      yield all.subarray(begin, end + 1);
      begin = end + 1;
    }
    rest = all.subarray(begin);
    if (rest.length < CHUNK) continue;
    yield rest;
    rest = Buffer.alloc(0);
  }
  if (rest.length > 0) yield rest;
}

/** A character cut in two belongs to the range in which it begins. */
function wholeCharacters(bytes: Buffer, begin: number, size: number) {
  const isInside = (at: number) => at < bytes.length && (bytes[at]! & 0xc0) === 0x80;
  let first = 0;
  while (begin > 0 && first < 3 && isInside(first)) first += 1;
  let last = bytes.length;
  if (begin + last < size) {
    let at = last - 1;
    while (at > first && last - at < 4 && isInside(at)) at -= 1;
    const lead = bytes[at] ?? 0;
    const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (at > first && at + length > last) last = at;
  }
  const starts = [begin + first];
  for (let at = bytes.indexOf(10, first); at >= 0 && at + 1 < last; at = bytes.indexOf(10, at + 1))
    starts.push(begin + at + 1);
  return { from: begin + first, to: begin + last, starts, text: bytes.toString("utf8", first, last) };
}
