import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeSync,
} from "node:fs";
import { copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InvariantError } from "../base/errors.ts";
import type { DagPlan } from "../domain/plan.ts";
import type { RequestFile } from "../domain/request.ts";
import { damagedRescues, rescueHoldMessage } from "../housekeeping/rescue-check.ts";
import type { Spool } from "../lifecycle/ports.ts";
import { PAYLOAD_FILES } from "../payload/files.ts";
import { parseLedger } from "../recovery/ledger-record.ts";
import type { RenderedFile, RenderOptions } from "../render/options.ts";
import { renderDag } from "../render/render-dag.ts";
import { orUnwritable, readIfThere, replaceFile } from "./atomic-file.ts";
import { policyText, type RecoveryOptions } from "./policy-file.ts";
import { adjustNodes, letRun, logTail, openEpoch, plannedRanges, reelectUnit, unitNames } from "./unit-files.ts";

export interface SpoolOptions extends Omit<RenderOptions, "unmergedDir" | "mergedDir"> {
  readonly spoolDir: string;
  readonly storageDir: string;
  /** Who must be able to write there when this process is root; null: whoever we are. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** What the retry brain goes by, besides the request's own handlers. */
  readonly recovery: RecoveryOptions;
}

/** The submit directories under one root (docs/submit-directory.md). */
export function makeSpool(options: SpoolOptions): Spool {
  const submitDir = (plan: Pick<DagPlan, "requestName" | "round" | "dagId">): string =>
    join(options.spoolDir, plan.requestName, `r${plan.round}-${plan.dagId.slice(0, 8)}`);

  return {
    submitDir,

    async write(plan, spec, files) {
      const final = submitDir(plan);
      const temporary = temporaryDir(final, plan.dagId);
      const storage = storageDirs(options, spec.name);
      await orUnwritable(final, async () => {
        await rm(temporary, { recursive: true, force: true });
        await mkdir(temporary, { recursive: true });
        for (const dir of Object.values(storage)) {
          // Jobs write below these, so they must exist and belong to whoever owns the jobs.
          await mkdir(dir, { recursive: true });
          if (options.owner) lchownSync(dir, options.owner.uid, options.owner.gid);
        }
        await writeRendered(temporary, renderDag(plan, { ...options, ...storage }));
        await writeFile(join(temporary, "policy.json"), policyText(options.recovery, spec));
        await writePayload(temporary, files);
        if (options.owner) giveTree(temporary, options.owner);
        syncDirectory(temporary);
        await rename(temporary, final);
        syncDirectory(dirname(final));
      });
    },

    isComplete: async (dir) => existsSync(join(dir, "workflow.dag")),

    async discard(dir, dagId) {
      await rm(temporaryDir(dir, dagId), { recursive: true, force: true });
      await rm(dir, { recursive: true, force: true });
    },

    mergeOutput: (dir, unit) => readIfThere(join(dir, unit, "merge_output.json")),

    ledger: async (dir, unit) => parseLedger(await ledgerText(dir, unit)),
    ledgerText,
    unitNames,
    planned: plannedRanges,
    reelect: reelectUnit,
    letRun,
    openEpoch: (dir, unit, epoch) => openEpoch(dir, unit, epoch, options.owner),
    adjust: adjustNodes,
    logTail,

    async rescueTrouble(dir) {
      const troubles = await damagedRescues(dir);
      return troubles.length > 0 ? rescueHoldMessage(troubles) : null;
    },

    async leaveNote(requestName, file, text) {
      const path = join(options.spoolDir, requestName, file);
      await mkdir(dirname(path), { recursive: true });
      await replaceFile(path, text);
      return path;
    },
  };
}

const temporaryDir = (final: string, dagId: string): string => join(dirname(final), `.tmp-${dagId}`);

const ledgerText = async (dir: string, unit: string): Promise<string> =>
  (await readIfThere(join(dir, unit, "ledger.jsonl"))) ?? "";

/** The request's own below the storage: what its jobs stage out, and what is merged of it. */
const storageDirs = ({ storageDir }: SpoolOptions, request: string) => ({
  unmergedDir: join(storageDir, "unmerged", request),
  mergedDir: join(storageDir, "merged", request),
});

const SLICE_MS = 20;

/** Small files are written synchronously, which is many times quicker, in slices that let others have a turn. */
async function writeRendered(root: string, files: Iterable<RenderedFile>): Promise<void> {
  const made = new Set<string>();
  let sliceEnd = performance.now() + SLICE_MS;
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
      for (const chunk of file.chunks) writeSync(descriptor, chunk);
    } finally {
      closeSync(descriptor);
    }
    if (performance.now() > sliceEnd) {
      await new Promise((resume) => setImmediate(resume));
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
}

/** Our own programs go to bin/ and payload/wms2/, the request's files beside them, checked against their hash. */
async function writePayload(root: string, files: readonly RequestFile[]): Promise<void> {
  for (const { source, target, executable } of PAYLOAD_FILES) {
    const path = join(root, target);
    await mkdir(dirname(path), { recursive: true });
    await copyFile(source, path);
    chmodSync(path, executable ? 0o755 : 0o644);
  }
  for (const file of files) {
    const sha256 = createHash("sha256").update(file.content).digest("hex");
    if (sha256 !== file.sha256)
      throw new InvariantError(`the stored file ${file.path} is not what was handed in`, { sha256 });
    const path = join(root, "payload", file.path);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, file.content, { mode: file.executable ? 0o755 : 0o644 });
  }
}

function giveTree(dir: string, owner: { uid: number; gid: number }): void {
  lchownSync(dir, owner.uid, owner.gid);
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) giveTree(path, owner);
    else lchownSync(path, owner.uid, owner.gid);
  }
}

function syncDirectory(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
