import { constants as fs } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson, stringify, toBigInt } from "../base/json.ts";
import type { RequestSpec } from "../domain/request.ts";
import { highestRescue, parseRescue, rescueName } from "../engine/format/rescue.ts";
import { parseLedger, staysDone } from "../recovery/ledger-record.ts";
import type { PlannedRange } from "../recovery/round/credit.ts";
import { adjustedInc, keptAwayInc, reelectedInc } from "../render/group-inc.ts";
import { ifAbsent, orUnwritable } from "./atomic-file.ts";
import { giveToOwnerOf, inDirectory, openPlain, readPlain, writeWhole } from "./plain-files.ts";

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

export function parseManifest(text: string) {
  const json = parseJson(text);
  return manifestSchema.parse(json.ok ? json.value : null);
}

const readManifest = async (here: string) => parseManifest(await readPlain(join(here, "manifest.json")));

/** Works in a unit's directory; what goes wrong there names it, and no link of the jobs' owner leads away from it. */
const inUnit = <T>(dir: string, unit: string, work: (here: string) => Promise<T>): Promise<T> =>
  orUnwritable(join(dir, unit), () => inDirectory(dir, unit, work));

/** null: there is no such file, or no such unit. */
export async function readInUnit(dir: string, unit: string, name: string): Promise<string | null> {
  try {
    return await inDirectory(dir, unit, (here) => readPlain(join(here, name)));
  } catch (error) {
    return ifAbsent(join(dir, unit, name), error);
  }
}

export async function nodeNames(dir: string, unit: string): Promise<readonly string[]> {
  return ["landing", ...Object.keys((await inUnit(dir, unit, readManifest)).nodes), "merge", "cleanup"];
}

/** The event ranges planned into a unit; empty for input. */
export async function plannedRanges(dir: string, unit: string): Promise<{ block: number; ranges: PlannedRange[] }> {
  const { block, nodes } = await inUnit(dir, unit, readManifest);
  const ranges = Object.values(nodes).flatMap(({ firstEvent, lastEvent }) =>
    firstEvent === null || lastEvent === null
      ? []
      : [{ unit, firstEvent: toBigInt(firstEvent), lastEvent: toBigInt(lastEvent) }],
  );
  return { block, ranges };
}

/** The commands of the unit's jobs, line by line: a manifest has one per key. */
export const reviseUnit = (dir: string, unit: string, spec: Pick<RequestSpec, "steps" | "outputs">): Promise<void> =>
  inUnit(dir, unit, async (here) => {
    const path = join(here, "manifest.json");
    const text = await readPlain(path);
    const revised = text
      .replace(
        /^"steps":.*$/m,
        () => `"steps":${stringify(spec.steps.map(({ name, argv, env }) => ({ name, argv, env })))},`,
      )
      .replace(/^"outputs":(.*),$/m, (_, outputs: string) => `"outputs":${stringify(remerged(outputs, spec))},`);
    if (revised !== text) await writeWhole(path, revised);
  });

function remerged(outputs: string, spec: Pick<RequestSpec, "outputs">): unknown {
  const merges = new Map(spec.outputs.map(({ name, merge }) => [name, merge]));
  return (JSON.parse(outputs) as { name: string; mergeArgv: readonly string[] }[]).map((output) => {
    const merge = merges.get(output.name);
    return merge?.how === "command" ? { ...output, mergeArgv: merge.argv } : output;
  });
}

export async function unitNames(dir: string): Promise<string[]> {
  return (await readdir(dir)).filter((name) => /^mg_\d{6,}$/.test(name)).sort();
}

/**
 * The unit lands anew and runs as a whole: its rescue is set aside, its site forgotten, and its ledger says so, for PRE
 * would skip what is done. Not if its outputs are made: what is left of it, the cleanup, belongs where they are: false.
 */
export const reelectUnit = (
  dir: string,
  unit: string,
  avoidSites: readonly string[],
  only: readonly string[] | null = null,
): Promise<boolean> => inUnit(dir, unit, (here) => landAnew(here, avoidSites, only));

async function landAnew(
  here: string,
  avoidSites: readonly string[],
  only: readonly string[] | null = null,
): Promise<boolean> {
  if ((await doneIn(here))("merge")) return false;
  await addLine(here, { event: "moved", at: new Date().toISOString(), avoidSites, only });
  for (const name of (await readdir(here)).filter((each) => /^group\.dag\.rescue\d+$/.test(each)))
    await rename(join(here, name), join(here, `${name}.aside`));
  const { sites } = await readManifest(here);
  const inc = join(here, "group.inc");
  await writeWhole(inc, reelectedInc(await readPlain(inc), only ?? sites, avoidSites));
  return true;
}

/** What does not run again: the engine goes by its newest rescue file, PRE by the ledger. */
async function doneIn(here: string): Promise<(node: string) => boolean> {
  const newest = highestRescue(await readdir(here), "group.dag");
  const rescue = newest === null ? null : parseRescue(await readPlain(join(here, rescueName("group.dag", newest))));
  const path = join(here, "ledger.jsonl");
  const ledger = (await readPlain(path).catch((error) => ifAbsent(path, error))) ?? "";
  const { lines } = parseLedger(ledger);
  return (node) => rescue?.done.has(node) === true || staysDone(lines, node);
}

export const doneNodes = (dir: string, unit: string, nodes: readonly string[]): Promise<readonly string[]> =>
  inUnit(dir, unit, async (here) => nodes.filter(await doneIn(here)));

/** Whether the unit stays away from these sites as it is, or what was done to it so that it does. */
export const keepAway = (dir: string, unit: string, closed: readonly string[]) =>
  inUnit(dir, unit, async (here) => {
    const inc = join(here, "group.inc");
    const kept = keptAwayInc(await readPlain(inc), (await readManifest(here)).sites, closed);
    if (kept.kind === "narrowed") await writeWhole(inc, kept.text);
    if (kept.kind !== "pinned") return kept.kind;
    return (await landAnew(here, closed)) ? "moved" : "stays";
  });

/** Lets nodes that had come to a final stop run again: their marks go, whoever asked. null: all of the unit. */
export const letRun = (dir: string, unit: string, nodes: readonly string[] | null): Promise<void> =>
  inUnit(dir, unit, async (here) => {
    for (const name of await readdir(here)) {
      const mark = /^(.+)\.(stopped|wait)$/.exec(name);
      if (mark && (nodes === null || nodes.includes(mark[1] ?? ""))) await rm(join(here, name), { force: true });
    }
    await rm(join(here, "run.abort"), { force: true });
  });

/** Nodes ask for this much from their next submission on. null: every node of the unit. */
export const adjustNodes = (
  dir: string,
  unit: string,
  nodes: readonly string[] | null,
  changesOf: (node: string) => { readonly memoryMb?: number; readonly wallMinutes?: number },
): Promise<void> =>
  inUnit(dir, unit, async (here) => {
    const inc = join(here, "group.inc");
    const names = nodes ?? Object.keys((await readManifest(here)).nodes);
    const wanted = Object.fromEntries(names.map((node) => [node, changesOf(node)]));
    const before = await readPlain(inc);
    const after = adjustedInc(before, wanted);
    if (after !== before) await writeWhole(inc, after);
  });

/** A new epoch: the nodes' budgets begin anew, their history stays. Once per epoch, however often it is called. */
export const openEpoch = (
  dir: string,
  unit: string,
  epoch: { epoch: number; nodes: readonly string[] | null; by: string; reason: string; at: string },
): Promise<void> => inUnit(dir, unit, (here) => addLine(here, { event: "epoch", ...epoch }));

/** To the unit's ledger, once: the same line is not added twice. */
async function addLine(here: string, record: object): Promise<void> {
  const ledger = await openPlain(join(here, "ledger.jsonl"), fs.O_RDWR | fs.O_APPEND | fs.O_CREAT);
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

/** That a person left the unit behind. */
export const noteLeft = (dir: string, unit: string, said: { at: string; by: string; reason: string }): Promise<void> =>
  inUnit(dir, unit, (here) => addLine(here, { event: "left", ...said }));

/** Their next try may begin at once. PRE goes by the file; the line tells people, and whoever counts who waits. */
export const endWaits = (
  dir: string,
  unit: string,
  { nodes, ...said }: { nodes: readonly string[]; by: string; reason: string; at: string },
): Promise<void> =>
  inUnit(dir, unit, async (here) => {
    for (const node of nodes) await writeWhole(join(here, `${node}.wait`), "0\n");
    await addLine(here, { event: "retry-now", ...said, nodes });
  });

const TAIL_BYTES = 8_000;

/** The end of the newest stderr of a node; "" when there is none. Names of attempts carry the cluster, and clusters only grow. */
export const logTail = (dir: string, unit: string, node: string): Promise<string> =>
  inDirectory(dir, unit, async (here) => {
    const newest = (await readdir(here))
      .flatMap((name) => {
        const match = name.startsWith(`${node}.`) ? /^\.(\d+)\.err$/.exec(name.slice(node.length)) : null;
        return match ? [{ name, cluster: Number(match[1]) }] : [];
      })
      .sort((a, b) => b.cluster - a.cluster)[0];
    if (!newest) return "";
    const handle = await openPlain(join(here, newest.name));
    try {
      const { size } = await handle.stat();
      const start = Math.max(0, size - TAIL_BYTES);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, start);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await handle.close();
    }
  }).catch(() => "");
