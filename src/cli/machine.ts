import { existsSync, readFileSync } from "node:fs";
import { rm, statfs, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Config } from "../config/settings.ts";
import { describeError } from "../core/base/errors.ts";
import { type Check, fail, ok, warn } from "./view/checks.ts";
import { bytes } from "./view/text.ts";

/** What the machine itself must offer: Node, clock, limits. */
export const machineChecks = (): readonly Check[] => [
  nodeCheck(process.versions.node),
  clockCheck(new Date()),
  ...limitChecks(readLimits()),
];

/** Where a server writes, as it says itself or by the settings of one that would be started. */
type Directories = Pick<Config, "engine.kind" | "spool_dir" | "storage_dir">;

/** Room to write, in the right place. */
export const directoryChecks = async (directories: Directories): Promise<readonly Check[]> => [
  await directoryCheck("spool", directories.spool_dir),
  await directoryCheck("storage", directories.storage_dir),
  ...spoolPathChecks(directories),
];

export function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const good = major > 20 || (major === 20 && minor >= 20);
  return good ? ok("node", version) : fail("node", `${version} is too old`, "install Node.js 20.20 or newer");
}

const EARLIEST = Date.parse("2025-01-01T00:00:00Z");
const LATEST = Date.parse("2100-01-01T00:00:00Z");

export function clockCheck(now: Date): Check {
  const at = now.getTime();
  return at > EARLIEST && at < LATEST
    ? ok("clock", now.toISOString())
    : fail("clock", `it says ${now.toISOString()}`, "set the clock; run an NTP client");
}

interface Limits {
  readonly openFiles: number;
  readonly processes: number;
}

const MIN_OPEN_FILES = 4096;
const MIN_PROCESSES = 2048;

export function limitChecks(limits: Limits | null): Check[] {
  if (limits === null) return [];
  const { openFiles, processes } = limits;
  const enough = (what: string, value: number) =>
    ok("limits", `${what}: ${value === Number.POSITIVE_INFINITY ? "unlimited" : value}`);
  const raise = (flag: string, unit: string) => `ulimit ${flag} before wms2 serve, or ${unit} in its unit`;
  return [
    openFiles >= MIN_OPEN_FILES
      ? enough("open files", openFiles)
      : warn("limits", `only ${openFiles} files may be open at once`, raise(`-n ${MIN_OPEN_FILES}`, "LimitNOFILE=")),
    processes >= MIN_PROCESSES
      ? enough("processes", processes)
      : warn(
          "limits",
          `only ${processes} processes per user`,
          raise(`-u ${MIN_PROCESSES}`, "TasksMax= and LimitNPROC="),
        ),
  ];
}

function readLimits(): Limits | null {
  try {
    const text = readFileSync("/proc/self/limits", "utf8");
    const soft = (name: string): number => {
      const value = new RegExp(`^${name}\\s+(\\S+)`, "m").exec(text)?.[1] ?? "unlimited";
      return value === "unlimited" ? Number.POSITIVE_INFINITY : Number(value);
    };
    return { openFiles: soft("Max open files"), processes: soft("Max processes") };
  } catch {
    return null;
  }
}

const LOW_BYTES = 1e9;
const LOW_FILES = 10_000;

async function directoryCheck(what: string, path: string): Promise<Check> {
  const there = nearestThere(path);
  const probe = join(there, `.wms2-doctor-${process.pid}`);
  try {
    await writeFile(probe, "x");
    await rm(probe, { force: true });
    const { bavail, bsize, ffree, files } = await statfs(there);
    const free = bavail * bsize;
    if (files > 0 && ffree < LOW_FILES)
      return warn(what, `${path}: only ${ffree} more files fit`, "remove old files there");
    if (free < LOW_BYTES)
      return warn(what, `${path}: only ${bytes(free)} free`, `free space, or set ${what}_dir elsewhere`);
    return ok(what, `${path}, ${bytes(free)} free${there === path ? "" : "; not made yet"}`);
  } catch (error) {
    const fix = "check its permissions and that the disk is not full";
    return fail(what, `${path}: ${describeError(error)}`, fix);
  }
}

/** The directory itself, or the one it would be made in. */
function nearestThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path));
}

/** DAGMan refuses node logs below /tmp in strict mode: they may vanish, and with them what a recovery needs. */
export function spoolPathChecks(directories: Omit<Directories, "storage_dir">): Check[] {
  if (directories["engine.kind"] !== "dagman" || !`${directories.spool_dir}/`.startsWith("/tmp/")) return [];
  const message = `${directories.spool_dir} lies below /tmp, where DAGMan refuses to keep node logs`;
  return [warn("spool", message, "set spool_dir (or --data-dir) elsewhere")];
}
