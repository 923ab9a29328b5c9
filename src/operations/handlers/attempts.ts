import { groupBy } from "../../core/base/group-by.ts";
import type { Dag } from "../../core/dag.ts";
import { type DagId, jobIndex, type RequestName, type WorkflowId } from "../../core/names.ts";
import type { Ports } from "../../loop/ports.ts";
import { type EpochRecord, isAttempt, type Ledger, parseLedger, scriptsOf } from "../../recovery/ledger-record.ts";
import { jobsIn } from "../../submit-dir/jobs.ts";
import { unitFolder } from "../../submit-dir/names.ts";
import type { AttemptFilter, AttemptPage } from "./port.ts";

/** A page looks at no more ledgers than this: a search for one node among very many goes on in the next. */
const MOST_LEDGERS = 2000;

/**
 * What became of every attempt, as the ledgers in the submit directories tell it: newest round first, then unit by
 * unit; within a unit node by node, oldest attempt first. A page holds whole units.
 */
export async function gatherAttempts(
  ports: Ports,
  name: RequestName,
  filter: AttemptFilter,
): Promise<AttemptPage | null> {
  if (!(await ports.store.requests.get(name))) return null;
  const workflow = await ports.store.workflows.forRequest(name);
  const dirs = workflow ? await directories(ports, workflow.id) : [];
  const wanted = unitAndNode(filter);
  const page: AttemptPage = { items: [], epochs: [], said: [], unreadable: [], gone: [], nextCursor: null };
  const from = readCursor(filter.cursor);
  let ledgers = 0;
  for (const dir of dirs) {
    if (from && dir.round > from.round) continue;
    if (!(await ports.spool.isComplete(dir.submitDir))) {
      page.gone.push(dir.submitDir);
      continue;
    }
    const units = await ports.spool.unitNames(dir.submitDir);
    const actions = await saidOf(ports, dir);
    const names = await ports.spool.jobNames(dir.submitDir);
    const planned = plannedSizes(ports);
    const only = { unit: wanted.unit && names.nodeOf(wanted.unit), node: wanted.node && names.nodeOf(wanted.node) };
    const start = from !== null && dir.round === from.round ? Math.max(0, units.indexOf(from.unit)) : 0;
    const shown = units.slice(start).filter((unit) => only.unit === null || unit === only.unit);
    for await (const { unit, text } of ports.spool.ledgers(dir.submitDir, shown)) {
      if (page.items.length >= filter.limit || ledgers >= MOST_LEDGERS)
        return { ...page, nextCursor: `${dir.round}:${unit}` };
      ledgers += 1;
      const before = page.items.length;
      readUnit(parseLedger(text ?? "?"), dir, unit, only.node, page, names.nameOf(unit));
      await tellAsked(page.items, before, planned(dir.submitDir, unit));
      page.said.push(...(actions.get(unit) ?? []).filter(({ node }) => only.node === null || node === only.node));
    }
  }
  return page;
}

/** POST notes what a failed attempt had asked for; one that went well had what the last one was given, or what was planned. */
async function tellAsked(
  items: AttemptPage["items"],
  from: number,
  planned: () => Promise<(node: string) => { readonly memoryMb: number } | null>,
): Promise<void> {
  for (const [at, item] of items.entries()) {
    if (at < from || item.record.memoryMb !== null) continue;
    const last = items.slice(from, at).findLast(({ record }) => record.node === item.record.node)?.record;
    const memoryMb = last?.nextMemoryMb ?? last?.memoryMb ?? (await planned())(item.record.node)?.memoryMb ?? null;
    items[at] = { ...item, record: { ...item.record, memoryMb } };
  }
}

/** What nodes were planned to ask for; the jobs of a graph share a file, which is read once. */
function plannedSizes({ spool }: Ports) {
  let part = { folder: "", jobs: jobsIn("") };
  const load = async (submitDir: string, unit: string) => {
    if (jobIndex(unit) === null) return spool.asks(submitDir, unit);
    const folder = unitFolder(unit);
    if (part.folder !== folder) part = { folder, jobs: jobsIn((await spool.manifest(submitDir, unit)) ?? "") };
    return (node: string) => part.jobs.get(node)?.resources ?? null;
  };
  return (submitDir: string, unit: string) => {
    let loaded: ReturnType<typeof load> | null = null;
    return () => {
      loaded ??= load(submitDir, unit);
      return loaded;
    };
  };
}

type Said = AttemptPage["said"][number];
interface Directory extends Pick<Dag, "submitDir" | "round"> {
  readonly dags: readonly DagId[];
}

/** Rescues run in the directory of their round: each is read once. */
async function directories(ports: Ports, workflowId: WorkflowId): Promise<readonly Directory[]> {
  const dags = groupBy(await ports.store.dags.ofWorkflow(workflowId), ({ submitDir }) => submitDir);
  return [...dags]
    .map(([submitDir, of]) => ({ submitDir, round: of[0]?.round ?? 0, dags: of.map(({ id }) => id) }))
    .sort((a, b) => b.round - a.round);
}

const MEANS: Readonly<Record<string, string>> = { retry: "to be tried again", fail: "given up" };

/** How attempts were answered, by the store: classified, or asked for one more. What a resubmit did is in the ledger. */
async function saidOf({ store }: Ports, { dags, round }: Directory): Promise<ReadonlyMap<string, readonly Said[]>> {
  const actions = (await Promise.all(dags.map((id) => store.nodeActions.list(id)))).flat();
  const said = actions.flatMap(({ kind, unit, node, actor: by, reason, createdAt }): Said[] => {
    const what = MEANS[kind];
    return what === undefined ? [] : [{ round, unit, node, at: createdAt.toISOString(), by, what, reason }];
  });
  return groupBy(said, ({ unit }) => unit);
}

function unitAndNode({ unit, node }: AttemptFilter): { unit: string | null; node: string | null } {
  const [, within, name] = /^([^/:]+)[/:]([^/:]+)$/.exec(node ?? "") ?? [];
  return { unit: unit ?? within ?? null, node: name ?? node ?? null };
}

/** Where the page before ended: "round:unit", the unit that comes next. */
function readCursor(cursor: string | undefined): { round: number; unit: string } | null {
  const [round = "", unit = ""] = cursor?.split(":", 2) ?? [];
  return cursor === undefined ? null : { round: Number(round), unit };
}

const NOTED: Readonly<Record<string, string>> = { "retry-now": "retried now", left: "round closed" };

function readUnit(
  { lines, problems }: Ledger,
  { round }: Pick<Dag, "round">,
  unit: string,
  node: string | null,
  page: AttemptPage,
  job: string | null,
): void {
  const attempts = lines.filter(isAttempt).filter((record) => node === null || record.node === node);
  const scriptOf = scriptsOf(lines);
  // Nodes in the order in which they first appear, the attempts of each together.
  for (const record of [...groupBy(attempts, (record) => record.node).values()].flat())
    page.items.push({ round, unit, ...(job !== null && { job }), record, script: scriptOf(record) });
  for (const record of lines.filter((line): line is EpochRecord => line.event === "epoch" && "epoch" in line))
    if (node === null || (record.nodes?.includes(node) ?? true)) page.epochs.push({ round, unit, record });
  for (const line of lines) {
    const what = NOTED[line.event];
    if (what === undefined || !("note" in line)) continue;
    const {
      nodes = [null],
      by = "wms2",
      reason = "",
    } = line.note as { nodes?: string[]; by?: string; reason?: string };
    for (const each of nodes)
      if (node === null || each === null || each === node)
        page.said.push({ round, unit, node: each, at: line.at, by, what, reason });
  }
  for (const { line, message } of problems) page.unreadable.push({ unit, line, message });
}
