import { appendFile, chown, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson, stringify, toBigInt } from "../base/json.ts";
import { highestRescue, parseRescue, rescueName } from "../engine/format/rescue.ts";
import type { PlannedRange } from "../recovery/round/credit.ts";
import { adjustedInc, reelectedInc } from "../render/group-inc.ts";
import { orUnwritable, readIfThere, replaceFile } from "./atomic-file.ts";

/** What a rescue changes in a unit's directory. Every step may be repeated: a crash half-way is made good by the next try. */

const manifestSchema = z.object({
  block: z.number().int(),
  sites: z.array(z.string()).default([]),
  nodes: z.record(
    z.string(),
    z.object({
      firstEvent: z.union([z.number(), z.string()]).nullable(),
      lastEvent: z.union([z.number(), z.string()]).nullable(),
    }),
  ),
});

export async function readManifest(dir: string, unit: string) {
  const json = parseJson(await readFile(join(dir, unit, "manifest.json"), "utf8"));
  return manifestSchema.parse(json.ok ? json.value : null);
}

/** The event ranges planned into a unit; empty for input. */
export async function plannedRanges(dir: string, unit: string): Promise<{ block: number; ranges: PlannedRange[] }> {
  const { block, nodes } = await readManifest(dir, unit);
  const ranges = Object.values(nodes).flatMap(({ firstEvent, lastEvent }) =>
    firstEvent === null || lastEvent === null
      ? []
      : [{ unit, firstEvent: toBigInt(firstEvent), lastEvent: toBigInt(lastEvent) }],
  );
  return { block, ranges };
}

export async function unitNames(dir: string): Promise<string[]> {
  return (await readdir(dir)).filter((name) => /^mg_\d{6,}$/.test(name)).sort();
}

/**
 * The unit lands anew and runs as a whole: its rescue is set aside, its site forgotten. Not if its outputs are made: what
 * is left of it, the cleanup, belongs where they are.
 */
export async function reelectUnit(
  dir: string,
  unit: string,
  avoidSites: readonly string[],
  only: readonly string[] | null = null,
): Promise<void> {
  const here = join(dir, unit);
  await orUnwritable(here, async () => {
    const names = await readdir(here);
    const newest = highestRescue(names, "group.dag");
    const rescue = newest === null ? null : await readFile(join(here, rescueName("group.dag", newest)), "utf8");
    if (rescue !== null && parseRescue(rescue).done.has("merge")) return;
    for (const name of names.filter((each) => /^group\.dag\.rescue\d+$/.test(each)))
      await rename(join(here, name), join(here, `${name}.aside`));
    const { sites } = await readManifest(dir, unit);
    const inc = join(here, "group.inc");
    await replaceFile(inc, reelectedInc(await readFile(inc, "utf8"), only ?? sites, avoidSites));
  });
}

/** Lets nodes that had come to a final stop run again: their marks go, whoever asked. null: all of the unit. */
export async function letRun(dir: string, unit: string, nodes: readonly string[] | null): Promise<void> {
  const here = join(dir, unit);
  await orUnwritable(here, async () => {
    for (const name of await readdir(here)) {
      const mark = /^(.+)\.(stopped|wait)$/.exec(name);
      if (mark && (nodes === null || nodes.includes(mark[1] ?? ""))) await rm(join(here, name), { force: true });
    }
    await rm(join(here, "run.abort"), { force: true });
  });
}

/** Nodes ask for this much from their next submission on. null: every node of the unit. */
export async function adjustNodes(
  dir: string,
  unit: string,
  nodes: readonly string[] | null,
  changesOf: (node: string) => { readonly memoryMb?: number; readonly wallMinutes?: number },
): Promise<void> {
  const inc = join(dir, unit, "group.inc");
  await orUnwritable(inc, async () => {
    const names = nodes ?? Object.keys((await readManifest(dir, unit)).nodes);
    const wanted = Object.fromEntries(names.map((node) => [node, changesOf(node)]));
    const before = await readFile(inc, "utf8");
    const after = adjustedInc(before, wanted);
    if (after !== before) await replaceFile(inc, after);
  });
}

/** A new epoch: the nodes' budgets begin anew, their history stays. Once per epoch, however often it is called. */
export async function openEpoch(
  dir: string,
  unit: string,
  epoch: { epoch: number; nodes: readonly string[] | null; by: string; reason: string; at: string },
  owner: { readonly uid: number; readonly gid: number } | null = null,
): Promise<void> {
  const path = join(dir, unit, "ledger.jsonl");
  await orUnwritable(path, async () => {
    const text = (await readIfThere(path)) ?? "";
    const line = stringify({ event: "epoch", ...epoch });
    if (text.split("\n").includes(line)) return;
    await appendFile(path, `${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`);
    // A ledger that began here must be one that the owner of the jobs can add to.
    if (owner) await chown(path, owner.uid, owner.gid);
  });
}

const TAIL_BYTES = 8_000;

/** The end of the newest stderr of a node. Names of attempts carry the cluster, and clusters only grow. */
export async function logTail(dir: string, unit: string, node: string): Promise<string> {
  const here = join(dir, unit);
  const names = await readdir(here).catch(() => []);
  const newest = names
    .flatMap((name) => {
      const match = name.startsWith(`${node}.`) ? /^\.(\d+)\.err$/.exec(name.slice(node.length)) : null;
      return match ? [{ name, cluster: Number(match[1]) }] : [];
    })
    .sort((a, b) => b.cluster - a.cluster)[0];
  if (!newest) return "";
  const handle = await open(join(here, newest.name), "r");
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, start);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
