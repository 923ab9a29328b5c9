import { existsSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../../core/disk/atomic-file.ts";
import { inDirectory, readPlain } from "../../../core/disk/plain-files.ts";
import { isUnitName } from "../../../core/names.ts";
import { type AttemptRecord, readTallyLines } from "../../../recovery/ledger-record.ts";
import {
  type Budget,
  entriesOf,
  ifGone,
  keepTail,
  removeFile,
  removeTree,
} from "../../../submit-dir/disk/disk-steps.ts";
import { isPart, TOP, UNIT } from "../../../submit-dir/names.ts";
import { failedNodes, fateOfTop, fatesInUnit, TRIMMED_DAGMAN_BYTES, TRIMMED_LOG_BYTES } from "./kept-files.ts";

/** All kept ends of logs of one directory together; beyond it only verdicts are kept. */
const LOG_BYTES_PER_DIRECTORY = 64e6;

export const isCompacted = (dir: string): boolean => existsSync(join(dir, TOP.compacted));

/**
 * Leaves of a submit directory what explains how it went. Which files stay is decided from files that stay, so a crash or
 * the end of the budget at any point is made good by doing it again; compacted.json comes last and says that it is over.
 * Answers false when the budget ended first.
 */
export async function compactDirectory(dir: string, budget: Budget, at: Date): Promise<boolean> {
  let logBytes = LOG_BYTES_PER_DIRECTORY;
  for (const entry of await entriesOf(dir)) {
    if (budget.isOut) return false;
    const path = join(dir, entry.name);
    if (entry.isDirectory() && (isUnitName(entry.name) || isPart(entry.name))) {
      const kept = await inDirectory(dir, entry.name, (unit) =>
        compactUnit(unit, isPart(entry.name), budget, logBytes),
      );
      if (kept === null) return false;
      logBytes -= kept;
      continue;
    }
    const fate = fateOfTop(entry.name);
    if (entry.isDirectory()) {
      if (!(await removeTree(path, budget))) return false;
    } else if (fate === "drop") await removeFile(path, budget);
    else if (fate === "trim") await keepTail(path, TRIMMED_DAGMAN_BYTES, budget);
  }
  await replaceFile(join(dir, TOP.compacted), `${JSON.stringify({ version: 1, at: at.toISOString() })}\n`);
  return true;
}

/** Bytes of logs that were kept; null: the budget ended first. */
async function compactUnit(dir: string, isShared: boolean, budget: Budget, logBytes: number): Promise<number | null> {
  const ledger = (await readPlain(join(dir, UNIT.ledger)).catch(ifGone)) ?? "";
  const { lines, unreadable } = await readInSlices(ledger);
  const entries = await entriesOf(dir);
  const fates = fatesInUnit(
    entries.map(({ name }) => name),
    failedNodes(lines, unreadable),
    isShared,
  );
  let kept = 0;
  for (const entry of entries) {
    if (budget.isOut) return null;
    const path = join(dir, entry.name);
    const fate = fates.get(entry.name);
    if (entry.isDirectory()) {
      if (!(await removeTree(path, budget))) return null;
    } else if (fate === "drop" || (fate === "trim" && kept >= logBytes)) await removeFile(path, budget);
    else if (fate === "trim") kept += await keepTail(path, TRIMMED_LOG_BYTES, budget);
  }
  return kept;
}

const SLICE_CHARACTERS = 512 * 1024;

/** A ledger of some thousand nodes takes a while to parse: others get their turn in between. */
async function readInSlices(text: string): Promise<{ lines: AttemptRecord[]; unreadable: number }> {
  const lines: AttemptRecord[] = [];
  let unreadable = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from + SLICE_CHARACTERS);
    const until = end < 0 ? text.length : end + 1;
    const read = readTallyLines(text.slice(from, until));
    lines.push(...read.lines);
    unreadable += read.unreadable;
    from = until;
    if (from < text.length) await new Promise((resume) => setImmediate(resume));
  }
  return { lines, unreadable };
}
