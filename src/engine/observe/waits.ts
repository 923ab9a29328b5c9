import { parseJson } from "../../base/json.ts";
import type { RunWaits } from "../../domain/run.ts";
import { type Deferral, deferralsIn } from "../format/deferrals.ts";
import type { Want } from "../format/match.ts";
import { isIdle, type StatusNode } from "../format/status-file.ts";
import { type FileCache, readText } from "./files.ts";

/** The nodes of a unit that may wait, by what they wait for. */
export interface OpenNodes {
  /** Before their PRE script has let them go: most of them cool off. */
  readonly pre: readonly string[];
  readonly post: readonly string[];
  /** One that is in the queue without a place. */
  readonly idle: string | null;
  readonly ready: number;
}

export function openNodes(nodes: readonly StatusNode[]): OpenNodes {
  const named = (state: StatusNode["state"]) => nodes.filter((node) => node.state === state).map(({ name }) => name);
  const [pre, post, ready] = [named("pre"), named("post"), named("ready").length];
  return { pre, post, idle: nodes.find(isIdle)?.name ?? null, ready };
}

export interface OpenUnit {
  readonly unit: string;
  readonly open: OpenNodes;
}
type FileWaits = Pick<RunWaits, "deferred" | "judging" | "limited">;

/** What the files of the units in the queue say of nodes that do not move. Only units with such nodes are looked at. */
export async function readWaits(
  cache: FileCache,
  dir: string,
  units: readonly OpenUnit[],
  nowMs: number,
): Promise<FileWaits> {
  const later: (Deferral & { readonly example: string })[] = [];
  const posts: string[] = [];
  let trouble: { words: string; example: string } | null = null;
  for (const { unit, open } of units) {
    posts.push(...open.post.map((node) => `${unit}/${node}`));
    for (const node of trouble ? [] : open.post.slice(0, MOST_LOOKS)) {
      const words = await readText(`${dir}/${unit}/${node}.trouble`).catch(() => null);
      if (words !== null)
        trouble = { words: words.trim() || "its files cannot be written", example: `${unit}/${node}` };
    }
    if (open.pre.length === 0) continue;
    const ledger = await cache.read(`${dir}/${unit}/ledger.jsonl`, deferralsIn);
    if (ledger.kind !== "value") continue;
    for (const node of open.pre) {
      const deferral = ledger.value.get(node);
      if (deferral && deferral.notBeforeMs > nowMs) later.push({ ...deferral, example: `${unit}/${node}` });
    }
  }
  later.sort((a, b) => a.notBeforeMs - b.notBeforeMs);
  const [first, last] = [later[0], later.at(-1)];
  return {
    deferred: first && last ? { nodes: later.length, nextAt: at(first), lastAt: at(last), ...said(first) } : null,
    judging: posts[0]
      ? { nodes: posts.length, trouble: trouble?.words ?? null, example: trouble?.example ?? posts[0] }
      : null,
    limited: units.reduce((sum, { open }) => sum + open.ready, 0),
  };
}
const MOST_LOOKS = 20;
const at = ({ notBeforeMs }: Deferral): Date => new Date(notBeforeMs);
const said = ({ reason, example }: Deferral & { example: string }) => ({ reason, example });

/** What an idle node asks for, by its plan and its unit's include file; null: they do not say. */
export async function readWant(dir: string, { unit, open }: OpenUnit): Promise<Want | null> {
  const plan = parseJson((await readText(`${dir}/plan.json`)) ?? "");
  const include = (await readText(`${dir}/${unit}/group.inc`)) ?? "";
  const role = /^(landing|merge|cleanup)$/.exec(open.idle ?? "")?.[0] ?? "processing";
  const usual = plan.ok
    ? (plan.value as { resources?: Record<string, Partial<Want & { cores: number }>> } | null)
    : null;
  const { cores, memoryMb } = usual?.resources?.[role] ?? usual?.resources?.processing ?? {};
  if (cores === undefined || memoryMb === undefined) return null;
  const saidOf = (name: string): string | undefined =>
    include
      .split("\n")
      .findLast((line) => line.startsWith(`${name} = `))
      ?.slice(name.length + 3);
  const sites = saidOf("My.DESIRED_Sites")?.replaceAll('"', "");
  const raised = Number(saidOf(`${open.idle}_memory`) ?? memoryMb);
  return { cpus: cores, memoryMb: raised, desiredSites: sites?.split(",") ?? null, bannedSites: [] };
}
