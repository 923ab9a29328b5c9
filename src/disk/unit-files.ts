import { constants as fs } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { stringify, toBigInt } from "../base/json.ts";
import { isUnitName } from "../domain/names.ts";
import type { PlannedRange } from "../domain/plan.ts";
import { allNodes, MERGE_GROUP } from "../domain/roles.ts";
import { type Manifest, readManifest } from "../submit-dir/manifest.ts";
import { waitText } from "../submit-dir/markers.ts";
import { newestStderr, nodeFile, UNIT } from "../submit-dir/names.ts";
import { ifAbsent, orUnwritable } from "./atomic-file.ts";
import { readTail } from "./disk-steps.ts";
import { giveToOwnerOf, inDirectory, openPlain, readPlain, writeWhole } from "./plain-files.ts";

/** Works in a unit's directory; what goes wrong there names it, and no link of the jobs' owner leads away from it. */
export const inUnit = <T>(dir: string, unit: string, work: (here: string) => Promise<T>): Promise<T> =>
  orUnwritable(join(dir, unit), () => inDirectory(dir, unit, work));

/** null: there is no such file, or no such unit. */
export async function readInUnit(dir: string, unit: string, name: string): Promise<string | null> {
  try {
    return await inDirectory(dir, unit, (here) => readPlain(join(here, name)));
  } catch (error) {
    return ifAbsent(join(dir, unit, name), error);
  }
}

export const unitNames = async (dir: string): Promise<string[]> => (await readdir(dir)).filter(isUnitName).sort();

export async function manifestIn(here: string): Promise<Manifest> {
  const manifest = readManifest(await readPlain(join(here, UNIT.manifest)));
  if (manifest) return manifest;
  throw new Error(`its ${UNIT.manifest} was cut short or changed`);
}

export const nodeNames = async (dir: string, unit: string): Promise<readonly string[]> =>
  allNodes(MERGE_GROUP, Object.keys((await inUnit(dir, unit, manifestIn)).nodes));

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

/** The end of the newest stderr of a node; "" when there is none. */
export const logTail = (dir: string, unit: string, node: string): Promise<string> =>
  inDirectory(dir, unit, async (here) => {
    const [newest] = newestStderr(await readdir(here), (name) => name === node);
    return newest ? readTail(join(here, newest), TAIL_BYTES) : "";
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

/** A new epoch: the nodes' budgets begin anew, their history stays. Once per epoch, however often it is called. */
export const openEpoch = (
  dir: string,
  unit: string,
  epoch: Said & { epoch: number; nodes: readonly string[] | null },
): Promise<void> => inUnit(dir, unit, (here) => addLine(here, { event: "epoch", ...epoch }));

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
