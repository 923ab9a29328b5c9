import { EMPTY_TALLY, type NodeTally, type UnitTally } from "../../domain/dag.ts";
import type { UnitName } from "../../domain/names.ts";
import type { NodeState } from "../../domain/run.ts";
import type { RescueFile } from "./rescue.ts";
import { type StatusFile, type StatusNode, wasCutShort } from "./status-file.ts";

/** A node of the top DAG that is a work unit (its own DAG in a directory of that name). */
export const isUnit = (name: string): name is UnitName => /^mg_\d{6,}$/.test(name);

type TopFields = Pick<
  TopView,
  "timestamp" | "last" | "unitsDone" | "unitsFailed" | "unitsQueued" | "unitsCut" | "unitsWaiting" | "plain"
>;

/** The top DAG by the states of its nodes. Immutable; the same file gives the same object. */
export class TopView {
  readonly timestamp: number;
  /** The last one its DAGMan wrote. */
  readonly last: boolean;
  readonly unitsDone: readonly UnitName[];
  readonly unitsFailed: readonly UnitName[];
  /** In a script or in the queue. */
  readonly unitsQueued: readonly UnitName[];
  /** In the queue when the run was removed: neither done nor failed. */
  readonly unitsCut: readonly UnitName[];
  readonly unitsWaiting: readonly UnitName[];
  /** Nodes of the top DAG that are no units. */
  readonly plain: NodeTally;
  private done: TopView | null = null;

  private constructor(fields: TopFields) {
    this.timestamp = fields.timestamp;
    this.last = fields.last;
    this.unitsDone = fields.unitsDone;
    this.unitsFailed = fields.unitsFailed;
    this.unitsQueued = fields.unitsQueued;
    this.unitsCut = fields.unitsCut;
    this.unitsWaiting = fields.unitsWaiting;
    this.plain = fields.plain;
  }

  static of(status: StatusFile): TopView {
    const units = status.nodes.filter((node) => isUnit(node.name));
    const named = (keep: (node: StatusNode) => boolean): UnitName[] =>
      units.filter(keep).map((node) => node.name as UnitName);
    return new TopView({
      timestamp: status.timestamp,
      last: status.nextUpdate === 0,
      unitsDone: named((node) => node.state === "done"),
      unitsFailed: named((node) => node.state === "failed" && !wasCutShort(node)),
      unitsQueued: named((node) => isInProgress(node)),
      unitsCut: named(wasCutShort),
      unitsWaiting: named((node) => ["waiting", "ready", "futile"].includes(node.state)),
      plain: tallyNodes(status.nodes.filter((node) => !isUnit(node.name))),
    });
  }

  /** What a status file leaves behind without its states: a rescue file names what is done and what failed. */
  static ofRescue(rescue: RescueFile): TopView {
    const done = [...rescue.done];
    const plainDone = done.filter((name) => !isUnit(name)).length;
    return new TopView({
      timestamp: 0,
      last: true,
      unitsDone: done.filter(isUnit),
      unitsFailed: rescue.failed.filter(isUnit),
      unitsQueued: [],
      unitsCut: [],
      unitsWaiting: [],
      plain: { ...EMPTY_TALLY, total: plainDone, done: plainDone },
    });
  }

  get unitsTotal(): number {
    const { unitsDone, unitsFailed, unitsQueued, unitsCut, unitsWaiting } = this;
    return unitsDone.length + unitsFailed.length + unitsQueued.length + unitsCut.length + unitsWaiting.length;
  }

  /** Written by a run before the one that was submitted at `since` (epoch seconds). */
  isOlderThan(since: number): boolean {
    return this.timestamp < since || (this.timestamp === since && this.last);
  }

  /** Nothing but what is done still holds: everything else begins anew. */
  doneOnly(): TopView {
    const waiting = this.plain.total - this.plain.done;
    this.done ??= new TopView({
      ...this.bare(),
      unitsFailed: [],
      unitsQueued: [],
      unitsCut: [],
      unitsWaiting: [...this.unitsFailed, ...this.unitsQueued, ...this.unitsCut, ...this.unitsWaiting],
      plain: { ...EMPTY_TALLY, total: this.plain.total, waiting, done: this.plain.done },
    });
    return this.done;
  }

  /** The verdict says every node succeeded. */
  allDone(): TopView {
    const rest = this.doneOnly();
    const plain = { ...EMPTY_TALLY, total: rest.plain.total, done: rest.plain.total };
    return new TopView({
      ...rest.bare(),
      unitsDone: [...rest.unitsDone, ...rest.unitsWaiting],
      unitsWaiting: [],
      plain,
    });
  }

  /** Units a rescue file lists as done are done, whatever an older status file said. */
  withDone(done: ReadonlySet<string>): TopView {
    const has = new Set<string>(this.unitsDone);
    const more = [...done].filter((name): name is UnitName => isUnit(name) && !has.has(name));
    if (more.length === 0) return this;
    const open = (units: readonly UnitName[]): UnitName[] => units.filter((unit) => !done.has(unit));
    return new TopView({
      ...this.bare(),
      unitsDone: [...this.unitsDone, ...more],
      unitsFailed: open(this.unitsFailed),
      unitsQueued: open(this.unitsQueued),
      unitsCut: open(this.unitsCut),
      unitsWaiting: open(this.unitsWaiting),
    });
  }

  private bare(): TopFields {
    return this;
  }
}

/** Said of a node whose end DAGMan did not write down: its state is known, its retries are not. */
export const NOT_WRITTEN = "DAGMan wrote no last status";

/** A status file its DAGMan left behind unfinished, brought to what the rescue file it wrote says; nothing runs any more. */
export function settle(status: StatusFile, rescue: RescueFile | null): StatusFile {
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
  readonly unit: string;
  readonly nodes: NodeTally;
  readonly changed: boolean;
}

const isInProgress = (node: StatusNode): boolean => ["pre", "queued", "post"].includes(node.state);

/** `queued` counts nodes whose job or POST is under way; a PRE script comes before the engine has the job. */
export function tallyNodes(nodes: readonly StatusNode[]): NodeTally {
  let [queued, held, done, failed] = [0, 0, 0, 0];
  for (const node of nodes) {
    if (node.state === "done") done++;
    else if (node.state === "queued" || node.state === "post") queued++;
    else if (node.state === "failed" && !wasCutShort(node)) failed++;
    if (node.held > 0) held++;
  }
  const total = nodes.length;
  return { total, waiting: total - queued - done - failed, queued, held, done, failed };
}

export interface Tallies {
  readonly nodes: NodeTally;
  readonly units: UnitTally;
  readonly unitsDone: readonly UnitName[];
  readonly unitsFailed: readonly UnitName[];
}

/**
 * Inner nodes of the whole run: a done unit counts all its nodes (by the average while its size is not known),
 * a unit that has begun counts as its own status file says, the rest waits.
 */
export function tallyRun(
  top: TopView,
  begun: readonly UnitView[],
  sizes: ReadonlyMap<string, number>,
  planned: number | null,
): Tallies {
  const unitsTotal = top.unitsTotal;
  const known = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const average =
    planned !== null && unitsTotal > 0
      ? (planned - top.plain.total) / unitsTotal
      : sizes.size > 0
        ? known / sizes.size
        : 0;
  const total = planned ?? Math.round(known + average * Math.max(0, unitsTotal - sizes.size)) + top.plain.total;
  let { queued, held, done, failed } = top.plain;
  for (const { nodes } of begun) {
    queued += nodes.queued;
    held += nodes.held;
    done += nodes.done;
    failed += nodes.failed;
  }
  let doneInUnits = 0;
  for (const unit of top.unitsDone) doneInUnits += sizes.get(unit) ?? average;
  const allDone = unitsTotal > 0 && top.unitsDone.length === unitsTotal && top.plain.done === top.plain.total;
  done = allDone ? total : Math.min(total, done + Math.round(doneInUnits));
  return {
    nodes: { total, waiting: Math.max(0, total - queued - done - failed), queued, held, done, failed },
    units: {
      total: unitsTotal,
      waiting: top.unitsWaiting.length + top.unitsCut.length,
      running: top.unitsQueued.length,
      done: top.unitsDone.length,
      failed: top.unitsFailed.length,
    },
    unitsDone: top.unitsDone,
    unitsFailed: top.unitsFailed,
  };
}

/** The nodes a DAG file declares, in order. */
export function nodeNames(dag: string): readonly string[] {
  const names: string[] = [];
  const declaration = /^[ \t]*(?:job|subdag[ \t]+external|final)[ \t]+(\S+)/gim;
  for (let match = declaration.exec(dag); match; match = declaration.exec(dag)) names.push(match[1]!);
  return names;
}
