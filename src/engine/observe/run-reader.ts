import { EMPTY_TALLY } from "../../domain/dag.ts";
import type { DagId } from "../../domain/names.ts";
import { NO_WAITS, type Run, type RunObservation } from "../../domain/run.ts";
import { besideDag, TOP, UNIT } from "../../submit-dir/names.ts";
import { readPlanFile } from "../../submit-dir/plan-file.ts";
import { describeMetrics, type Metrics, verdictOf } from "../format/metrics.ts";
import { parseStatusFile } from "../format/status-file.ts";
import { complaints, lastReport, readDagEnd, readMetrics, readRunMetrics } from "./dag-end.ts";
import { FileCache, inTurns, readText } from "./files.ts";
import * as view from "./run-view.ts";
import { type OpenNodes, type OpenUnit, openNodes, readWaits } from "./waits.ts";

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
    const file = await this.cache.read(`${run.submitDir}/${STATUS}`, topIn);
    if (file.kind === "absent") return { ...nothingBegun(memory), note };
    if (file.kind === "unreadable") return keepLast(memory, note, `${STATUS} cannot be read: ${file.why}`);
    if (file.value === null) return keepLast(memory, note, `${STATUS} is incomplete`);
    const top = view.isOlderThan(file.value, since) ? view.doneOnly(file.value) : file.value;
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
      const more = verdict === "unreadable" ? await complaints(run) : [];
      const words = [describeMetrics(metrics), ...more].join("; ");
      memory.ended = { stamp, view: await this.final(run, memory, verdict, words, metrics) };
      return memory.ended.view;
    }
    const last = await lastReport(run);
    return last && this.final(run, memory, last.verdict, last.words, null);
  }

  /** For an engine that knows how a run ended although its files do not say. */
  async endedAs(run: Run, verdict: EndedView["verdict"], words: string): Promise<EndedView> {
    return this.final(run, await this.memory(run), verdict, words, null);
  }

  /** Units that finished just before the end must be found here; there is no later look. */
  private async final(
    run: Run,
    memory: Memory,
    verdict: EndedView["verdict"],
    words: string,
    metrics: Metrics | null,
  ): Promise<EndedView> {
    const since = metrics ? Math.floor(metrics.startTime) : memory.since;
    const { status, rescue, rescueFile } = await readDagEnd(run.submitDir, TOP.dag, metrics);
    let top = status ? view.topOf(status) : null;
    if (top && top.timestamp < since) top = view.doneOnly(top);
    if (rescueFile) top = top === null ? view.topOfRescue(rescueFile) : view.withDone(top, rescueFile.done);
    if (top === null) return { ...nothingBegun(memory), kind: "ended", verdict, words, rescue };
    if (verdict === "success") top = view.allDone(top);
    else await this.learnSizes(run, memory, top.units.done, Number.POSITIVE_INFINITY);
    const { queued, failed, cut, waiting } = top.units;
    const open = await inTurns([...queued, ...failed, ...cut, ...waiting], (unit) =>
      this.finalUnit(run, memory, unit, since),
    );
    const { nodes, units, ...rest } = view.tallyRun(top, open, memory.sizes, memory.planned);
    // Nothing is in the queue any more.
    const left = { ...nodes, waiting: nodes.waiting + nodes.queued, queued: 0, idle: 0, held: 0 };
    const unitsLeft = { ...units, waiting: units.waiting + units.running, running: 0 };
    return { kind: "ended", verdict, nodes: left, units: unitsLeft, ...rest, words, rescue };
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
    const file = await this.cache.read(path, (text) => {
      const status = parseStatusFile(text);
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

const plannedNodes = async (run: Run): Promise<number | null> =>
  readPlanFile(await readText(`${run.submitDir}/${TOP.plan}`)).nodes;

function topIn(text: string): view.TopView | null {
  const status = parseStatusFile(text);
  return status.complete ? view.topOf(status) : null;
}

const nothingBegun = ({ planned }: Memory): Omit<RunningView, "note"> => ({
  kind: "running",
  ...view.tallyRun(view.EMPTY_TOP, [], new Map(), planned),
  waits: NO_WAITS,
});

function keepLast(memory: Memory, note: string | null, trouble: string): RunningView {
  const words = note === null ? trouble : `${note}; ${trouble}`;
  return { ...(memory.last ?? nothingBegun(memory)), note: words };
}
