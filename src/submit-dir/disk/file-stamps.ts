import { spawn } from "node:child_process";
import { dirname, resolve } from "node:path";
import { WorldError } from "../../core/base/errors.ts";
import { signalGroup } from "../../core/base/signal-group.ts";
import { eachInSlices, inSlices } from "../../core/base/slices.ts";
import type { FileStamp } from "../../core/workflow.ts";

// Microseconds, as workers tell them (payload/worker/job.sh): the same file has the same time.
const FORMAT = "%f %s %.6Y %n\\0";
const isFolder = (mode: string): boolean => (Number.parseInt(mode, 16) & 0o170000) === 0o040000;
const LONGEST_MS = 60_000;
/** A folder of which so many names are asked for is listed first: what is not in it needs no look of its own. So many at most, each by a process. */
const LIST_FROM = 16;
const MOST_LISTED = 32;
const LIST_MS = 5000;

/**
 * Size and time of a person's files; what is not there has no stamp. Folders are not looked into (folder-stamps.ts). Asked by another process, because a directory that
 * does not answer (a server of files is away) would hold this one up, and it may be many thousand files.
 */
export async function fileStamps(
  directory: string,
  paths: Iterable<string>,
  longestMs = LONGEST_MS,
): Promise<ReadonlyMap<string, FileStamp>> {
  const found = new Map<string, FileStamp>();
  const names = await namesFor(directory, paths);
  const late = `the files in ${directory} could not be looked at within ${longestMs / 1000} s`;
  const there = await withoutAbsent(names.keys());
  const answer = await ask(["stat", "-L", "--printf", FORMAT], there, { directory, longestMs, late });
  const note = (record: string): void => {
    const [, mode = "", size, mtime, name] = /^([\da-f]+) (\d+) ([\d.]+) (.*)$/s.exec(record) ?? [];
    const path = name === undefined ? undefined : names.get(name);
    const folder = isFolder(mode) && { listing: "" };
    if (path !== undefined) found.set(path, { path, sizeBytes: Number(size), mtime: Number(mtime), ...folder });
  };
  await inSlices(eachInSlices(answer.split("\0"), note));
  return found;
}

/** Of what is in them, in the same way; what cannot be read has none. */
export async function fileChecksums(
  directory: string,
  paths: Iterable<string>,
  longestMs = LONGEST_MS,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const names = await namesFor(directory, paths);
  const late = `${names.size} files in ${directory} could not be read within ${longestMs / 1000} s to see whether they changed; with changes: times they need not be`;
  for (const line of (await ask(["cksum"], [...names.keys()], { directory, longestMs, late })).split("\n")) {
    const [, sum, name = ""] = /^(\d+) \d+ (.*)$/.exec(line) ?? [];
    const path = names.get(name);
    if (path !== undefined) found.set(path, `cksum:${sum}`);
  }
  return found;
}

/** Absolute → as it was asked for. */
async function namesFor(directory: string, paths: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  await inSlices(eachInSlices(paths, (path) => void names.set(resolve(directory, path), path)));
  return names;
}

/** A folder that cannot be listed, or not soon, says nothing about its names. */
async function withoutAbsent(names: Iterable<string>): Promise<readonly string[]> {
  const folders = new Map<string, string[]>();
  const put = (name: string): void => {
    const known = folders.get(dirname(name));
    if (known) known.push(name);
    else folders.set(dirname(name), [name]);
  };
  await inSlices(eachInSlices(names, put));
  const large = [...folders].filter(([, own]) => own.length >= LIST_FROM).sort(([, a], [, b]) => b.length - a.length);
  const lists = large.slice(0, MOST_LISTED).map(async ([folder, own]) => {
    const listed = await list(folder);
    const kept: string[] = [];
    const keep = (name: string) => void (listed?.has(name) && kept.push(name));
    if (!listed) return;
    await inSlices(eachInSlices(own, keep));
    folders.set(folder, kept);
  });
  await Promise.all(lists);
  return [...folders.values()].flat();
}

/** Absolute paths of what is in a folder; null: nobody could tell. */
async function list(folder: string): Promise<ReadonlySet<string> | null> {
  const argv = ["find", "-H", folder, "-mindepth", "1", "-maxdepth", "1", "-printf", "%p\\0"];
  const answer = await run(argv, "", LIST_MS);
  return answer.kind === "ended" && answer.code === 0 ? new Set(answer.text.split("\0")) : null;
}

async function ask(
  command: readonly string[],
  names: readonly string[],
  { directory, longestMs, late }: { readonly directory: string; readonly longestMs: number; readonly late: string },
): Promise<string> {
  if (names.length === 0) return "";
  const answer = await run(["xargs", "-0", ...command, "--"], names.join("\0"), longestMs);
  // It fails where files are missing, which is an answer.
  if (answer.kind === "ended") return answer.text;
  const cause = answer.kind === "not-run" ? answer.error : null;
  const message = cause ? `xargs could not be run: ${cause.message}` : late;
  throw new WorldError("files-unreachable", directory, message, cause ? { cause } : {});
}

type Ran =
  | { readonly kind: "ended"; readonly code: number | null; readonly text: string }
  | { readonly kind: "late" }
  | { readonly kind: "too-many" }
  | { readonly kind: "not-run"; readonly error: Error };

/** `most`: records that end in a zero byte; where there are more, nobody waits for the rest. */
export function run(
  [program = "", ...words]: readonly string[],
  input: string,
  longestMs: number,
  most = Number.POSITIVE_INFINITY,
): Promise<Ran> {
  return new Promise((done) => {
    const child = spawn(program, words, {
      stdio: ["pipe", "pipe", "ignore"],
      detached: true, // ended with what it started
    });
    const end = (ran: Ran): void => {
      clearTimeout(patience);
      done(ran);
    };
    const giveUp = (kind: "late" | "too-many"): void => {
      if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
      child.unref();
      end({ kind });
    };
    const patience = setTimeout(() => giveUp("late"), longestMs);
    const pieces: Buffer[] = [];
    let left = most;
    child.stdout.on("data", (piece: Buffer) => {
      pieces.push(piece);
      if (most < Number.POSITIVE_INFINITY) for (const byte of piece) left -= byte === 0 ? 1 : 0;
      if (left < 0) giveUp("too-many");
    });
    child.on("error", (error) => end({ kind: "not-run", error }));
    child.on("close", (code) => end({ kind: "ended", code, text: Buffer.concat(pieces).toString("utf8") }));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
