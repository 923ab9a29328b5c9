import { spawn } from "node:child_process";
import { dirname, resolve } from "node:path";
import { WorldError } from "../base/errors.ts";
import { groupBy } from "../base/group-by.ts";
import { signalGroup } from "../base/signal-group.ts";
import type { FileStamp } from "../domain/workflow.ts";

// Microseconds, as workers tell them (payload/worker/job.sh): the same file has the same time.
const FORMAT = "%s %.6Y %n\\0";
const LONGEST_MS = 60_000;
/** A folder of which so many names are asked for is listed first: what is not in it needs no look of its own. */
const LIST_FROM = 16;
const LIST_MS = 5000;

/**
 * Size and time of a person's files; what is not there has no stamp. Asked by another process, because a directory that
 * does not answer (a server of files is away) would hold this one up, and it may be many thousand files.
 */
export async function fileStamps(
  directory: string,
  paths: Iterable<string>,
  longestMs = LONGEST_MS,
): Promise<ReadonlyMap<string, FileStamp>> {
  const found = new Map<string, FileStamp>();
  const names = namesFor(directory, paths);
  const late = `the files in ${directory} could not be looked at within ${longestMs / 1000} s`;
  const there = await withoutAbsent([...names.keys()]);
  const answer = await ask(["stat", "-L", "--printf", FORMAT], there, { directory, longestMs, late });
  for (const record of answer.split("\0")) {
    const [, size, mtime, name] = /^(\d+) ([\d.]+) (.*)$/s.exec(record) ?? [];
    const path = name === undefined ? undefined : names.get(name);
    if (path !== undefined) found.set(path, { path, sizeBytes: Number(size), mtime: Number(mtime) });
  }
  return found;
}

/** Of what is in them, in the same way; what cannot be read has none. */
export async function fileChecksums(
  directory: string,
  paths: Iterable<string>,
  longestMs = LONGEST_MS,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const names = namesFor(directory, paths);
  const late = `${names.size} files in ${directory} could not be read within ${longestMs / 1000} s to see whether they changed; with changes: times they need not be`;
  for (const line of (await ask(["cksum"], [...names.keys()], { directory, longestMs, late })).split("\n")) {
    const [, sum, name = ""] = /^(\d+) \d+ (.*)$/.exec(line) ?? [];
    const path = names.get(name);
    if (path !== undefined) found.set(path, `cksum:${sum}`);
  }
  return found;
}

/** Absolute → as it was asked for. */
const namesFor = (directory: string, paths: Iterable<string>): ReadonlyMap<string, string> =>
  new Map(Array.from(paths, (path) => [resolve(directory, path), path]));

/** A folder that cannot be listed, or not soon, says nothing about its names. */
async function withoutAbsent(names: readonly string[]): Promise<readonly string[]> {
  const folders = [...groupBy(names, dirname)];
  const kept = folders.map(async ([folder, own]) => {
    const listed = own.length < LIST_FROM ? null : await list(folder);
    return listed ? own.filter((name) => listed.has(name)) : own;
  });
  return (await Promise.all(kept)).flat();
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
  const message = answer.kind === "late" ? late : `xargs could not be run: ${answer.error.message}`;
  throw new WorldError("files-unreachable", directory, message, answer.kind === "late" ? {} : { cause: answer.error });
}

type Ran =
  | { readonly kind: "ended"; readonly code: number | null; readonly text: string }
  | { readonly kind: "late" }
  | { readonly kind: "not-run"; readonly error: Error };

function run([program = "", ...words]: readonly string[], input: string, longestMs: number): Promise<Ran> {
  return new Promise((done) => {
    const child = spawn(program, words, {
      stdio: ["pipe", "pipe", "ignore"],
      detached: true, // ended with what it started
    });
    const end = (ran: Ran): void => {
      clearTimeout(patience);
      done(ran);
    };
    const patience = setTimeout(() => {
      if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
      child.unref();
      end({ kind: "late" });
    }, longestMs);
    const pieces: Buffer[] = [];
    child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
    child.on("error", (error) => end({ kind: "not-run", error }));
    child.on("close", (code) => end({ kind: "ended", code, text: Buffer.concat(pieces).toString("utf8") }));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
