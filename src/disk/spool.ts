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
import { copyFile, lstat, mkdir, realpath, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { InvariantError } from "../base/errors.ts";
import type { DagPlan } from "../domain/plan.ts";
import type { RequestFile } from "../domain/request.ts";
import { deferralsIn } from "../engine/format/deferrals.ts";
import { damagedRescues, rescueHoldMessage } from "../housekeeping/rescue-check.ts";
import type { Spool } from "../lifecycle/ports.ts";
import { PAYLOAD_FILES } from "../payload/files.ts";
import { parseLedger } from "../recovery/ledger-record.ts";
import type { RenderedFile, RenderOptions } from "../render/options.ts";
import { renderDag } from "../render/render-dag.ts";
import { ifAbsent, orUnwritable, replaceFile } from "./atomic-file.ts";
import { Budget, removeTree } from "./disk-steps.ts";
import { policyText, type RecoveryOptions } from "./policy-file.ts";
import { fullDisk } from "./probe.ts";
import { unitDamage } from "./unit-damage.ts";
import {
  adjustNodes,
  doneNodes,
  endWaits,
  keepAway,
  letRun,
  logTail,
  nodeNames,
  noteLeft,
  openEpoch,
  plannedRanges,
  readInUnit,
  reelectUnit,
  reviseUnit,
  unitNames,
} from "./unit-files.ts";

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
        await removeAll(temporary);
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

    async revise(dir, spec, files, units) {
      // Beside the directory, not in it: what is there may be moved by its owner while it is written.
      const temporary = temporaryDir(dir, `revised-${basename(dir)}`);
      await orUnwritable(dir, async () => {
        await removeAll(temporary);
        await mkdir(temporary);
        await writePayload(temporary, files);
        if (options.owner) giveTree(temporary, options.owner);
        // Nothing runs here now; a crash in between is made good by the next try.
        await removeAll(join(dir, "payload"));
        await rename(join(temporary, "payload"), join(dir, "payload"));
        await removeAll(temporary);
        await replaceFile(join(dir, "policy.json"), policyText(options.recovery, spec));
      });
      for (const unit of units) await reviseUnit(dir, unit, spec);
    },

    trouble: async () => (await fullDisk(options.spoolDir)) ?? fullDisk(options.storageDir),

    isComplete: async (dir) => existsSync(join(dir, "workflow.dag")),

    async discard(dir, dagId) {
      await removeAll(temporaryDir(dir, dagId));
      await removeAll(dir);
    },

    mergeOutput: (dir, unit) => readInUnit(dir, unit, "merge_output.json"),
    manifest: (dir, unit) => readInUnit(dir, unit, "manifest.json"),

    mergedDir: (requestName) => storageDirs(options, requestName).mergedDir,

    async mergedSize(requestName, path) {
      const { mergedDir } = storageDirs(options, requestName);
      try {
        // No directory on the way may be a link: what it leads to is not ours to register.
        const there = await realpath(dirname(path));
        if (there !== join(await realpath(mergedDir), relative(mergedDir, dirname(path)))) return "foreign";
        const stats = await lstat(path);
        return stats.isFile() ? stats.size : "foreign";
      } catch (error) {
        return ifAbsent(path, error) ?? "absent";
      }
    },

    ledger: async (dir, unit) => parseLedger(await ledgerText(dir, unit)),
    ledgerText,
    unitNames,
    nodeNames,

    async damaged(dir, units) {
      const found = [];
      for (const unit of units) found.push(await unitDamage(dir, unit, options.owner));
      return found.filter((damage) => damage !== null);
    },

    planned: plannedRanges,
    reelect: reelectUnit,
    keepAway,
    doneNodes,
    letRun,
    openEpoch,
    async cooling(dir, unit, now) {
      const deferrals = [...deferralsIn(await ledgerText(dir, unit))];
      return deferrals.filter(([, { notBeforeMs }]) => notBeforeMs > now.getTime()).map(([node]) => node);
    },
    endWaits,
    noteLeft,
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

const removeAll = (path: string): Promise<boolean> => removeTree(path, new Budget(Number.POSITIVE_INFINITY));

const temporaryDir = (final: string, dagId: string): string => join(dirname(final), `.tmp-${dagId}`);

const ledgerText = async (dir: string, unit: string): Promise<string> =>
  (await readInUnit(dir, unit, "ledger.jsonl")) ?? "";

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

/** From the inside out: nobody else may change a directory before all that is in it was given. */
function giveTree(dir: string, owner: { uid: number; gid: number }): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) giveTree(path, owner);
    else lchownSync(path, owner.uid, owner.gid);
  }
  lchownSync(dir, owner.uid, owner.gid);
}

function syncDirectory(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
