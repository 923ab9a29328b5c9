import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isUnitName } from "../../core/names.ts";
import { isPart } from "../../submit-dir/names.ts";
import { normaliseLine } from "../handlers/port.ts";
import { PLAIN, unitDirectory } from "./node-logs.ts";

export interface AlikeWanted {
  readonly line: string;
  readonly file: "out" | "err";
}
interface Written {
  readonly unit: string;
  readonly node: string;
  readonly cluster: string;
  readonly path: string;
}
interface Alike extends Omit<Written, "path"> {
  /** Its first byte. */
  readonly from: number;
  readonly text: string;
}

/** Each is a file to open: more than this are not looked at in one answer. */
const MOST_LOGS = 2000;
const MOST_SHOWN = 200;
const TAIL_BYTES = 65_536;
const LONGEST_LINE = 1000;

/**
 * Which attempts of a round wrote the same line, without what differs from job to job (recovery/likeness.ts). Only the
 * ends of the logs are read. No directory: there is no round yet, and nobody wrote anything.
 */
export async function attemptsAlike(submitDir: string | null, { line: asked, file }: AlikeWanted) {
  const line = normaliseLine(asked);
  const items: Alike[] = [];
  let [attempts, lookedAt, notRead] = [0, 0, 0];
  for await (const { path, ...place } of submitDir === null ? [] : logsIn(submitDir, file)) {
    if (lookedAt >= MOST_LOGS) {
      notRead += 1;
      continue;
    }
    lookedAt += 1;
    const found = await lastAlike(path, line);
    if (!found) continue;
    attempts += 1;
    if (items.length < MOST_SHOWN) items.push({ ...place, ...found });
  }
  return { file, line, attempts, lookedAt, notRead, items };
}

/** What attempts wrote, unit by unit. A job of a graph is the only node of its unit. */
async function* logsIn(submitDir: string, file: "out" | "err"): AsyncGenerator<Written> {
  const folders = (await readdir(submitDir).catch(() => [])).filter((name) => isPart(name) || isUnitName(name));
  for (const folder of folders.sort()) {
    const directory = await unitDirectory(submitDir, folder);
    for (const name of directory === null ? [] : (await readdir(directory).catch(() => [])).sort()) {
      const [, node, cluster, kind] = /^(.+)\.(\d+)\.(out|err)$/.exec(name) ?? [];
      if (!node || !cluster || kind !== file) continue;
      yield { unit: isPart(folder) ? node : folder, node, cluster, path: join(directory!, name) };
    }
  }
}

/** The last such line near the end of a file; null: it has none, or is no plain file. */
async function lastAlike(path: string, line: string): Promise<Pick<Alike, "from" | "text"> | null> {
  const handle = await open(path, PLAIN).catch(() => null);
  if (!handle) return null;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return null;
    const begin = Math.max(0, stats.size - TAIL_BYTES);
    const buffer = Buffer.alloc(stats.size - begin);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, begin);
    return lastIn(buffer.subarray(0, bytesRead), begin, line);
  } finally {
    await handle.close();
  }
}

function lastIn(bytes: Buffer, begin: number, line: string): Pick<Alike, "from" | "text"> | null {
  // Most logs do not have it: its longest word is looked for before any line is taken apart.
  const word = longestWord(line);
  if (word === "") return null;
  let at = bytes.lastIndexOf(word);
  while (at >= 0) {
    const from = bytes.lastIndexOf(10, at) + 1;
    const end = bytes.indexOf(10, at);
    const text = bytes.toString("utf8", from, end < 0 ? bytes.length : end).replace(/\r$/, "");
    if (normaliseLine(text) === line) return { from: begin + from, text: text.slice(0, LONGEST_LINE) };
    at = from > 0 ? bytes.lastIndexOf(word, from - 1) : -1;
  }
  return null;
}

/** What stood in the place of a number or a path is no word of the line. */
const longestWord = (line: string): string =>
  line
    .split(/\s+|<(?:text|time|id|path|hex|n)>/)
    .reduce((longest, word) => (word.length > longest.length ? word : longest), "");
