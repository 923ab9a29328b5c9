import { EMPTY_TALLY, type NodeTally, runningNodes, type UnitTally } from "../../core/dag.ts";
import { isUnitName, jobIndex, type UnitName } from "../../core/names.ts";
import type { NodeState } from "../../core/run.ts";
import type { Ended } from "../../submit-dir/ended-list.ts";
import type { RescueFile } from "../format/rescue.ts";
import { isIdle, type StatusFile, type StatusNode, wasCutShort } from "../format/status-file.ts";

/** A node of the top DAG that is a work unit: a DAG of its own in a directory of that name, or a job of a graph. */
export const isUnit = isUnitName;

/** Where the DAG is a graph of jobs, what joins them counts as nothing. */
const isFlat = (names: readonly { readonly name: string }[]): boolean =>
  names.some(({ name }) => jobIndex(name) !== null);

/** The units of a run by their states. */
interface UnitLists {
  readonly done: readonly UnitName[];
  readonly failed: readonly UnitName[];
  /** In a script or in the queue. */
  readonly queued: readonly UnitName[];
  /** In the queue when the run was removed: neither done nor failed. */
  readonly cut: readonly UnitName[];
  readonly waiting: readonly UnitName[];
}
const NO_UNITS: UnitLists = { done: [], failed: [], queued: [], cut: [], waiting: [] };

/** The top DAG by the states of its nodes. */
export interface TopView {
  readonly timestamp: number;
  /** The last one its DAGMan wrote. */
  readonly last: boolean;
  readonly units: UnitLists;
  /** Of its units: in the queue, and ready to be. */
  readonly load: { readonly ready: number; readonly queued: number };
  /** Nodes of the top DAG that are no units. */
  readonly plain: NodeTally;
  /** Of a graph, whose units are its nodes: those of them in the queue; null: units have DAGs of their own. */
  readonly jobs: Pick<NodeTally, "queued" | "idle" | "held"> | null;
}
export const EMPTY_TOP: TopView = {
  timestamp: 0,
  last: true,
  units: NO_UNITS,
  load: { ready: 0, queued: 0 },
  plain: EMPTY_TALLY,
  jobs: null,
};

export function topOf(status: StatusFile): TopView {
  const units: Record<keyof UnitLists, UnitName[]> = { done: [], failed: [], queued: [], cut: [], waiting: [] };
  for (const node of status.nodes) if (isUnit(node.name)) units[unitState(node)].push(node.name);
  const isGraph = isFlat(status.nodes);
  const plain = isGraph ? EMPTY_TALLY : tallyNodes(status.nodes.filter((node) => !isUnit(node.name)));
  const jobs = isGraph ? tallyNodes(status.nodes.filter((node) => isUnit(node.name))) : null;
  const ready = status.nodes.filter(({ name, state }) => state === "ready" && isUnit(name)).length;
  const load = { ready, queued: units.queued.length };
  return { timestamp: status.timestamp, last: status.nextUpdate === 0, units, load, plain, jobs };
}

function unitState(node: StatusNode): keyof UnitLists {
  if (node.state === "done") return "done";
  if (node.state === "failed") return wasCutShort(node) ? "cut" : "failed";
  return isInProgress(node) ? "queued" : "waiting";
}

/** What a status file leaves behind without its states: a rescue file names what is done and what failed. */
export function topOfRescue(rescue: RescueFile): TopView {
  const done = [...rescue.done];
  const isGraph = [...done, ...rescue.failed].some((name) => jobIndex(name) !== null);
  const plainDone = isGraph ? 0 : done.filter((name) => !isUnit(name)).length;
  const units = { ...NO_UNITS, done: done.filter(isUnit), failed: rescue.failed.filter(isUnit) };
  const plain = { ...EMPTY_TALLY, total: plainDone, done: plainDone };
  return { ...EMPTY_TOP, units, plain, jobs: isGraph ? NO_JOBS : null };
}

const NO_JOBS = { queued: 0, idle: 0, held: 0 };

/** Written by a run before the one that was submitted at `since` (epoch seconds). */
export const isOlderThan = (top: TopView, since: number): boolean =>
  top.timestamp < since || (top.timestamp === since && top.last);

/** Nothing but what is done still holds: everything else begins again. */
export function doneOnly(top: TopView): TopView {
  const { done, failed, queued, cut, waiting } = top.units;
  const units = { ...NO_UNITS, done, waiting: [...failed, ...queued, ...cut, ...waiting] };
  return { ...top, units, load: EMPTY_TOP.load, plain: onlyDone(top.plain), jobs: top.jobs && NO_JOBS };
}

/** What was done stays done; the rest begins again. */
export const onlyDone = ({ total, done }: NodeTally): NodeTally => ({
  ...EMPTY_TALLY,
  total,
  done,
  waiting: total - done,
});

/** The verdict says every node succeeded. */
export function allDone(top: TopView): TopView {
  const { total } = top.plain;
  const units = { ...NO_UNITS, done: Object.values(top.units).flat() };
  return { ...top, units, plain: { ...EMPTY_TALLY, total, done: total }, jobs: top.jobs && NO_JOBS };
}

/** Units a rescue file lists as done are done, whatever an older status file said. */
export function withDone(top: TopView, done: ReadonlySet<string>): TopView {
  const open = (units: readonly UnitName[]): UnitName[] => units.filter((unit) => !done.has(unit));
  const { failed, queued, cut, waiting } = top.units;
  const units = {
    done: [...new Set([...top.units.done, ...[...done].filter(isUnit)])],
    failed: open(failed),
    queued: open(queued),
    cut: open(cut),
    waiting: open(waiting),
  };
  return { ...top, units };
}

/** Jobs that DAGMan takes for done, and are not: they failed, are blocked, or run again when those before them do. */
export function withEnded(top: TopView, ended: ReadonlyMap<string, Ended>): TopView {
  if (ended.size === 0) return top;
  const how = (unit: UnitName) => ended.get(unit)?.how;
  const { done, failed, waiting } = top.units;
  const units = {
    ...top.units,
    done: done.filter((unit) => !ended.has(unit)),
    failed: [...failed.filter((unit) => how(unit) !== "blocked"), ...done.filter((unit) => how(unit) === "failed")],
    waiting: [
      ...waiting,
      ...failed.filter((unit) => how(unit) === "blocked"),
      ...done.filter((unit) => how(unit) === "blocked" || how(unit) === "again"),
    ],
  };
  return { ...top, units };
}

/** Said of a node whose end DAGMan did not write down: its state is known, its retries are not. */
export const NOT_WRITTEN = "DAGMan wrote no last status";

/** A status file its DAGMan left behind unfinished, brought to what the rescue file it wrote says; nothing runs any more. */
export function completeBy(status: StatusFile, rescue: RescueFile | null): StatusFile {
  const failed = new Set(rescue?.failed);
  const stateOf = (node: StatusNode): NodeState => {
    if (rescue?.done.has(node.name)) return "done";
    if (failed.has(node.name)) return "failed";
    return isInProgress(node) || node.state === "ready" ? "waiting" : node.state;
  };
  const nodes = status.nodes.map((node) => {
    const state = stateOf(node);
    const detail = state === node.state ? node.detail : NOT_WRITTEN;
    return { ...node, state, detail, held: 0 };
  });
  return { ...status, nodes, nextUpdate: 0 };
}

export interface UnitView {
  readonly nodes: NodeTally;
  readonly changed: boolean;
}

const isInProgress = (node: StatusNode): boolean => ["pre", "queued", "post"].includes(node.state);

/** `queued` counts nodes whose job or POST is under way; a PRE script comes before the engine has the job. */
export function tallyNodes(nodes: readonly StatusNode[]): NodeTally {
  let [queued, idle, held, done, failed] = [0, 0, 0, 0, 0];
  for (const node of nodes) {
    if (node.state === "done") done++;
    else if (node.state === "queued" || node.state === "post") queued++;
    else if (node.state === "failed" && !wasCutShort(node)) failed++;
    if (node.held > 0) held++;
    else if (isIdle(node)) idle++;
  }
  const total = nodes.length;
  return { total, waiting: total - queued - done - failed, queued, idle, held, done, failed };
}

/**
 * `begun`: the units in the queue, in order, then those that failed. Inner nodes of the whole run: a done unit counts all its nodes (by the average while its size is not known),
 * a unit that has begun counts as its own status file says, the rest waits.
 */
export function tallyRun(
  top: TopView,
  begun: readonly UnitView[],
  sizes: ReadonlyMap<string, number>,
  planned: number | null,
) {
  const { units } = top;
  const unitsTotal = Object.values(units).flat().length;
  if (top.jobs) return tallyJobs(units, top.jobs, planned ?? unitsTotal);
  const known = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const average =
    planned !== null && unitsTotal > 0
      ? (planned - top.plain.total) / unitsTotal
      : sizes.size > 0
        ? known / sizes.size
        : 0;
  const total = planned ?? Math.round(known + average * Math.max(0, unitsTotal - sizes.size)) + top.plain.total;
  let { queued, idle, held, done, failed } = top.plain;
  for (const { nodes } of begun) {
    queued += nodes.queued;
    idle += nodes.idle;
    held += nodes.held;
    done += nodes.done;
    failed += nodes.failed;
  }
  let doneInUnits = 0;
  for (const unit of units.done) doneInUnits += sizes.get(unit) ?? average;
  const isAllDone = unitsTotal > 0 && units.done.length === unitsTotal && top.plain.done === top.plain.total;
  done = isAllDone ? total : Math.min(total, done + Math.round(doneInUnits));
  const running = begun.slice(0, units.queued.length).filter(({ nodes }) => runningNodes(nodes) > 0).length;
  return {
    nodes: { total, waiting: Math.max(0, total - queued - done - failed), queued, idle, held, done, failed },
    units: {
      total: unitsTotal,
      waiting: unitsTotal - running - units.done.length - units.failed.length,
      running,
      done: units.done.length,
      failed: units.failed.length,
    },
    unitsDone: units.done,
    unitsFailed: units.failed,
  };
}

export function nothingQueued({
  nodes,
  units,
  ...rest
}: ReturnType<typeof tallyRun>): typeof rest & { nodes: NodeTally; units: UnitTally } {
  const left = { ...nodes, waiting: nodes.waiting + nodes.queued, queued: 0, idle: 0, held: 0 };
  return { nodes: left, units: { ...units, waiting: units.waiting + units.running, running: 0 }, ...rest };
}

/** Of a graph: its units are its nodes. */
function tallyJobs(units: UnitLists, { queued, idle, held }: NonNullable<TopView["jobs"]>, total: number) {
  const [done, failed] = [units.done.length, units.failed.length];
  const nodes = { total, waiting: Math.max(0, total - queued - done - failed), queued, idle, held, done, failed };
  const running = runningNodes(nodes);
  return {
    nodes,
    units: { total, waiting: Math.max(0, total - running - done - failed), running, done, failed },
    unitsDone: units.done,
    unitsFailed: units.failed,
  };
}

/** The nodes a DAG file declares, in order. */
export const nodeNames = (dag: string): readonly string[] =>
  [...dag.matchAll(/^[ \t]*(?:job|subdag[ \t]+external|final)[ \t]+(\S+)/gim)].map((match) => match[1]!);
