import { existsSync, lchownSync } from "node:fs";
import { lstat, mkdir, realpath, rename } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { groupBy } from "../../core/base/group-by.ts";
import { ifAbsent, orUnwritable, readIfThere, replaceFile } from "../../core/disk/atomic-file.ts";
import type { Owner } from "../../core/disk/permission.ts";
import { jobIndex } from "../../core/names.ts";
import type { DagPlan } from "../../core/plan.ts";
import type { RememberedRule } from "../../core/rule.ts";
import { deferralsIn } from "../../engines/format/deferrals.ts";
import type { Spool } from "../../loop/ports.ts";
import { parseLedger } from "../../recovery/ledger-record.ts";
import { withRemembered } from "../../recovery/read-policy.ts";
import type { StorageDirs } from "../manifest.ts";
import {
  attemptFile,
  nodeFile,
  type SubmitFile,
  sideDirName,
  submitDirName,
  TOP,
  temporaryName,
  UNIT,
  unitFolder,
} from "../names.ts";
import { sideDag } from "../side-dag.ts";
import { makeCountLevels } from "./count-levels.ts";
import { Budget, removeTree } from "./disk-steps.ts";
import { fileChecksums, fileStamps } from "./file-stamps.ts";
import { folderStamps } from "./folder-stamps.ts";
import { findJob } from "./job-search.ts";
import { fullDisk } from "./probe.ts";
import { reopenEnded } from "./reopen-ended.ts";
import { damagedRescues, nameDone, setRescueAside } from "./rescue-check.ts";
import { runningSince } from "./running-jobs.ts";
import { linesByJob, readLedgers } from "./shared-ledger.ts";
import { adjustNodes, doneNodes, keepAway, leaveNodes, letRun, reelectUnit, reviseUnit } from "./unit-changes.ts";
import { unitDamage } from "./unit-damage.ts";
import {
  endWaits,
  folders,
  jobNames,
  logTail,
  nodeNames,
  noteLeft,
  openEpoch,
  plannedRanges,
  readInUnit,
  unitAsks,
  unitNames,
} from "./unit-files.ts";
import { makeUnitStates } from "./unit-states.ts";
import { giveTree, syncDirectory, writeFiles, writePayload } from "./write-directory.ts";

export interface SpoolOptions {
  readonly spoolDir: string;
  readonly storageDir: string;
  /** Who must be able to write there when this process is root; null: whoever we are. */
  readonly owner: Owner | null;
  /** The text of a plan's files, all but the programs and policy.json. */
  readonly render: (plan: DagPlan, storage: StorageDirs) => Iterable<SubmitFile>;
  /** policy.json: what the retry brain goes by. */
  readonly policyText: Spool["policyText"];
  /** What the worker's programs are told; "": nothing. */
  readonly factsText: (spec: Parameters<Spool["write"]>[1]) => string;
}

/** The submit directories under one root (docs/submit-directory.md). */
export function makeSpool(options: SpoolOptions): Spool {
  return {
    ...makeDirectories(options),
    ...makeMergedFiles(options),
    policyText: options.policyText,
    stamps: fileStamps,
    folderStamps,
    checksums: fileChecksums,
    countLevels: makeCountLevels(options.owner),
    trouble: async () => (await fullDisk(options.spoolDir)) ?? fullDisk(options.storageDir),

    mergeOutput: (dir, unit) => readInUnit(dir, unit, UNIT.mergeOutput),
    manifest: (dir, unit) => readInUnit(dir, unit, UNIT.manifest),
    report: (dir, unit, node, cluster) => readInUnit(dir, unit, attemptFile(node, cluster, "report")),
    verdict: (dir, unit, node) => readInUnit(dir, unit, nodeFile(node, "post")),
    ledger: async (dir, unit) => parseLedger(await ledgerText(dir, unit)),
    ledgers: readLedgers,
    unitStates: makeUnitStates(),
    runningSince,
    findJob,
    dagText: async (dir) => (await readIfThere(join(dir, TOP.dag))) ?? "",
    unitNames,
    folders,
    jobNames,
    nodeNames,
    damaged: (dir, units) => damagedUnits(dir, units, options.owner),
    planned: plannedRanges,
    asks: unitAsks,
    reelect: reelectUnit,
    keepAway,
    doneNodes,
    leave: leaveNodes,
    letRun,
    openEpoch,
    cooling: coolingNodes,
    endWaits,
    noteLeft,
    adjust: adjustNodes,
    logTail,
    nameDone,
    damagedRescues,
    setRescueAside,
    reopenEnded,
    leaveNote: (requestName, file, text) => leaveNote(join(options.spoolDir, requestName, file), text),
  };
}

type Directories = Pick<Spool, "submitDir" | "write" | "writeSide" | "revise" | "remember" | "isComplete" | "discard">;

/** A directory as a whole: written beside its place, and moved there. */
function makeDirectories(options: SpoolOptions): Directories {
  const { spoolDir, owner, render, policyText, factsText } = options;
  const submitDir: Spool["submitDir"] = ({ requestName, round, dagId }) =>
    join(spoolDir, requestName, submitDirName(round, dagId));

  return {
    submitDir,

    async write(plan, spec, files, rules) {
      const final = submitDir(plan);
      const temporary = besideDir(final, plan.dagId);
      const storage = storageOf(options, spec.name);
      await putInPlace(final, temporary, owner, async () => {
        for (const dir of Object.values(storage)) await makeStorage(dir, owner);
        await writeFiles(temporary, render(plan, storage));
        await writeFiles(temporary, [{ path: TOP.policy, chunks: [policyText(spec, rules)] }]);
        await writePayload(temporary, spec, files, factsText(spec));
      });
    },

    async writeSide(dir, side, jobs) {
      const final = join(dir, sideDirName(side.dagId));
      // Beside the submit directory, not in it, as for a revision.
      const temporary = besideDir(dir, side.dagId);
      if (existsSync(final)) return;
      const text = sideDag((await readIfThere(join(dir, TOP.dag))) ?? "", new Set(jobs), side);
      await putInPlace(final, temporary, owner, () => writeFiles(temporary, [{ path: TOP.dag, chunks: [text] }]));
    },

    async revise(dir, spec, files, units, rules) {
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
        await replaceFile(join(dir, TOP.policy), policyText(spec, rules));
      });
      for (const folder of new Set(units.map(unitFolder))) await reviseUnit(dir, folder, spec);
    },

    remember: rememberRules,

    isComplete: async (dir) => existsSync(join(dir, TOP.dag)),

    async discard(dir, dagId) {
      await removeAll(besideDir(dir, dagId));
      await removeAll(dir);
    },
  };
}

/** Jobs write below it, so it must exist and belong to whoever owns the jobs. */
async function makeStorage(dir: string, owner: SpoolOptions["owner"]): Promise<void> {
  await mkdir(dir, { recursive: true });
  if (owner) lchownSync(dir, owner.uid, owner.gid);
}

/** Written beside its place, then moved there: it is whole or not there. */
const putInPlace = (final: string, temporary: string, owner: SpoolOptions["owner"], fill: () => Promise<void>) =>
  orUnwritable(final, async () => {
    await removeAll(temporary);
    await mkdir(temporary, { recursive: true });
    await fill();
    if (owner) giveTree(temporary, owner);
    syncDirectory(temporary);
    await rename(temporary, final);
    syncDirectory(dirname(final));
  });

async function rememberRules(dir: string, rules: readonly RememberedRule[]): Promise<void> {
  const path = join(dir, TOP.policy);
  const before = await readIfThere(path);
  const after = before === null ? null : withRemembered(before, rules);
  if (after !== null && after !== before) await orUnwritable(dir, () => replaceFile(path, after));
}

async function leaveNote(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, text);
  return path;
}

/** The request's own below the storage: what its jobs stage out, and what is merged of it. */
const storageOf = ({ storageDir }: SpoolOptions, request: string): StorageDirs => ({
  unmergedDir: join(storageDir, "unmerged", request),
  mergedDir: join(storageDir, "merged", request),
});

const makeMergedFiles = (options: SpoolOptions): Pick<Spool, "mergedDir" | "mergedSize"> => ({
  mergedDir: (requestName) => storageOf(options, requestName).mergedDir,

  async mergedSize(requestName, path) {
    const { mergedDir } = storageOf(options, requestName);
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
});

async function damagedUnits(dir: string, units: readonly string[], owner: Owner | null): ReturnType<Spool["damaged"]> {
  const found = [];
  for (const [folder, sharing] of groupBy(units, unitFolder)) {
    const damage = await unitDamage(dir, folder, owner);
    if (damage) found.push(...sharing.map((unit) => ({ ...damage, unit })));
  }
  return found;
}

async function coolingNodes(
  dir: string,
  units: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for await (const { unit, text } of readLedgers(dir, units)) {
    const later = [...deferralsIn(text ?? "")].filter(([, { notBeforeMs }]) => notBeforeMs > now.getTime());
    if (later.length > 0)
      found.set(
        unit,
        later.map(([node]) => node),
      );
  }
  return found;
}

const removeAll = (path: string): Promise<boolean> => removeTree(path, new Budget(Number.POSITIVE_INFINITY));

const besideDir = (final: string, dagId: string): string => join(dirname(final), temporaryName(dagId));

async function ledgerText(dir: string, unit: string): Promise<string> {
  const text = (await readInUnit(dir, unit, UNIT.ledger)) ?? "";
  return jobIndex(unit) === null ? text : (linesByJob(text, unit)(unit) ?? "");
}
