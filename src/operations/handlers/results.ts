import { eachInSlices, inSlices } from "../../core/base/slices.ts";
import { type Dag, isDagOver, isInEngine } from "../../core/dag.ts";
import { type JobState, jobStateOf } from "../../core/job-state.ts";
import { batchName, jobIndex, type RequestName, type UnitName } from "../../core/names.ts";
import type { NodeView } from "../../core/run.ts";
import { kindOf } from "../../kinds/kind.ts";
import type { Ports } from "../../loop/ports.ts";
import { type AttemptRecord, historyOf, parseLedger } from "../../recovery/ledger-record.ts";
import { type JobEntry, jobsIn } from "../../submit-dir/jobs.ts";
import { isPart, unitFolder } from "../../submit-dir/names.ts";
import { presentDag } from "./present-run.ts";
import type { ResultFilter, ResultPage, ResultRow } from "./result-port.ts";

/** A page looks at no more units than this: a search for the few that failed goes on in the next. */
const MOST_UNITS = 10_000;
/** Where nothing was found yet, it looks on: an empty page helps nobody. */
const MOST_IN_VAIN = 200_000;

/**
 * What became of every job of the present round, unit by unit; a page holds whole units, and only the manifests and ledgers
 * of those are read. null: no such request.
 */
export async function gatherResults(ports: Ports, name: RequestName, filter: ResultFilter): Promise<ResultPage | null> {
  const request = await ports.store.requests.get(name);
  if (!request) return null;
  const { workflow, dag } = await presentDag(ports.store, name);
  const mayCredit = kindOf(ports.kinds, request.spec.work).credits !== undefined;
  const credited = workflow && mayCredit ? Math.max(0, workflow.nextUnit - (dag?.roleCounts.job ?? 0)) : 0;
  const page = { round: dag?.round ?? null, credited, isLive: false, isGone: false, items: [] as ResultRow[] };
  if (!dag) return { ...page, nextCursor: null };
  if (!(await ports.spool.isComplete(dag.submitDir))) return { ...page, isGone: true, nextCursor: null };
  const recorded = workflow ? await ports.store.units.finishedNames(workflow.id) : new Set<string>();
  const live = await liveNodes(ports, dag);
  page.isLive = live !== null;
  let units = 0;
  for await (const { unit, nodes, entry, text, asks } of unitsFrom(ports, dag, filter.cursor ?? "")) {
    const most = page.items.length > 0 ? MOST_UNITS : MOST_IN_VAIN;
    if (page.items.length >= filter.limit || units >= most) return { ...page, nextCursor: unit };
    units += 1;
    for (const node of nodes) {
      const seen = rowOf(dag, unit, node, { entry, asked: asks(node), text }, live?.get(`${unit}/${node}`) ?? null);
      const row = { ...seen, state: asRecorded(seen, dag, recorded) };
      if (isWanted(row, filter)) page.items.push(row);
    }
  }
  return { ...page, nextCursor: null };
}

/** A job of a graph is a unit: done is what all counts call done. */
function asRecorded({ unit, state }: ResultRow, { status }: Dag, recorded: ReadonlySet<string>): JobState {
  if (jobIndex(unit) === null) return state;
  if (recorded.has(unit as UnitName)) return "done";
  return state === "done" ? (isDagOver(status) ? "waiting" : "running") : state;
}

const BAD: readonly JobState[] = ["failed", "blocked"];

function isWanted({ unit, node, job, state }: ResultRow, { onlyFailed, states, text }: ResultFilter): boolean {
  if (onlyFailed && !BAD.includes(state)) return false;
  if (states && !states.includes(state)) return false;
  return text === undefined || (job ?? `${unit}/${node}`).toLowerCase().includes(text.toLowerCase());
}

/** null: nothing of it is in the engine, or the engine does not answer; the ledgers tell enough. */
async function liveNodes({ engine, store }: Ports, dag: Dag): Promise<ReadonlyMap<string, NodeView> | null> {
  if (!isInEngine(dag.status)) return null;
  const found = new Map<string, NodeView>();
  // What a job does in a side run is later than what became of it in its own.
  for (const { id: dagId, submitDir, engineId } of [dag, ...(await store.dags.sidesOf([dag.id]))]) {
    const run = { dagId, submitDir, engineId, batchName: batchName(dagId), priority: 0 };
    const nodes = await engine.nodes(run).catch(() => null);
    if (nodes === null && dagId === dag.id) return null;
    const note = (view: NodeView) => void found.set(`${view.unit ?? view.node}/${view.node}`, view);
    await inSlices(eachInSlices(nodes ?? [], note));
  }
  return found;
}

interface UnitText {
  readonly unit: string;
  readonly nodes: readonly string[];
  readonly entry: JobEntry | null;
  readonly asks: (node: string) => ResultRow["asked"];
  /** Of its ledger. */
  readonly text: string;
}

/** From a unit on, folder by folder: never the names of all jobs at once. */
async function* unitsFrom({ spool }: Ports, { submitDir }: Dag, from: string): AsyncGenerator<UnitText> {
  const first = from === "" ? "" : unitFolder(from);
  for (const folder of await spool.folders(submitDir)) {
    if (isBefore(folder, first)) continue;
    const jobs = isPart(folder) ? jobsIn((await spool.manifest(submitDir, folder)) ?? "") : null;
    const units = (jobs ? [...jobs.keys()] : [folder]).filter((unit) => !isBefore(unit, from));
    for await (const { unit, text } of spool.ledgers(submitDir, units)) {
      const nodes = jobs ? [unit] : await spool.nodeNames(submitDir, unit);
      const entry = jobs?.get(unit) ?? null;
      const asks = jobs ? () => entry?.resources ?? null : await spool.asks(submitDir, unit);
      yield { unit, nodes, entry, asks, text: text ?? "" };
    }
  }
}

/** A seventh digit comes after six. */
const isBefore = (name: string, other: string): boolean =>
  name.length < other.length || (name.length === other.length && name < other);

function rowOf(
  dag: Dag,
  unit: string,
  node: string,
  { entry, asked, text }: Pick<UnitText, "entry" | "text"> & Pick<ResultRow, "asked">,
  live: NodeView | null,
): ResultRow {
  const { epoch, records } = historyOf(parseLedger(text).lines, node);
  const last = records.at(-1) ?? null;
  return {
    unit,
    node,
    job: jobIndex(unit) === null ? null : (entry?.name ?? null),
    state: stateOf(dag, last, last !== null && epoch > last.epoch, live),
    attempts: records.length,
    asked: asked && askedAfter(asked, records.at(-2)),
    last,
  };
}

/** Of an attempt that ended well nobody wrote down what it had: what the one before was raised to, or what all have. */
const askedAfter = (asked: NonNullable<ResultRow["asked"]>, before: AttemptRecord | undefined) => ({
  ...asked,
  memoryMb: before?.nextMemoryMb ?? asked.memoryMb,
  wallMinutes: before?.nextWallMinutes ?? asked.wallMinutes,
});

/** The last attempt says how a job ended; whether it waits or runs, the engine does. `isFresh`: a new budget was opened since. */
export function stateOf(
  dag: Pick<Dag, "status" | "nodes">,
  last: AttemptRecord | null,
  isFresh: boolean,
  live: Pick<NodeView, "state" | "held" | "idle" | "retries"> | null,
): JobState {
  if (last && !isFresh && last.decision !== "retry") return last.decision === "done" ? "done" : "failed";
  const now = live && jobStateOf(live);
  if (now === "blocked" || now === "held" || now === "running") return now;
  if (last && !isFresh) return isDagOver(dag.status) ? "failed" : "retrying";
  return isDagOver(dag.status) && dag.nodes.failed > 0 ? "blocked" : "waiting";
}
