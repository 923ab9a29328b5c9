import { constants as fs } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { stringify, toBigInt } from "../../core/base/json.ts";
import { inSlices } from "../../core/base/slices.ts";
import { ifAbsent, orUnwritable, readIfThere } from "../../core/disk/atomic-file.ts";
import { giveToOwnerOf, inDirectory, openPlain, readPlain, writeWhole } from "../../core/disk/plain-files.ts";
import { isUnitName, jobIndex } from "../../core/names.ts";
import type { PlannedRange } from "../../core/plan.ts";
import { allNodes, MERGE_GROUP, roleOfNode } from "../../core/roles.ts";
import { parseLedger, staysDone } from "../../recovery/ledger-record.ts";
import { asksOf } from "../include-file.ts";
import { GraphNames } from "../jobs.ts";
import { type Manifest, readManifest } from "../manifest.ts";
import { waitText } from "../markers.ts";
import { attemptFile, isPart, newestStderr, nodeFile, TOP, UNIT, unitFolder } from "../names.ts";
import { type NodeAsks, readPlanFile } from "../plan-file.ts";
import { readTail } from "./disk-steps.ts";

/** Works in a unit's directory; what goes wrong there names it, and no link of the jobs' owner leads away from it. */
export const inUnit = <T>(dir: string, unit: string, work: (here: string) => Promise<T>): Promise<T> =>
  orUnwritable(join(dir, unitFolder(unit)), () => inDirectory(dir, unitFolder(unit), work));

/** null: there is no such file, or no such unit. */
export async function readInUnit(dir: string, unit: string, name: string): Promise<string | null> {
  try {
    return await inDirectory(dir, unitFolder(unit), (here) => readPlain(join(here, name)));
  } catch (error) {
    return ifAbsent(join(dir, unitFolder(unit), name), error);
  }
}

/** In order. The units of a graph are its jobs. */
export const unitNames = async (dir: string): Promise<string[]> =>
  [...(await readdir(dir)).filter(isUnitName), ...(await jobNames(dir)).nodes].sort(byNumber);

export const folders = async (dir: string): Promise<string[]> =>
  (await readdir(dir)).filter((name) => isUnitName(name) || isPart(name)).sort(byNumber);

/** The jobs that the manifests of a graph's parts list; none where there are no parts. */
export async function jobNames(dir: string): Promise<GraphNames> {
  const manifests: string[] = [];
  for (const folder of (await readdir(dir).catch(() => [])).filter(isPart))
    manifests.push((await readInUnit(dir, folder, UNIT.manifest)) ?? "");
  return inSlices(GraphNames.in(manifests));
}

/** A seventh digit comes after six. */
const byNumber = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

export async function manifestIn(here: string): Promise<Manifest> {
  const manifest = readManifest(await readPlain(join(here, UNIT.manifest)));
  if (manifest) return manifest;
  throw new Error(`its ${UNIT.manifest} was cut short or changed`);
}

export const nodeNames = async (dir: string, unit: string): Promise<readonly string[]> =>
  jobIndex(unit) !== null ? [unit] : allNodes(MERGE_GROUP, Object.keys((await inUnit(dir, unit, manifestIn)).nodes));

export async function unitAsks(dir: string, unit: string): Promise<(node: string) => NodeAsks | null> {
  const plan = readPlanFile(await readIfThere(join(dir, TOP.plan)));
  const include = (await readInUnit(dir, unit, UNIT.include)) ?? "";
  return (node) => {
    const planned = plan.resources(roleOfNode(node));
    const { memoryMb, wallMinutes } = asksOf(include, node);
    return (
      planned && { ...planned, memoryMb: memoryMb ?? planned.memoryMb, wallMinutes: wallMinutes ?? planned.wallMinutes }
    );
  };
}

/** The event ranges planned into a unit; empty for input. */
export async function plannedRanges(dir: string, unit: string): Promise<{ block: number; ranges: PlannedRange[] }> {
  const { block, nodes } = await inUnit(dir, unit, manifestIn);
  const ranges = Object.values(nodes).flatMap(({ firstEvent, lastEvent }) =>
    firstEvent === null || lastEvent === null
      ? []
      : [{ unit, firstEvent: toBigInt(firstEvent), lastEvent: toBigInt(lastEvent) }],
  );
  return { block, ranges };
}

const TAIL_BYTES = 8_000;

/** The end of the stderr of a node's attempt, or of its newest; "" when there is none. */
export const logTail = (dir: string, unit: string, node: string, cluster?: number): Promise<string> =>
  inDirectory(dir, unitFolder(unit), async (here) => {
    const newest = async () => newestStderr(await readdir(here), (name) => name === node)[0];
    const file = cluster === undefined ? await newest() : attemptFile(node, cluster, "err");
    return file ? readTail(join(here, file), TAIL_BYTES) : "";
  }).catch(() => "");

/** To the unit's ledger, once: the same line is not added twice. */
export async function addLine(here: string, record: object): Promise<void> {
  const ledger = await openPlain(join(here, UNIT.ledger), fs.O_RDWR | fs.O_APPEND | fs.O_CREAT);
  try {
    // A ledger that began here must be one that the owner of the jobs can add to.
    await giveToOwnerOf(here, ledger);
    const text = await ledger.readFile("utf8");
    const line = stringify(record);
    if (text.split("\n").includes(line)) return;
    await ledger.appendFile(`${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`);
  } finally {
    await ledger.close();
  }
}

interface Said {
  readonly at: string;
  readonly by: string;
  readonly reason: string;
}

/** A new epoch: the nodes' budgets begin again, their history stays. Once per epoch, however often it is called. */
export const openEpoch = (
  dir: string,
  unit: string,
  epoch: Said & { epoch: number; nodes: readonly string[] | null },
): Promise<void> =>
  inUnit(dir, unit, async (here) => {
    const { nodes } = epoch;
    if (!isPart(unit)) return addLine(here, { event: "epoch", ...epoch });
    // Jobs are named each: one that is done must not run again for that.
    const { lines } = parseLedger((await readIfThere(join(here, UNIT.ledger))) ?? "");
    const open = nodes?.filter((node) => !staysDone(lines, node)) ?? [];
    if (open.length > 0) await addLine(here, { event: "epoch", ...epoch, nodes: open });
  });

/** That a person left the unit behind. */
export const noteLeft = (dir: string, unit: string, said: Said): Promise<void> =>
  inUnit(dir, unit, (here) => addLine(here, { event: "left", ...said }));

/** Their next try may begin at once. PRE goes by the file; the line tells people, and whoever counts who waits. */
export const endWaits = (
  dir: string,
  unit: string,
  { nodes, ...said }: Said & { nodes: readonly string[] },
): Promise<void> =>
  inUnit(dir, unit, async (here) => {
    for (const node of nodes) await writeWhole(join(here, nodeFile(node, "wait")), waitText(null));
    await addLine(here, { event: "retry-now", ...said, nodes });
  });
