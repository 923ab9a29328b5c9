import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ifAbsent } from "../../core/disk/atomic-file.ts";
import { readPlain } from "../../core/disk/plain-files.ts";
import { isUnitName } from "../../core/names.ts";
import type { FoundJob } from "../../loop/ports.ts";
import { readTallyLines } from "../../recovery/ledger-record.ts";
import { type EventKind, parseEvents } from "../event-log.ts";
import { besideDag, isPart, TOP, UNIT } from "../names.ts";

/** An event log beyond this is not read for a question. */
const MOST_BYTES = 64e6;

/**
 * The job of a number of the engine's, by the event logs of its folder, which have every job from when it is submitted, or by its
 * ledger, which stays when a directory is compacted. Logs that nothing was added to since `since` are passed over: a look at
 * a folder that cannot have it costs one stat. null: it is not here.
 */
export async function findJob(
  dir: string,
  cluster: number,
  since: Date,
  budget: { looks: number },
): Promise<FoundJob | null> {
  const names = await readdir(dir).catch((error) => ifAbsent(dir, error));
  const folders = (names ?? []).filter((name) => isUnitName(name) || isPart(name));
  for (const folder of folders) {
    if (budget.looks <= 0) return null;
    budget.looks -= 1;
    const found = await inFolder(join(dir, folder), cluster, since, names?.includes(TOP.compacted) ?? false);
    if (found) return { folder, ...found };
  }
  // The engine's own job for a whole unit.
  const log = await recent(join(dir, besideDag(TOP.dag, "nodesLog")), since);
  const unit = log === null ? null : jobIn(log, cluster);
  return unit && { folder: unit.node, ...unit, verdict: null };
}

async function inFolder(dir: string, cluster: number, since: Date, isCompacted: boolean) {
  const log = await recent(join(dir, isCompacted ? UNIT.ledger : UNIT.log), since);
  const job = log === null || isCompacted ? null : jobIn(log, cluster);
  if (log === null || (!isCompacted && job === null)) return null;
  const ledger = isCompacted ? log : ((await recent(join(dir, UNIT.ledger), since)) ?? "");
  const mark = `"cluster":${cluster},`;
  const lines = ledger.split("\n").filter((line) => line.includes(mark));
  const record = readTallyLines(lines.map((line) => `${line}\n`).join("")).lines.at(-1);
  if (record) return { node: record.node, state: "ended" as const, verdict: record };
  return job && { ...job, verdict: null };
}

/** null: it is not there, too large, or nothing was added to it since. */
async function recent(path: string, since: Date): Promise<string | null> {
  const found = await stat(path).catch((error) => ifAbsent(path, error));
  if (!found || found.mtime < since || found.size > MOST_BYTES) return null;
  return readPlain(path).catch((error) => ifAbsent(path, error));
}

const STATES: Readonly<Partial<Record<EventKind | "other", FoundJob["state"]>>> = {
  submit: "idle",
  evicted: "idle",
  released: "idle",
  execute: "running",
  held: "held",
  terminated: "ended",
  aborted: "ended",
  lost: "idle",
};

function jobIn(log: string, cluster: number): Pick<FoundJob, "node" | "state"> | null {
  const events = parseEvents(log, cluster);
  const line = events.find(({ kind }) => kind === "submit")?.body.find((text) => text.startsWith("DAG Node:"));
  const node = /^DAG Node: (\S+)/.exec(line ?? "")?.[1];
  if (node === undefined) return null;
  const last = events.findLast(({ kind }) => STATES[kind] !== undefined)?.kind ?? "submit";
  return { node, state: STATES[last] ?? "idle" };
}
