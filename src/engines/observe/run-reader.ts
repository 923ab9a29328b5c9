import { inSlices } from "../../core/base/slices.ts";
import { EMPTY_TALLY } from "../../core/dag.ts";
import type { DagId } from "../../core/names.ts";
import { NO_WAITS, type Run, type RunObservation } from "../../core/run.ts";
import { endedIn } from "../../submit-dir/ended-list.ts";
import { besideDag, TOP, UNIT } from "../../submit-dir/names.ts";
import { readPlanFile } from "../../submit-dir/plan-file.ts";
import { describeMetrics, isEngineError, type Metrics, verdictOf } from "../format/metrics.ts";
import { parseStatusInSlices, type StatusNode } from "../format/status-file.ts";
import { complaints, lastReport, readDagEnd, readMetrics, readRunMetrics } from "./dag-end.ts";
import { FileCache, inTurns, readText } from "./files.ts";
import * as view from "./run-view.ts";
import {
  groupsAtLimit,
  type JobGroups,
  type OpenNodes,
  type OpenUnit,
  openJobs,
  openNodes,
  readGroups,
  readWaits,
} from "./waits.ts";

export type RunningView = Extract<RunObservation, { kind: "running" }>;
type EndedView = Extract<RunObservation, { kind: "ended" }>;

/** Done units whose size is not yet known are counted by the average; so many are looked up per visit. */
const SIZES_PER_VISIT = 20;
/** A look at one run alone in between must not make the next look at all of them expensive. */
const ROUNDS_KEPT = 10;
const STATUS = besideDag(TOP.dag, "status");

interface Memory {
  /** Inner nodes of the whole run, from plan.json; null: it does not say. */
  readonly planned: number | null;
  /** Of a graph, from there and workflow.dag; null: not yet needed. */
  groups: JobGroups | null;
  /** The top DAG's status file as last read: the same object while the file does not change. */
  top: view.TopView | null;
  /** Nodes in a unit, counted once in its group.dag. */
  readonly sizes: Map<string, number>;
  /** Units whose group.dag cannot be read: not asked again. */
  readonly unknowable: Set<string>;
  last: RunningView | null;
  idle: OpenUnit | null;
  ended: { stamp: string; view: EndedView } | null;
  since: number;
  usedIn: number;
}

/**
 * Reads the bookkeeping files both engines leave in a submit directory and turns them into pieces of an observation. It keeps what it
 * read by (inode, mtime, size): an unchanged run costs one stat, plus one per unit that is running. It never decides whether a run is
 * alive: the engine knows that, and asks `running` or `ended`.
 *
 * A file that cannot be read or was cut is not a failure: the last good view stays, with a note.
 */
export class RunReader {
  private readonly cache = new FileCache();
  private readonly memories = new Map<DagId, Memory>();
  private readonly nowMs: () => number;
  private round = 0;

  constructor(nowMs: () => number = Date.now) {
    this.nowMs = nowMs;
  }

  /**
   * `submittedAt` (epoch seconds; null: as last told) is when this run was submitted: a status file of an earlier run of the same DAG is older. From such a
   * file only what was done is taken, which a rescue does not do again.
   */
  async running(run: Run, submittedAt: number | null, note: string | null = null): Promise<RunningView> {
    const memory = await this.memory(run);
    if (submittedAt !== null && submittedAt !== memory.since) {
      memory.since = submittedAt;
      memory.top = null;
    }
    const { since } = memory;
    const file = await this.cache.read(`${run.submitDir}/${STATUS}`, (text) => inSlices(topIn(text)));
    if (file.kind === "absent") return { ...nothingBegun(memory), note };
    if (file.kind === "unreadable") return keepLast(memory, note, `${STATUS} cannot be read: ${file.why}`);
    if (file.value === null) return keepLast(memory, note, `${STATUS} is incomplete`);
    const top = view.isOlderThan(file.value, since) ? view.doneOnly(file.value) : file.value;
    if (top.jobs) return this.graph(run, memory, file.value, top, note);
    const { done, failed, queued } = top.units;
    const lives = await inTurns(queued, (unit) => this.unit(run, memory, unit, since));
    const open = queued.flatMap((unit, at): OpenUnit[] => (lives[at]?.open ? [{ unit, open: lives[at].open }] : []));
    memory.idle = open.find(({ open }) => open.idle !== null) ?? null;
    const waits = { ...NO_WAITS, ...(await readWaits(this.cache, run.submitDir, open, top.load, this.nowMs())) };
    const unchanged = memory.last !== null && memory.top === file.value && !lives.some((live) => live.changed);
    if (unchanged && memory.sizes.size + memory.unknowable.size >= done.length) {
      return { ...memory.last!, note, waits };
    }
    await this.learnSizes(run, memory, [...done, ...failed]);
    const ends = await inTurns(failed, (unit) => this.unit(run, memory, unit, since));
    memory.top = file.value;
    memory.last = {
      kind: "running",
      ...view.tallyRun(top, [...lives, ...ends], memory.sizes, memory.planned),
      note,
      waits,
    };
    return memory.last;
  }

  /** A graph is one DAG: all there is to know of its jobs stands in one file. */
  private async graph(
    run: Run,
    memory: Memory,
    file: TopFile | null,
    top: view.TopView,
    note: string | null,
  ): Promise<RunningView> {
    const open = file === top ? (file?.open ?? []) : [];
    const ended = await this.cache.read(`${run.submitDir}/${TOP.ended}`, endedIn);
    memory.idle = open.find(({ open }) => open.idle !== null) ?? null;
    const found = await readWaits(this.cache, run.submitDir, open, top.load, this.nowMs());
    const queue = file === top ? (file?.queue ?? []) : [];
    if (memory.groups === null && queue.some(({ state }) => state === "ready"))
      memory.groups = await readGroups(run.submitDir);
    const limited = memory.groups === null ? [] : groupsAtLimit(memory.groups, queue);
    const waits = { ...NO_WAITS, ...found, limited: [...found.limited, ...limited] };
    const isNew = ended.kind === "value" && ended.fresh;
    if (memory.last !== null && memory.top === file && !isNew) return { ...memory.last, note, waits };
    memory.top = file;
    const seen = ended.kind === "value" ? view.withEnded(top, ended.value) : top;
    memory.last = { kind: "running", ...view.tallyRun(seen, [], memory.sizes, memory.planned), note, waits };
    return memory.last;
  }

  /** A node of the run that had no place to run at the last look. */
  idleNode = (run: Run): OpenUnit | null => this.memories.get(run.dagId)?.idle ?? null;

  /**
   * How a run that the engine no longer has ended; null when its files do not say. Only metrics of this very
   * run (`dagman_id`) count: the file is overwritten by each run of the DAG.
   */
  async ended(run: Run): Promise<EndedView | null> {
    const memory = await this.memory(run);
    const stamp = `${run.engineId} ${await this.cache.stamp(`${run.submitDir}/${besideDag(TOP.dag, "metrics")}`)}`;
    if (memory.ended !== null && memory.ended.stamp === stamp) return memory.ended.view;
    const metrics = await readRunMetrics(run);
    if (metrics) {
      const verdict = verdictOf(metrics);
      const more = verdict === "unreadable" || isEngineError(metrics) ? await complaints(run) : [];
      const text = [describeMetrics(metrics), ...more].filter(Boolean).join(": ");
      memory.ended = { stamp, view: await this.final(run, memory, verdict, text, metrics) };
      return memory.ended.view;
    }
    const last = await lastReport(run);
    return last && this.final(run, memory, last.verdict, last.text, null);
  }

  /** For an engine that knows how a run ended although its files do not say. */
  async endedAs(run: Run, verdict: EndedView["verdict"], text: string): Promise<EndedView> {
    return this.final(run, await this.memory(run), verdict, text, null);
  }

  /** Units that finished just before the end must be found here; there is no later look. */
  private async final(
    run: Run,
    memory: Memory,
    verdict: EndedView["verdict"],
    text: string,
    metrics: Metrics | null,
  ): Promise<EndedView> {
    const since = metrics ? Math.floor(metrics.startTime) : memory.since;
    const { status, rescue, rescueFile } = await readDagEnd(run.submitDir, TOP.dag, metrics);
    let top = status ? view.topOf(status) : null;
    if (top && top.timestamp < since) top = view.doneOnly(top);
    if (rescueFile) top = top === null ? view.topOfRescue(rescueFile) : view.withDone(top, rescueFile.done);
    if (top === null) return { ...nothingBegun(memory), kind: "ended", verdict, text, rescue };
    if (verdict === "success") top = view.allDone(top);
    else if (top.jobs === null) await this.learnSizes(run, memory, top.units.done, Number.POSITIVE_INFINITY);
    if (top.jobs) return this.finalGraph(run, memory, { verdict, text, rescue }, top);
    const { queued, failed, cut, waiting } = top.units;
    const open = await inTurns([...queued, ...failed, ...cut, ...waiting], (unit) =>
      this.finalUnit(run, memory, unit, since),
    );
    const seen = view.tallyRun(top, open, memory.sizes, memory.planned);
    return { kind: "ended", verdict, text, rescue, ...view.nothingQueued(seen) };
  }

  /** DAGMan was not told of jobs that failed while others waited for their end: without them it is no success. */
  private async finalGraph(
    run: Run,
    memory: Memory,
    end: Pick<EndedView, "verdict" | "text" | "rescue">,
    top: view.TopView,
  ): Promise<EndedView> {
    const ended = endedIn((await readText(`${run.submitDir}/${TOP.ended}`)) ?? "");
    const seen = view.tallyRun(view.withEnded(top, ended), [], memory.sizes, memory.planned);
    const isPartial = end.verdict === "success" && ended.size > 0;
    return { kind: "ended", ...end, ...(isPartial && { verdict: "failed" }), ...view.nothingQueued(seen) };
  }

  /** Once per round of looks: forgets, after some rounds, what was not asked about. */
  keepOnly(runs: Iterable<Run>): void {
    this.round++;
    for (const run of runs) {
      const memory = this.memories.get(run.dagId);
      if (memory) memory.usedIn = this.round;
    }
    for (const [id, memory] of this.memories) {
      if (memory.usedIn < this.round - ROUNDS_KEPT) this.memories.delete(id);
    }
    this.cache.sweep(ROUNDS_KEPT);
  }

  private async memory(run: Run): Promise<Memory> {
    let memory = this.memories.get(run.dagId);
    if (!memory) {
      memory = {
        planned: await plannedNodes(run),
        groups: null,
        top: null,
        sizes: new Map(),
        unknowable: new Set(),
        last: null,
        idle: null,
        ended: null,
        since: 0,
        usedIn: this.round,
      };
      this.memories.set(run.dagId, memory);
    }
    return memory;
  }

  /** A unit as its own status file shows it; a file of an earlier run counts as not begun. */
  private async unit(run: Run, memory: Memory, unit: string, since: number): Promise<LiveUnit> {
    const path = `${run.submitDir}/${unit}/${besideDag(UNIT.dag, "status")}`;
    const file = await this.cache.read(path, async (text) => {
      const status = await inSlices(parseStatusInSlices(text));
      if (!status.complete) return null;
      return { timestamp: status.timestamp, nodes: view.tallyNodes(status.nodes), open: openNodes(status.nodes) };
    });
    const tally = file.kind === "value" ? file.value : null;
    const changed = file.kind !== "value" || file.fresh;
    if (tally && tally.timestamp >= since) {
      memory.sizes.set(unit, tally.nodes.total);
      return { nodes: tally.nodes, open: tally.open, changed };
    }
    if (tally) return { nodes: view.onlyDone(tally.nodes), changed };
    await this.learnSizes(run, memory, [unit]);
    const total = memory.sizes.get(unit) ?? 0;
    return { nodes: { ...EMPTY_TALLY, total, waiting: total }, changed };
  }

  private async finalUnit(run: Run, memory: Memory, unit: string, since: number): Promise<view.UnitView> {
    const dir = `${run.submitDir}/${unit}`;
    const { status } = await readDagEnd(dir, UNIT.dag, await readMetrics(dir, UNIT.dag));
    if (status === null) return this.unit(run, memory, unit, since);
    memory.sizes.set(unit, status.nodes.length);
    const nodes = view.tallyNodes(status.nodes);
    return { nodes: status.timestamp >= since ? nodes : view.onlyDone(nodes), changed: true };
  }

  private async learnSizes(run: Run, memory: Memory, units: readonly string[], limit = SIZES_PER_VISIT): Promise<void> {
    const unknown = units.filter((unit) => !memory.sizes.has(unit) && !memory.unknowable.has(unit)).slice(0, limit);
    await inTurns(unknown, async (unit) => {
      const dag = await readText(`${run.submitDir}/${unit}/${UNIT.dag}`);
      if (dag === null) memory.unknowable.add(unit);
      else memory.sizes.set(unit, view.nodeNames(dag).length);
    });
  }
}

interface LiveUnit extends view.UnitView {
  /** Absent: its DAGMan has said nothing yet. */
  readonly open?: OpenNodes;
}

const plannedNodes = async ({ submitDir }: Run): Promise<number | null> =>
  readPlanFile(await readText(`${submitDir}/${TOP.plan}`)).nodes;

/** With the nodes that may wait, where they are nodes of this DAG. */
interface TopFile extends view.TopView {
  readonly open: readonly OpenUnit[];
  readonly queue: readonly StatusNode[];
}
function* topIn(text: string): Generator<undefined, TopFile | null> {
  const status = yield* parseStatusInSlices(text);
  if (!status.complete) return null;
  yield;
  const top = view.topOf(status);
  yield;
  const isWaiting = ({ state }: StatusNode) => state === "ready" || state === "queued";
  return {
    ...top,
    open: top.jobs ? openJobs(status.nodes) : [],
    queue: top.jobs ? status.nodes.filter(isWaiting) : [],
  };
}

const nothingBegun = ({ planned }: Memory): Omit<RunningView, "note"> => ({
  kind: "running",
  ...view.tallyRun(view.EMPTY_TOP, [], new Map(), planned),
  waits: NO_WAITS,
});

function keepLast(memory: Memory, note: string | null, trouble: string): RunningView {
  const text = note === null ? trouble : `${note}; ${trouble}`;
  return { ...(memory.last ?? nothingBegun(memory)), note: text };
}
