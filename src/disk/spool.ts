import { existsSync, lchownSync } from "node:fs";
import { lstat, mkdir, realpath, rename } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { DagPlan } from "../domain/plan.ts";
import { deferralsIn } from "../engine/format/deferrals.ts";
import type { Spool } from "../lifecycle/ports.ts";
import { parseLedger } from "../recovery/ledger-record.ts";
import type { StorageDirs } from "../submit-dir/manifest.ts";
import { attemptFile, type SubmitFile, submitDirName, TOP, temporaryName, UNIT } from "../submit-dir/names.ts";
import { ifAbsent, orUnwritable, replaceFile } from "./atomic-file.ts";
import { Budget, removeTree } from "./disk-steps.ts";
import type { Owner } from "./permission.ts";
import { fullDisk } from "./probe.ts";
import { rescueTrouble } from "./rescue-check.ts";
import { adjustNodes, doneNodes, keepAway, letRun, reelectUnit, reviseUnit } from "./unit-changes.ts";
import { unitDamage } from "./unit-damage.ts";
import {
  endWaits,
  logTail,
  nodeNames,
  noteLeft,
  openEpoch,
  plannedRanges,
  readInUnit,
  unitNames,
} from "./unit-files.ts";
import { giveTree, syncDirectory, writeFiles, writePayload } from "./write-directory.ts";

export interface SpoolOptions {
  readonly spoolDir: string;
  readonly storageDir: string;
  /** Who must be able to write there when this process is root; null: whoever we are. */
  readonly owner: Owner | null;
  /** The text of a plan's files, all but the programs and policy.json. */
  readonly render: (plan: DagPlan, storage: StorageDirs) => Iterable<SubmitFile>;
  /** policy.json: what the retry brain goes by. */
  readonly policyText: (spec: Parameters<Spool["write"]>[1]) => string;
  /** What the worker's programs are told; "": nothing. */
  readonly factsText: (spec: Parameters<Spool["write"]>[1]) => string;
}

/** The submit directories under one root (docs/submit-directory.md). */
export function makeSpool(options: SpoolOptions): Spool {
  const { spoolDir, storageDir, owner, render, policyText, factsText } = options;
  const submitDir: Spool["submitDir"] = ({ requestName, round, dagId }) =>
    join(spoolDir, requestName, submitDirName(round, dagId));
  /** The request's own below the storage: what its jobs stage out, and what is merged of it. */
  const storageOf = (request: string): StorageDirs => ({
    unmergedDir: join(storageDir, "unmerged", request),
    mergedDir: join(storageDir, "merged", request),
  });

  return {
    submitDir,

    async write(plan, spec, files) {
      const final = submitDir(plan);
      const temporary = besideDir(final, plan.dagId);
      const storage = storageOf(spec.name);
      await orUnwritable(final, async () => {
        await removeAll(temporary);
        await mkdir(temporary, { recursive: true });
        for (const dir of Object.values(storage)) {
          // Jobs write below these, so they must exist and belong to whoever owns the jobs.
          await mkdir(dir, { recursive: true });
          if (owner) lchownSync(dir, owner.uid, owner.gid);
        }
        await writeFiles(temporary, render(plan, storage));
        await writeFiles(temporary, [{ path: TOP.policy, chunks: [policyText(spec)] }]);
        await writePayload(temporary, spec, files, factsText(spec));
        if (owner) giveTree(temporary, owner);
        syncDirectory(temporary);
        await rename(temporary, final);
        syncDirectory(dirname(final));
      });
    },

    async revise(dir, spec, files, units) {
      // Beside the directory, not in it: what is there may be moved by its owner while it is written.
      const temporary = besideDir(dir, `revised-${basename(dir)}`);
      const payload = join(dir, TOP.payload);
      await orUnwritable(dir, async () => {
        await removeAll(temporary);
        await mkdir(temporary);
        await writePayload(temporary, spec, files, factsText(spec));
        if (owner) giveTree(temporary, owner);
        // Nothing runs here now; a crash in between is made good by the next try.
        await removeAll(payload);
        await rename(join(temporary, TOP.payload), payload);
        await removeAll(temporary);
        await replaceFile(join(dir, TOP.policy), policyText(spec));
      });
      for (const unit of units) await reviseUnit(dir, unit, spec);
    },

    trouble: async () => (await fullDisk(spoolDir)) ?? fullDisk(storageDir),

    isComplete: async (dir) => existsSync(join(dir, TOP.dag)),

    async discard(dir, dagId) {
      await removeAll(besideDir(dir, dagId));
      await removeAll(dir);
    },

    mergeOutput: (dir, unit) => readInUnit(dir, unit, UNIT.mergeOutput),
    manifest: (dir, unit) => readInUnit(dir, unit, UNIT.manifest),

    report: (dir, unit, node, cluster) => readInUnit(dir, unit, attemptFile(node, cluster, "report")),

    mergedDir: (requestName) => storageOf(requestName).mergedDir,

    async mergedSize(requestName, path) {
      const { mergedDir } = storageOf(requestName);
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
      for (const unit of units) found.push(await unitDamage(dir, unit, owner));
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
    rescueTrouble,

    async leaveNote(requestName, file, text) {
      const path = join(spoolDir, requestName, file);
      await mkdir(dirname(path), { recursive: true });
      await replaceFile(path, text);
      return path;
    },
  };
}

const removeAll = (path: string): Promise<boolean> => removeTree(path, new Budget(Number.POSITIVE_INFINITY));

const besideDir = (final: string, dagId: string): string => join(dirname(final), temporaryName(dagId));

const ledgerText = async (dir: string, unit: string): Promise<string> =>
  (await readInUnit(dir, unit, UNIT.ledger)) ?? "";
