import { resolve } from "node:path";
import { cksum } from "../../core/base/cksum.ts";
import { WorldError } from "../../core/base/errors.ts";
import type { FileStamp } from "../../core/workflow.ts";
import { type FolderQuestion, MOST_ENTRIES } from "../../loop/ports.ts";
import { fileChecksums, run } from "./file-stamps.ts";

const LONGEST_MS = 60_000;
/** As workers list them (payload/worker/job.sh): the same folder is the same word. Links are what they say, and not followed. */
const LISTED = [
  ...["-mindepth", "1", "(", "-type", "d", "-printf", "d %P\\0", "-o", "-type", "l", "-printf", "l %P//%l\\0"],
  ...["-o", "-printf", "f %P %s %T@\\0", ")"],
];

/** One word for all that is in each folder of a person's. `listing` "": that is more than anybody looks at. */
export async function folderStamps(question: FolderQuestion): Promise<ReadonlyMap<string, FileStamp>> {
  const found = new Map<string, FileStamp>();
  for (const folder of question.folders) found.set(folder, await folderStamp(folder, question));
  return found;
}

async function folderStamp(path: string, question: FolderQuestion): Promise<FileStamp> {
  const { directory, without, byContents, longestMs = LONGEST_MS, mostEntries = MOST_ENTRIES } = question;
  const place = resolve(directory, path);
  const listed = await run(["find", "-H", place, ...LISTED], "", longestMs, mostEntries);
  if (listed.kind === "too-many") return { path, sizeBytes: 0, mtime: 0, listing: "" };
  if (listed.kind !== "ended")
    throw new WorldError("files-unreachable", directory, `${path} could not be listed within ${longestMs / 1000} s`);
  const made = new Set(Array.from(without, (one) => resolve(directory, one)));
  const entries = listed.text.split("\0").filter((entry) => entry !== "" && !isMade(place, nameIn(entry), made));
  const files = entries.flatMap((entry) => {
    const [, name, size, time] = FILE.exec(entry) ?? [];
    return name === undefined ? [] : [{ name, size: Number(size), time: Number(time) }];
  });
  const stamp = {
    path,
    sizeBytes: files.reduce((sum, { size }) => sum + size, 0),
    mtime: files.reduce((last, { time }) => Math.max(last, time), 0),
    listing: sumOf(entries, "\0"),
    files: files.filter(({ size }) => size > 0).length,
  };
  if (!byContents) return stamp;
  const sums = await fileChecksums(
    place,
    files.map(({ name }) => name),
    longestMs,
  );
  const lines = files
    .sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
    .map(({ name, size }) => `${sums.get(name)?.slice("cksum:".length) ?? "unread"} ${size} ./${name}`);
  return { ...stamp, checksum: `cksum:${sumOf(lines, "\n", false)}` };
}

const FILE = /^f (.*) (\d+) ([\d.]+)$/s;
const nameIn = (entry: string): string =>
  FILE.exec(entry)?.[1] ?? (entry.startsWith("l ") ? entry.slice(2, entry.indexOf("//")) : entry.slice(2));

/** Itself, or a folder that it lies in. */
function isMade(place: string, name: string, made: ReadonlySet<string>): boolean {
  if (made.size === 0) return false;
  for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1))
    if (made.has(`${place}/${name.slice(0, at)}`)) return true;
  return made.has(`${place}/${name}`);
}

function sumOf(records: readonly string[], end: string, isToSort = true): string {
  const bytes = records.map((record) => Buffer.from(record));
  if (isToSort) bytes.sort(Buffer.compare);
  const ending = Buffer.from(end);
  return String(cksum(Buffer.concat(bytes.flatMap((record) => [record, ending]))));
}
