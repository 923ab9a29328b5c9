import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { chmod, copyFile, cp } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { JobSpec } from "../../dag/job-spec.ts";
import type { Hold } from "../../dag/runner.ts";

export const EXECUTABLE = "condor_exec.exe";
/** Up to this much is copied at once; more would keep everything else waiting. */
const INLINE_BYTES = 1 << 20;
const COPY = constants.COPYFILE_FICLONE;

type Copy = { readonly from: string; readonly to: string; readonly bytes: number };

/**
 * Brings executable and inputs into a new scratch directory, unless one is open. Always copies (by reference where the file system can):
 * a hard link would let a job change the submit directory. A job that runs where its files are only needs its executable.
 */
export async function stageIn(spec: JobSpec, scratch: string, isOpen = false): Promise<Hold | null> {
  const travels = spec.transfers && spec.transferExecutable;
  if (!spec.transfers) return findExecutable(spec, travels);
  if (!isOpen) {
    // It may have been left by an engine that died before it could say that the job begins.
    removeTree(scratch);
    mkdirSync(scratch);
  }
  const copies: Copy[] = [];
  for (const input of spec.inputs) {
    try {
      gather(input.replace(/\/+$/, ""), input.endsWith("/") ? scratch : join(scratch, basename(input)), copies);
    } catch (error) {
      return failed("input", error, `reading from file ${input}: `);
    }
  }
  const hold = findExecutable(spec, travels);
  if (hold) return hold;
  if (travels) {
    copies.push({ from: spec.executable, to: join(scratch, EXECUTABLE), bytes: statSync(spec.executable).size });
  }
  try {
    for (const { from, to, bytes } of copies) {
      if (bytes <= INLINE_BYTES) copyFileSync(from, to, COPY);
      else await copyFile(from, to, COPY);
    }
    if (travels) await chmod(join(scratch, EXECUTABLE), 0o755);
  } catch (error) {
    return failed("input", error);
  }
  return null;
}

/** Also directories that a job has closed to itself, as caches of modules are. What cannot be removed stays and is told. */
export function removeTree(path: string): void {
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  try {
    remove();
  } catch {
    try {
      openUp(path);
      remove();
    } catch (error) {
      console.error(`cannot remove ${path}: ${messageOf(error)}`);
    }
  }
}

function openUp(dir: string): void {
  if (!lstatSync(dir).isDirectory()) return;
  chmodSync(dir, 0o700);
  for (const name of readdirSync(dir)) openUp(join(dir, name));
}

export const failed = (way: "input" | "output", error: unknown, doing = ""): Hold => ({
  code: way === "input" ? 13 : 12,
  subcode: errnoOf(error),
  why: `Transfer ${way} files failure: ${doing}${messageOf(error)}`,
});

/** HTCondor's own check comes from the starter: the file must be there and, unless it travels, executable. */
function findExecutable({ executable }: JobSpec, travels: boolean): Hold | null {
  const hold = (subcode: number, why: string): Hold => ({
    code: 6,
    subcode,
    why: `Error from local engine: Failed to execute '${executable}': ${why}`,
  });
  try {
    const found = statSync(executable);
    if (!found.isFile()) return hold(13, "not a file");
    return travels || found.mode & 0o111 ? null : hold(13, "Permission denied");
  } catch (error) {
    return hold(errnoOf(error), messageOf(error));
  }
}

function gather(from: string, to: string, copies: Copy[]): void {
  const found = statSync(from);
  if (!found.isDirectory()) {
    copies.push({ from, to, bytes: found.size });
    return;
  }
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) gather(join(from, name), join(to, name), copies);
}

/**
 * Brings declared outputs home; each arrives whole or not at all. A missing one is a hold, after all others came.
 * `again`: an engine that died may have brought some already; those are newer than the job's start.
 */
export async function stageOut(
  spec: JobSpec,
  scratch: string,
  startedMs: number,
  again: boolean,
): Promise<Hold | null> {
  if (!spec.transfers) return null;
  let hold: Hold | null = null;
  let names = spec.outputs;
  try {
    names ??= newFiles(scratch, startedMs);
  } catch (error) {
    return failed("output", error);
  }
  for (const name of names) {
    const from = join(scratch, name);
    const target = spec.remaps[name] ?? basename(name);
    const to = isAbsolute(target) ? target : join(spec.initialDir, target);
    try {
      await bring(from, to);
    } catch (error) {
      if (again && isNewer(to, startedMs)) continue;
      hold ??= failed("output", error, `${from} to ${to}: `);
    }
  }
  return hold;
}

export function isNewer(path: string, thanMs: number): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= thanMs;
}

async function bring(from: string, to: string): Promise<void> {
  try {
    renameSync(from, to);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "EXDEV") throw error;
    const temporary = join(dirname(to), `.wms2-${process.pid}-${basename(to)}`);
    await cp(from, temporary, { recursive: true });
    renameSync(temporary, to);
  }
}

function newFiles(scratch: string, startedMs: number): string[] {
  return readdirSync(scratch, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith(".") && entry.name !== EXECUTABLE)
    .filter((entry) => statSync(join(scratch, entry.name)).mtimeMs >= startedMs)
    .map((entry) => entry.name);
}

const errnoOf = (error: unknown): number => Math.abs((error as NodeJS.ErrnoException).errno ?? 5);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
