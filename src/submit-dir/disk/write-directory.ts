import { createHash } from "node:crypto";
import { chmodSync, closeSync, fsyncSync, lchownSync, mkdirSync, openSync, readdirSync, writeSync } from "node:fs";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InvariantError } from "../../core/base/errors.ts";
import { turn } from "../../core/base/slices.ts";
import { runsCmssw } from "../../core/cms-files.ts";
import type { Owner } from "../../core/disk/permission.ts";
import { SIMULATE } from "../../core/parallel-steps.ts";
import type { RequestFile, RequestSpec } from "../../core/request.ts";
import { type SubmitFile, TOP } from "../names.ts";
import { CMSSW_FILES, FACTS_FILE, PAYLOAD_FILES, SIMULATOR_FILES } from "../payload/files.ts";

/** Small files are written synchronously, which is many times quicker, in slices that let others have a turn. */
export async function writeFiles(root: string, files: Iterable<SubmitFile>): Promise<void> {
  const made = new Set<string>();
  for (const file of files) {
    const path = join(root, file.path);
    const parent = dirname(path);
    if (!made.has(parent)) {
      mkdirSync(parent, { recursive: true });
      if (made.size > 64) made.clear();
      made.add(parent);
    }
    const descriptor = openSync(path, "w", 0o644);
    try {
      for (const chunk of file.chunks) {
        writeSync(descriptor, chunk);
        await turn();
      }
    } finally {
      closeSync(descriptor);
    }
  }
}

/** Our own programs, and the request's files beside them, checked against their hash. */
export async function writePayload(
  root: string,
  spec: Pick<RequestSpec, "cms" | "steps" | "outputs">,
  files: readonly RequestFile[],
  facts: string,
): Promise<void> {
  await mkdir(join(root, TOP.payload), { recursive: true }); // a request may leave it empty, and every submit file names it
  const programs = [
    ...PAYLOAD_FILES,
    ...(runsCmssw(spec) ? CMSSW_FILES : []),
    ...(namesSimulator(spec, files) ? SIMULATOR_FILES : []),
  ];
  for (const { source, target, executable } of programs) {
    const path = join(root, target);
    await mkdir(dirname(path), { recursive: true });
    await copyFile(source, path);
    chmodSync(path, executable ? 0o755 : 0o644);
  }
  if (facts) await writeFile(join(root, FACTS_FILE), facts);
  for (const file of files) {
    const sha256 = createHash("sha256").update(file.content).digest("hex");
    if (sha256 !== file.sha256)
      throw new InvariantError(`the stored file ${file.path} is not what was submitted`, { sha256 });
    const path = join(root, TOP.payload, file.path);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, file.content, { mode: file.executable ? 0o755 : 0o644 });
  }
}

/** In a command, or in a script that the request brings. */
const namesSimulator = (
  { steps, outputs }: Pick<RequestSpec, "steps" | "outputs">,
  files: readonly RequestFile[],
): boolean =>
  JSON.stringify([steps, outputs]).includes(SIMULATE) ||
  files.some(({ content }) => Buffer.from(content).includes(SIMULATE));

/** From the inside out: nobody else may change a directory before all that is in it was given. */
export function giveTree(dir: string, owner: Owner): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) giveTree(path, owner);
    else lchownSync(path, owner.uid, owner.gid);
  }
  lchownSync(dir, owner.uid, owner.gid);
}

export function syncDirectory(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
