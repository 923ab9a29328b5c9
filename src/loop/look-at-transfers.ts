import { parsePoint, writeInterval } from "../core/calendar.ts";
import type { Said } from "../core/frepp.ts";
import type { TransferLock } from "../core/products.ts";
import type { RequestRecord } from "../core/request.ts";
import type { NodeId, NodeRow, SegmentsWork } from "../core/segments.ts";
import { type ArgumentName, jobNames, readArgumentName, readArguments } from "../kinds/segments/frepp/arguments.ts";
import { heldTransfer, type TransferFacts } from "../kinds/segments/frepp/retry-transfer.ts";
import { decideLock, decideTransfer } from "../kinds/segments/frepp/transfer.ts";
import { HISTORY } from "../kinds/segments/nodes.ts";
import type { FreppWorld } from "./frepp-port.ts";
import type { Ports } from "./ports.ts";

/** What the argument file of one output of a segment says. */
export interface FoundTransfer extends Omit<TransferFacts, "hasArrived">, ArgumentName {
  readonly file: string;
  readonly lockText: string | null;
}
/** A lock of the stager on the history of a segment. `text`: what it holds, so that only this one is removed. */
export interface FoundLock extends TransferLock {
  readonly id: NodeId;
  readonly name: string;
  readonly text: string;
}

const LOCK = ".lock";
const isLock = (name: string): boolean => name.endsWith(LOCK) && readArgumentName(name.slice(0, -LOCK.length)) !== null;

/** All argument files of a model run, with their locks; those of segments that it does not have are left out. */
export async function findTransfers(
  { frepp, clock }: Pick<Ports, "frepp" | "clock">,
  work: SegmentsWork,
  rows: ReadonlyMap<NodeId, NodeRow>,
): Promise<readonly FoundTransfer[]> {
  const dir = work.history.transfer?.argumentFiles;
  if (!frepp || dir === undefined) return [];
  const { files } = await frepp.files(dir, (name) => readArgumentName(name) !== null || isLock(name));
  const locks = new Map(files.filter(({ name }) => isLock(name)).map((file) => [file.name, file]));
  const queue = await askForOwners(frepp, [...locks.keys()]);
  const now = clock.now();
  return files.flatMap((file): readonly FoundTransfer[] => {
    const named = readArgumentName(file.name);
    const id = named && historyNode(work, named.date);
    if (!named || !id) return [];
    const found = locks.get(file.name + LOCK);
    const lock = found ? decideLock(found.changedAt, queue.get(found.name)!, now) : null;
    const read = readArguments(file.text);
    const state = decideTransfer(read, file, lock, now);
    const row = rows.get(id);
    return [{ ...named, id, row, arguments: read, state, lock, file: file.name, lockText: found?.text ?? null }];
  });
}

/** By lock: what the queue says of jobs that may have taken it. */
async function askForOwners(
  frepp: FreppWorld,
  locks: readonly string[],
): Promise<ReadonlyMap<string, readonly Said[]>> {
  const namesOf = (lock: string) => jobNames(lock.slice(0, -LOCK.length));
  const said = await frepp.queueByName(locks.flatMap(namesOf));
  return new Map(locks.map((lock) => [lock, namesOf(lock).map((name) => said.get(name)!)]));
}

/** null: no segment begins on that day. */
function historyNode({ start, segmentMonths, end }: SegmentsWork, date: string): NodeId | null {
  const from = parsePoint(date)?.from;
  if (from === undefined || from < start || (from - start) % segmentMonths !== 0) return null;
  const to = from + segmentMonths;
  return end !== null && to > end ? null : `${HISTORY}/${writeInterval({ from, to })}`;
}

/** What frepp's stager does about history: rows of transfers that it has given up, as they are to be here, and its locks. */
export async function lookAtTransfers(
  ports: Pick<Ports, "frepp" | "clock">,
  work: SegmentsWork,
  rows: ReadonlyMap<NodeId, NodeRow>,
): Promise<{ readonly held: readonly NodeRow[]; readonly locks: readonly FoundLock[] }> {
  const found = (await findTransfers(ports, work, rows)).filter(({ output }) => output === "history");
  return {
    held: found.flatMap((facts) => heldTransfer(facts, ports.clock.now()) ?? []),
    locks: found.flatMap(({ id, lock, file, lockText }) =>
      lock ? [{ ...lock, id, name: file + LOCK, text: lockText ?? "" }] : [],
    ),
  };
}

/** Removes locks that nobody has any more; one that is not as it was seen stays. */
export async function removeLocks(
  { frepp, log }: Pick<Ports, "frepp" | "log">,
  { spec }: Pick<RequestRecord, "spec">,
  work: SegmentsWork,
  locks: readonly Pick<FoundLock, "name" | "text">[],
  by: string,
): Promise<void> {
  const dir = work.history.transfer?.argumentFiles;
  if (!frepp || dir === undefined || locks.length === 0) return;
  const kept = await frepp.change(
    dir,
    locks.map(({ name, text }) => ({ name, seen: text, text: null })),
  );
  for (const { name } of locks)
    if (!kept.has(name)) log.info("transfer.lock-removed", { request: spec.name, lock: name, by });
}
