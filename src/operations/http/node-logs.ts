import { constants } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { inSlices } from "../../core/base/slices.ts";
import { isName, isUnitName } from "../../core/names.ts";
import { GraphNames } from "../../submit-dir/jobs.ts";
import { ATTEMPT, attemptFile, besideDag, isPart, NODE, TOP, UNIT, unitFolder } from "../../submit-dir/names.ts";

/**
 * Reads log files below one submit directory. Names are single path parts of a small alphabet (domain/names.ts), the directory is
 * compared after links are resolved, and files are opened without following links: a link that a job left
 * behind shows nothing from elsewhere. Only the end of a file is read, whatever its size.
 */
const TAIL_BYTES = 256 * 1024;
const DAG_FILES: readonly string[] = [
  TOP.dag,
  ...(["out", "log", "nodesLog", "libOut", "libErr", "status", "metrics"] as const).map((kind) =>
    besideDag(TOP.dag, kind),
  ),
];
const isDagLog = (name: string): boolean =>
  DAG_FILES.includes(name) || (name.startsWith(besideDag(TOP.dag, "rescue")) && /\d$/.test(name));
const UNIT_FILES: readonly string[] = [UNIT.log, UNIT.ledger, UNIT.mergeOutput];
const ENDINGS = [ATTEMPT.out, ATTEMPT.err, ATTEMPT.report, NODE.post].map((ending) => `.${ending}`);
const isUnitLog = (name: string): boolean =>
  UNIT_FILES.includes(name) ||
  name.startsWith(`${UNIT.dag}.`) ||
  ENDINGS.some((ending) => name.length > ending.length && name.endsWith(ending));

interface LogFile {
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
}
interface Logs {
  readonly files: readonly (LogFile & { readonly modifiedAt: Date })[];
  readonly cluster: string | null;
  readonly clusters: readonly string[];
  readonly tails: readonly (LogFile & { readonly lines: readonly string[]; readonly truncated: boolean })[];
}

interface LogsWanted {
  readonly unit: string | null;
  readonly node: string | null;
  readonly cluster?: string | undefined;
  readonly lines: number;
}

/** The log files of a DAG, of a unit, or of a node with the ends of what it wrote; null: there is no such unit (yet). */
export async function readLogs(submitDir: string, { unit, node, cluster, lines }: LogsWanted): Promise<Logs | null> {
  const noTails = { cluster: null, clusters: [], tails: [] };
  if (unit === null) return { ...noTails, files: await listFiles(submitDir, isDagLog) };
  const directory = await unitDirectory(submitDir, unit);
  if (directory === null) return null;
  const files = await listFiles(directory, isUnitLog);
  if (node === null) return { ...noTails, files };
  const { own, clusters } = attemptsOf(files, node);
  const shown = cluster ?? clusters.at(-1) ?? null;
  const names = shown === null ? [] : [attemptFile(node, shown, "out"), attemptFile(node, shown, "err")];
  const tails = await Promise.all([...names, UNIT.log].map((name) => tailFile(join(directory, name), name, lines)));
  return { files: own, cluster: shown, clusters, tails: tails.filter((tail) => tail !== null) };
}

function attemptsOf(files: Logs["files"], node: string) {
  const own = files.filter(({ name }) => name.startsWith(`${node}.`));
  const attempts = own.flatMap(({ name }) => /^(\d+)\./.exec(name.slice(node.length + 1))?.[1] ?? []);
  return { own, clusters: [...new Set(attempts)].sort((a, b) => Number(a) - Number(b)) };
}

/** Where a node's files are, and the attempts that left some, oldest first; null: there is no such unit (yet). */
export async function attemptsIn(submitDir: string, unit: string, node: string) {
  const directory = isName(node) ? await unitDirectory(submitDir, unit) : null;
  if (directory === null) return null;
  return { directory, clusters: attemptsOf(await listFiles(directory, isUnitLog), node).clusters };
}

/** Reads only, follows no link, and does not wait for whoever holds the other end. */
export const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A unit by its name here, or a job of a graph by the one that the person gave it. */
export async function unitNamed(submitDir: string, name: string): Promise<string> {
  if (isUnitName(name)) return name;
  const parts = (await readdir(submitDir).catch(() => [])).filter(isPart);
  const read = async (part: string): Promise<string> => {
    const file = await open(join(submitDir, part, UNIT.manifest), PLAIN).catch(() => null);
    return (await file?.readFile("utf8").finally(() => file.close())) ?? "";
  };
  return (await inSlices(GraphNames.in(await Promise.all(parts.map(read))))).nodeOf(name);
}

export async function unitDirectory(submitDir: string, unit: string): Promise<string | null> {
  if (!isName(unit)) return null;
  try {
    const root = await realpath(submitDir);
    const inner = await realpath(join(root, unitFolder(unit)));
    return inner.startsWith(root + sep) && (await lstat(inner)).isDirectory() ? inner : null;
  } catch {
    return null;
  }
}

async function listFiles(directory: string, isWanted: (name: string) => boolean): Promise<Logs["files"]> {
  const names = await readdir(directory).catch(() => [] as string[]);
  const wanted = names.filter(isWanted).sort();
  const found = await Promise.all(
    wanted.map(async (name) => {
      const path = join(directory, name);
      const stats = await lstat(path).catch(() => null);
      if (!stats?.isFile()) return null;
      return { name, path, sizeBytes: stats.size, modifiedAt: stats.mtime };
    }),
  );
  return found.filter((file) => file !== null);
}

/** null: not there, or not a plain file. */
async function tailFile(path: string, name: string, lines: number): Promise<Logs["tails"][number] | null> {
  const handle = await open(path, PLAIN).catch(() => null);
  if (!handle) return null;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return null;
    const from = Math.max(0, stats.size - TAIL_BYTES);
    const buffer = Buffer.alloc(stats.size - from);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
    const all = buffer.toString("utf8", 0, bytesRead).split("\n");
    if (all.at(-1) === "") all.pop();
    const shown = all.slice(-lines);
    const truncated = from > 0 || shown.length < all.length;
    return { name, path, sizeBytes: stats.size, lines: shown, truncated };
  } finally {
    await handle.close();
  }
}
