import { groupBy } from "../../core/base/group-by.ts";
import { jobIndex } from "../../core/names.ts";
import { MERGE_GROUP, roleOfNode, type ThrottledRole, throttledRoles } from "../../core/roles.ts";
import type { AtLimit, RunWaits } from "../../core/run.ts";
import { readTail } from "../../submit-dir/disk/disk-steps.ts";
import { asksOf, sitesIn } from "../../submit-dir/include-file.ts";
import { jobsIn } from "../../submit-dir/jobs.ts";
import { nodeFile, TOP, UNIT, unitFolder } from "../../submit-dir/names.ts";
import { readPlanFile } from "../../submit-dir/plan-file.ts";
import { limitedJobs } from "../../submit-dir/side-dag.ts";
import { type Deferral, deferralsIn } from "../format/deferrals.ts";
import type { Want } from "../format/match.ts";
import { isIdle, type StatusNode } from "../format/status-file.ts";
import { type FileCache, readText } from "./files.ts";

const ROLES_WITH_LIMIT = throttledRoles(MERGE_GROUP);

/** The nodes of a unit that may wait, by what they wait for. */
export interface OpenNodes {
  /** Before their PRE script has let them go: most of them cool off. */
  readonly pre: readonly string[];
  readonly post: readonly string[];
  /** One that is in the queue without a place. */
  readonly idle: string | null;
  /** By category. */
  readonly loads: Readonly<Record<ThrottledRole, Load>>;
}
/** How many of a category are in the queue, and how many could be. */
interface Load {
  readonly ready: number;
  readonly queued: number;
}

export function openNodes(nodes: readonly StatusNode[]): OpenNodes {
  const named = (state: StatusNode["state"]) => nodes.filter((node) => node.state === state).map(({ name }) => name);
  const [ready, queued] = [countRoles(named("ready")), countRoles(named("queued"))];
  const loads = Object.fromEntries(
    ROLES_WITH_LIMIT.map((role) => [role, { ready: ready.get(role) ?? 0, queued: queued.get(role) ?? 0 }]),
  ) as OpenNodes["loads"];
  return { pre: named("pre"), post: named("post"), idle: nodes.find(isIdle)?.name ?? null, loads };
}

/** The jobs of a graph that may wait, by the folder they share. */
export function openJobs(nodes: readonly StatusNode[]): readonly OpenUnit[] {
  const open = nodes.filter(({ name, state }) => jobIndex(name) !== null && ["pre", "queued", "post"].includes(state));
  return [...groupBy(open, ({ name }) => unitFolder(name))].map(([unit, of]) => ({ unit, open: openNodes(of) }));
}

function countRoles(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(roleOfNode(name), 1 + (counts.get(roleOfNode(name)) ?? 0));
  return counts;
}

export interface OpenUnit {
  /** Or the folder that jobs of a graph share. */
  readonly unit: string;
  readonly open: OpenNodes;
}
type FileWaits = Pick<RunWaits, "deferred" | "checking" | "limited">;

/**
 * What the files of the units in the queue say of nodes that do not move. Only units with such nodes are looked at. `top`: the units
 * themselves.
 */
export async function readWaits(
  cache: FileCache,
  dir: string,
  units: readonly OpenUnit[],
  top: Load,
  nowMs: number,
): Promise<FileWaits> {
  const later: (Deferral & { readonly example: string })[] = [];
  const posts: string[] = [];
  let trouble: { text: string; example: string } | null = null;
  for (const { unit, open } of units) {
    posts.push(...open.post.map((node) => placeOf(unit, node)));
    for (const node of trouble ? [] : open.post.slice(0, MOST_LOOKS)) {
      const text = await readText(`${dir}/${unit}/${nodeFile(node, "trouble")}`).catch(() => null);
      if (text !== null) trouble = { text: text.trim() || "its files cannot be written", example: placeOf(unit, node) };
    }
    if (open.pre.length === 0) continue;
    const ledger = await cache.read(`${dir}/${unit}/${UNIT.ledger}`, deferralsIn);
    if (ledger.kind !== "value") continue;
    for (const node of open.pre) {
      const deferral = ledger.value.get(node);
      if (deferral) later.push({ ...deferral, example: placeOf(unit, node) });
    }
  }
  // The engine asks only every few minutes: those whose time has come wait as well.
  const cooling = later.filter(({ notBeforeMs }) => notBeforeMs > nowMs);
  const told = (cooling.length > 0 ? cooling : later).sort((a, b) => a.notBeforeMs - b.notBeforeMs);
  const [first, last] = [told[0], told.at(-1)];
  return {
    deferred: first && last ? { nodes: told.length, nextAt: at(first), lastAt: at(last), ...said(first) } : null,
    checking: posts[0]
      ? { nodes: posts.length, trouble: trouble?.text ?? null, example: trouble?.example ?? posts[0] }
      : null,
    limited: await atLimit(dir, units, top),
  };
}
/** A job of a graph is a unit of its own. */
export const placeOf = (unit: string, node: string): string => (jobIndex(node) === null ? `${unit}/${node}` : node);
const MOST_LOOKS = 20;
const at = ({ notBeforeMs }: Deferral): Date => new Date(notBeforeMs);
const said = ({ reason, example }: Deferral & { example: string }) => ({ reason, example });

/** Categories that have as many in the queue as MAXJOBS lets them, by the DAG files, which the engine goes by. */
async function atLimit(dir: string, units: readonly OpenUnit[], top: Load): Promise<readonly AtLimit[]> {
  const full = async (path: string, category: AtLimit["category"], loads: readonly Load[]): Promise<AtLimit[]> => {
    if (loads.every(({ ready }) => ready === 0)) return [];
    const limit = Number(new RegExp(`^MAXJOBS ${category} (\\d+)$`, "m").exec(await readTail(path, TAIL_BYTES))?.[1]);
    const waiting = loads.reduce((sum, { ready, queued }) => sum + (queued >= limit ? ready : 0), 0);
    return waiting > 0 ? [{ category, limit, waiting }] : [];
  };
  const inUnits = (category: keyof OpenNodes["loads"]) =>
    full(
      `${dir}/${units[0]?.unit}/${UNIT.dag}`,
      category,
      units.map(({ open }) => open.loads[category]),
    );
  const found = [full(`${dir}/${TOP.dag}`, "units", [top]), ...ROLES_WITH_LIMIT.map(inUnits)];
  return (await Promise.all(found)).flat();
}
/** Groups of a graph's jobs, and which job is of which. */
export interface JobGroups {
  readonly groups: readonly { readonly name: string; readonly atOnce: number }[];
  readonly groupOf: ReadonlyMap<string, number>;
}

export async function readGroups(dir: string): Promise<JobGroups> {
  const { groups } = readPlanFile(await readText(`${dir}/${TOP.plan}`));
  const text = groups.length > 0 ? await readText(`${dir}/${TOP.dag}`) : null;
  return { groups, groupOf: limitedJobs(text ?? "") };
}

/** Those that have as many in the queue as may run at once. */
export function groupsAtLimit({ groups, groupOf }: JobGroups, nodes: readonly StatusNode[]): readonly AtLimit[] {
  const loads = groups.map(() => ({ ready: 0, queued: 0 }));
  for (const { name, state } of nodes) {
    const load = loads[groupOf.get(name) ?? -1];
    if (load && (state === "ready" || state === "queued")) load[state] += 1;
  }
  return groups.flatMap(({ name, atOnce }, at) => {
    const { ready = 0, queued = 0 } = loads[at] ?? {};
    return ready > 0 && queued >= atOnce
      ? [{ category: "group" as const, group: name, limit: atOnce, waiting: ready }]
      : [];
  });
}

/** The limits are the last lines of a DAG file. */
const TAIL_BYTES = 200;

/** What an idle node asks for, by its plan and its unit's include file; null: they do not say. */
export async function readWant(dir: string, { unit, open }: OpenUnit): Promise<Want | null> {
  const plan = readPlanFile(await readText(`${dir}/${TOP.plan}`));
  const include = (await readText(`${dir}/${unit}/${UNIT.include}`)) ?? "";
  const manifest = jobIndex(open.idle ?? "") === null ? null : await readText(`${dir}/${unit}/${UNIT.manifest}`);
  const usual =
    jobsIn(manifest ?? "", open.idle).get(open.idle ?? "")?.resources ??
    plan.resources(roleOfNode(open.idle ?? "")) ??
    plan.resources("processing");
  if (usual === null) return null;
  const memoryMb = asksOf(include, open.idle ?? "").memoryMb ?? usual.memoryMb;
  return { cpus: usual.cores, memoryMb, desiredSites: sitesIn(include).desired, bannedSites: [] };
}
