import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { chmod, copyFile, cp } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { JobSpec } from "./job-spec.ts";

/** Why a job is held, with HTCondor's codes: the reason that POST and the operator get to see. */
export interface Hold {
  readonly code: number;
  readonly subcode: number;
  readonly why: string;
}

export const EXECUTABLE = "condor_exec.exe";
/** Up to this much is copied at once; more would keep everything else waiting. */
const INLINE_BYTES = 1 << 20;
const COPY = constants.COPYFILE_FICLONE;

type Copy = { readonly from: string; readonly to: string; readonly bytes: number };

/**
 * Brings executable and inputs into a new scratch directory. Always copies (by reference where the file system can):
 * a hard link would let a job change the submit directory. A job that runs where its files are only needs its executable.
 */
export async function stageIn(spec: JobSpec, scratch: string): Promise<Hold | null> {
  const travels = spec.transfers && spec.transferExecutable;
  if (!spec.transfers) return findExecutable(spec, travels);
  // It may have been left by an engine that died before it could say that the job begins.
  if (existsSync(scratch)) rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch);
  const copies: Copy[] = [];
  for (const input of spec.inputs) {
    try {
      gather(input.replace(/\/+$/, ""), input.endsWith("/") ? scratch : join(scratch, basename(input)), copies);
    } catch (error) {
      return inputHold(error, `reading from file ${input}: `);
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
    return inputHold(error);
  }
  return null;
}

const inputHold = (error: unknown, doing = ""): Hold => ({
  code: 13,
  subcode: errnoOf(error),
  why: `Transfer input files failure: ${doing}${wordsOf(error)}`,
});

/** HTCondor's own check comes from the starter: the file must be there and, unless it travels, executable. */
function findExecutable({ executable }: JobSpec, travels: boolean): Hold | null {
  const hold = (subcode: number, words: string): Hold => ({
    code: 6,
    subcode,
    why: `Error from local engine: Failed to execute '${executable}': ${words}`,
  });
  try {
    const found = statSync(executable);
    if (!found.isFile()) return hold(13, "not a file");
    return travels || found.mode & 0o111 ? null : hold(13, "Permission denied");
  } catch (error) {
    return hold(errnoOf(error), wordsOf(error));
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
  let hold: Hold | null = null;
  if (!spec.transfers) return hold;
  for (const name of spec.outputs ?? newFiles(scratch, startedMs)) {
    const from = join(scratch, name);
    const remap = spec.remaps[name];
    const target = remap === undefined ? basename(name) : remap;
    const to = isAbsolute(target) ? target : join(spec.initialDir, target);
    try {
      await bring(from, to);
    } catch (error) {
      if (again && isNewer(to, startedMs)) continue;
      hold ??= {
        code: 12,
        subcode: errnoOf(error),
        why: `Transfer output files failure: ${from} to ${to}: ${wordsOf(error)}`,
      };
    }
  }
  return hold;
}

function isNewer(path: string, thanMs: number): boolean {
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
const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
