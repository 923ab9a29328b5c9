import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readIfThere } from "../../core/disk/atomic-file.ts";
import { takeLock } from "../../core/disk/lock-file.ts";
import { readPlain, writeWhole } from "../../core/disk/plain-files.ts";
import { jobIndex } from "../../core/names.ts";
import type { RequestSpec } from "../../core/request.ts";
import { isUnitFinished, MERGE_GROUP } from "../../core/roles.ts";
import { highestRescue, parseRescue, rescueName } from "../../engines/format/rescue.ts";
import { parseLedger, staysDone } from "../../recovery/ledger-record.ts";
import { type Adjustment, adjusted, keptAway, reelected } from "../include-file.ts";
import { plannedFor, revisedManifest } from "../manifest.ts";
import { reasonText } from "../markers.ts";
import { besideDag, isPart, nodeFile, nodeNamedIn, UNIT } from "../names.ts";
import { addLine, inUnit, manifestIn } from "./unit-files.ts";

/** What a rescue changes in a unit's directory. Every step may be repeated: a crash half-way is made good by the next try. */

/** A file that is replaced when its text changes. */
async function rewrite(path: string, edit: (text: string) => string): Promise<void> {
  const before = await readPlain(path);
  const after = edit(before);
  if (after !== before) await writeWhole(path, after);
}

/** The commands of the unit's jobs. */
export const reviseUnit = (dir: string, unit: string, spec: Pick<RequestSpec, "steps" | "outputs">): Promise<void> =>
  inUnit(dir, unit, (here) => rewrite(join(here, UNIT.manifest), (text) => revisedManifest(text, spec)));

/**
 * The unit lands again and runs as a whole: its rescue is set aside, its site forgotten, and its ledger says so, for PRE
 * would skip what is done. Not if its outputs are made: what is left of it, the cleanup, belongs where they are: false.
 */
export const reelectUnit = (
  dir: string,
  unit: string,
  avoidSites: readonly string[],
  only: readonly string[] | null = null,
): Promise<boolean> => inUnit(dir, unit, (here) => landAgain(here, avoidSites, only));

const RESCUE = besideDag(UNIT.dag, "rescue");

async function landAgain(here: string, avoidSites: readonly string[], only: readonly string[] | null) {
  const { nodes, sites } = await manifestIn(here);
  if (isUnitFinished(MERGE_GROUP, Object.keys(nodes), await doneIn(here))) return false;
  await addLine(here, { event: "moved", at: new Date().toISOString(), avoidSites, only });
  for (const name of (await readdir(here)).filter((each) => each.startsWith(RESCUE) && /\d$/.test(each)))
    await rename(join(here, name), join(here, `${name}.aside`));
  // Its verdict tells bin/pre that the site is known.
  await rm(join(here, nodeFile("landing", "post")), { force: true });
  await rewrite(join(here, UNIT.include), (text) => reelected(text, only ?? sites, avoidSites));
  return true;
}

/** What does not run again: the engine goes by its newest rescue file, PRE by the ledger. */
async function doneIn(here: string): Promise<(node: string) => boolean> {
  const newest = highestRescue(await readdir(here), UNIT.dag);
  const rescue = newest === null ? null : parseRescue(await readPlain(join(here, rescueName(UNIT.dag, newest))));
  const { lines } = parseLedger((await readIfThere(join(here, UNIT.ledger))) ?? "");
  return (node) => rescue?.done.has(node) === true || staysDone(lines, node);
}

export const doneNodes = (dir: string, unit: string, nodes: readonly string[]): Promise<readonly string[]> =>
  inUnit(dir, unit, async (here) => nodes.filter(await doneIn(here)));

/** Whether the unit stays away from these sites as it is, or what was done to it so that it does. */
export const keepAway = (dir: string, unit: string, closed: readonly string[]) =>
  inUnit(dir, unit, async (here) => {
    const include = join(here, UNIT.include);
    const possible = plannedFor(await readPlain(join(here, UNIT.manifest)), "").sites ?? [];
    const kept = keptAway(await readPlain(include), possible, closed);
    if (kept.kind === "narrowed") await writeWhole(include, kept.text);
    if (kept.kind !== "pinned") return kept.kind;
    if (isPart(unit)) {
      // Jobs of a graph land each on its own: nothing of them has to run again elsewhere.
      await rewrite(include, (text) => reelected(text, possible, closed));
      return "narrowed";
    }
    return (await landAgain(here, closed, null)) ? "moved" : "stays";
  });

/** PRE refuses these, as it does nodes that stopped for good; whose mark says more keeps it. */
export const leaveNodes = (dir: string, unit: string, nodes: readonly string[]): Promise<void> =>
  inUnit(dir, unit, async (here) => {
    for (const node of nodes) {
      const mark = join(here, nodeFile(node, "stopped"));
      if (!existsSync(mark)) await writeWhole(mark, reasonText(LEFT));
    }
  });
const LEFT = "left out of this run: others were chosen";

/**
 * Lets nodes that had come to a final stop run again: their marks go, whoever asked. null: all of the unit. Of a job of a graph
 * only its own go, for others run in the same folder.
 */
export const letRun = (dir: string, unit: string, nodes: readonly string[] | null): Promise<void> =>
  inUnit(dir, unit, async (here) => {
    if (jobIndex(unit) !== null) {
      for (const kind of ["stopped", "wait"] as const) await rm(join(here, nodeFile(unit, kind)), { force: true });
      return;
    }
    const isLeft = async (name: string) => (await readPlain(join(here, name))) === reasonText(LEFT);
    for (const name of await readdir(here)) {
      const stopped = nodeNamedIn(name, "stopped");
      const node = stopped ?? nodeNamedIn(name, "wait");
      if (node === null) continue;
      const goes = nodes === null || nodes.includes(node) || (stopped !== null && (await isLeft(name)));
      if (goes) await rm(join(here, name), { force: true });
    }
    await rm(join(here, UNIT.abort), { force: true });
  });

/** Nodes ask for this much from their next submission on. null: every node of the unit. */
export const adjustNodes = (
  dir: string,
  unit: string,
  nodes: readonly string[] | null,
  changesOf: (node: string) => Pick<Adjustment, "memoryMb" | "wallMinutes">,
): Promise<void> =>
  inUnit(dir, unit, async (here) => {
    const names = nodes ?? Object.keys((await manifestIn(here)).nodes);
    const wanted = Object.fromEntries(names.map((node) => [node, changesOf(node)]));
    // POSTs of others add to the same file while a side run is made ready.
    const release = await lockUnit(here);
    try {
      await rewrite(join(here, UNIT.include), (text) => adjusted(text, wanted));
    } finally {
      release();
    }
  });

const LOCK_PATIENCE_MS = 30_000;
/** As the retry brain judges a lock of another machine (src/submit-dir/post/group-lock.ts). */
const FOREIGN_STALE_MS = 120_000;

async function lockUnit(here: string): Promise<() => void> {
  const path = join(here, UNIT.lock);
  for (const end = Date.now() + LOCK_PATIENCE_MS; ; await sleep(20)) {
    const taken = takeLock(path, {}, FOREIGN_STALE_MS);
    if ("release" in taken) return taken.release;
    if (Date.now() > end) throw new Error(`its lock is held by process ${taken.owner.pid} on ${taken.owner.host}`);
  }
}
