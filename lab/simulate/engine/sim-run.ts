import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { jobIndex, type UnitName } from "../../../src/core/names.ts";
import { NO_WAITS, type NodeState, type Run, type RunObservation, type RunVerdict } from "../../../src/core/run.ts";
import { Texts } from "../../../src/engines/dag/dag-files.ts";
import type { LoadedDag } from "../../../src/engines/dag/dag-load.ts";
import { DagRecord, writeRescue } from "../../../src/engines/dag/dag-record.ts";
import { DagRun, type DagSetup } from "../../../src/engines/dag/dag-run.ts";
import type { JobSpec } from "../../../src/engines/dag/job-spec.ts";
import type { DagMachine, DagOutcome, LiveNode } from "../../../src/engines/dag/machine.ts";
import type { ProgramExit, ScriptCall, ScriptRunner } from "../../../src/engines/dag/runner.ts";
import type { Policy } from "../../../src/recovery/policy.ts";
import { endedIn } from "../../../src/submit-dir/ended-list.ts";
import { TOP, unitFolder } from "../../../src/submit-dir/names.ts";
import { readIfThere } from "../../../src/submit-dir/post/disk.ts";
import type { Planned, VirtualTime } from "../virtual-time.ts";
import type { EngineWatch } from "../watch-engine.ts";
import type { Beginning, Ending } from "./outcome.ts";
import { ScriptedRunner } from "./scripted-runner.ts";
import { SimUnit, type UnitEnd } from "./sim-unit.ts";
import type { SitePool } from "./site-pool.ts";
import { countNodes, policyIn, requestIn } from "./submit-dir.ts";

/** What runs and units share: the time, the sites, how things end, and who listens. */
export interface Host {
  readonly time: VirtualTime;
  readonly sites: SitePool;
  readonly outcomeOf: (begun: Beginning) => Ending;
  /** Hears what happens in the engine while nobody asks it. */
  readonly listener: EngineWatch;
}

type Counts = Pick<Extract<RunObservation, { kind: "ended" }>, "nodes" | "units" | "unitsDone" | "unitsFailed">;

/** Scripts and submissions take no time here. */
const NO_LIMITS = { maxJobs: 0, maxPre: 0, maxPost: 0 };
/** Whoever could still write leaves a rescue file. */
const WITH_RESCUE: readonly RunVerdict[] = ["failed", "aborted", "removed", "halted"];

/** A DAG in the simulated engine: the executor of the local engine, with jobs and scripts that only pretend. */
export class SimRun extends DagRecord implements ScriptRunner {
  readonly run: Run;
  readonly request: string;
  readonly policy: Policy;
  readonly host: Host;
  readonly runner: ScriptedRunner;
  ended: { readonly verdict: RunVerdict; readonly text: string } | null = null;
  isStopping = false;
  writesRescues = true;
  readonly #rescueUsed: number;
  readonly #dag: DagRun;
  /** Of a graph: its jobs, which are its units. */
  readonly #jobs: readonly LiveNode[];
  /** By their directories; of a graph, what its jobs share. */
  readonly #units = new Map<string, SimUnit>();
  /** Scripts that wait, by their ids. */
  readonly #waiting = new Map<number, { planned: Planned; onEnd: (exit: ProgramExit) => void }>();
  /** Nodes of all units, and how those of units that are not live stand. */
  #nodesTotal = 0;
  readonly #past = { done: 0, failed: 0 };

  constructor(run: Run, loaded: LoadedDag, host: Host, nextId: () => number) {
    super();
    const { submitDir: cwd, batchName, priority } = run;
    this.run = run;
    this.request = requestIn(cwd);
    this.policy = policyIn(cwd);
    this.host = host;
    const unitOf = ({ initialDir }: JobSpec) => this.#units.get(initialDir) as SimUnit;
    this.runner = new ScriptedRunner(host.time, host.sites, {
      placed: (job, site) => unitOf(job).placed(job, site),
      begins: (job, site, serial) => unitOf(job).begins(job, site, serial),
    });
    const world = {
      jobs: this.runner,
      scripts: this,
      outbox: { log: () => {}, after: (act: () => void) => act(), schedule: () => {}, trouble: null },
      texts: new Texts(),
      time: host.time,
      nextId,
      recordOf: (setup: DagSetup) => this.#recordOf(setup),
    };
    const path = join(cwd, TOP.dag);
    const setup = { id: nextId(), parentId: "", path, cwd, batchName, priority, limits: null, paused: false };
    this.#dag = new DagRun(world, setup, () => this.#finished());
    this.#rescueUsed = loaded.rescue;
    this.#dag.load({ ...loaded, limits: NO_LIMITS });
    this.#jobs = this.#machine.nodes.filter(({ spec }) => jobIndex(spec.name) !== null);
    for (const folder of new Set(this.#jobs.map(({ spec }) => unitFolder(spec.name)))) {
      const part = new SimUnit(folder, join(cwd, folder), this);
      this.#units.set(join(cwd, folder), part);
      part.open(this.#machine, 0);
    }
    for (const { name, done } of this.#jobs.length > 0 ? [] : loaded.dag.nodes) {
      const nodes = countNodes(join(cwd, name));
      this.#nodesTotal += nodes;
      if (done) this.#past.done += nodes;
    }
  }

  #recordOf({ parentId, cwd }: DagSetup): DagRecord {
    if (parentId === "") return this;
    const unit = new SimUnit(basename(cwd), cwd, this);
    this.#units.set(cwd, unit);
    return unit;
  }

  get #machine(): DagMachine {
    return this.#dag.machine as DagMachine;
  }
  get unitCount(): number {
    return this.#jobs.length || this.#machine.nodes.length;
  }

  /** Not in the moment of its submission. */
  beginsIn(seconds: number): void {
    const start = () => !this.ended && this.#dag.start();
    this.host.time.after(seconds, () => this.runner.whenHeard(start));
  }

  override end({ word }: DagOutcome): void {
    if (word !== "success" && this.writesRescues)
      writeRescue(this.#dag.setup.path, this.#rescueUsed, this.host.time.now(), this.#machine.nodes);
  }

  /** Ends at once, whatever is under way. A DAGMan that is lost writes no rescue, but its nodes.log says the same to the next one. */
  endAs(verdict: RunVerdict, text: string): void {
    if (this.ended) return;
    this.ended = { verdict, text };
    this.writesRescues = (WITH_RESCUE.includes(verdict) || verdict === "lost") && existsSync(this.run.submitDir);
    this.#dag.remove();
    this.host.listener.runEnded(this, verdict, text);
  }

  #finished(): void {
    const { nodes, counts, outcome } = this.#machine;
    const culprit = nodes.find(({ detail }) => detail.startsWith("ABORT-DAG-ON"));
    const soft = endedIn(readIfThere(join(this.run.submitDir, TOP.ended)) ?? "").size;
    if (outcome?.exit === 0 && soft > 0) this.endAs("failed", `${soft} jobs did not succeed`);
    else if (outcome?.exit === 0) this.endAs("success", "");
    else if (outcome?.word === "aborted") this.endAs("aborted", `${culprit?.spec.name} ended the DAG (ABORT-DAG-ON)`);
    else this.endAs("failed", `${counts.failed} of ${nodes.length} nodes failed`);
  }

  /** Without its directory nothing can go on. */
  checkDirectory(): void {
    if (!existsSync(this.run.submitDir)) this.endAs("lost", "its submit directory is gone");
  }

  jobEnded(job: string, end: UnitEnd, site: string | null): void {
    if (!this.ended) this.host.listener.unitEnded(this, job, end, site);
  }

  unitEnded(unit: SimUnit, end: UnitEnd): void {
    if (!this.ended) this.host.listener.unitEnded(this, unit.name, unit.isMade ? "done" : end, unit.site);
  }

  count({ counts }: DagMachine): void {
    this.#past.done += counts.done;
    this.#past.failed += counts.failed;
  }

  start(id: number, { part, node, cluster, cwd, dagPath }: ScriptCall, onEnd: (exit: ProgramExit) => void): void {
    // The first script of a unit runs before its DAG does.
    const unit = this.#units.get(cwd) ?? new SimUnit(basename(cwd), cwd, this);
    const isUnitNode = dagPath === this.#dag.setup.path && this.#jobs.length === 0;
    const atOnce = (code: number) => ({ code, afterSec: 0 });
    const inUnit = () => (part === "pre" ? unit.pre(node) : atOnce(unit.post(node, cluster)));
    const { code, afterSec } = isUnitNode ? atOnce(unit.unitPre(node)) : inUnit();
    const answer = () => {
      this.#waiting.delete(id);
      onEnd({ kind: "exited", code });
    };
    if (afterSec > 0) this.#waiting.set(id, { planned: this.host.time.after(afterSec, answer), onEnd });
    else answer();
  }
  adopt(): void {}
  kill(id: number): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.planned.cancel();
    waiting?.onEnd({ kind: "vanished" });
  }

  observe(): RunObservation {
    return this.#told(this.#jobs.length > 0 ? this.#jobCounts() : this.#unitCounts());
  }

  #jobCounts(): Counts {
    const ended = endedIn(readIfThere(join(this.run.submitDir, TOP.ended)) ?? "");
    const named = (states: readonly NodeState[]) =>
      this.#jobs.filter(({ state }) => states.includes(state)).map(({ spec }) => spec.name as UnitName);
    const unitsDone = named(["done"]).filter((job) => !ended.has(job));
    const soft = named(["done"]).filter((job) => ended.get(job)?.how === "failed");
    const unitsFailed = [...named(["failed"]).filter((job) => ended.get(job)?.how !== "blocked"), ...soft];
    const [total, done, failed] = [this.#jobs.length, unitsDone.length, unitsFailed.length];
    const running = this.ended ? 0 : named(["queued", "post"]).length;
    const waiting = total - done - failed - running;
    return {
      nodes: { total, done, failed, queued: running, idle: 0, held: 0, waiting },
      units: { total, done, failed, running, waiting },
      unitsDone,
      unitsFailed,
    };
  }

  #unitCounts(): Counts {
    const live = this.#dag.subs().flatMap(({ machine }) => machine ?? []);
    const sum = (of: (machine: DagMachine) => number) => live.reduce((all, machine) => all + of(machine), 0);
    const done = this.#past.done + sum(({ counts }) => counts.done);
    const failed = this.#past.failed + sum(({ counts }) => counts.failed);
    const queued = sum(({ active }) => active);
    const [total, running] = [this.#nodesTotal, live.length];
    const named = (state: NodeState) =>
      this.#machine.nodes.filter((node) => node.state === state).map(({ spec }) => spec.name as UnitName);
    const [unitsDone, unitsFailed] = [named("done"), named("failed")];
    const units = { total: this.unitCount, done: unitsDone.length, failed: unitsFailed.length, running };
    return {
      nodes: { total, done, failed, queued, idle: 0, held: 0, waiting: total - done - failed - queued },
      units: { ...units, waiting: units.total - units.done - units.failed - running },
      unitsDone,
      unitsFailed,
    };
  }

  #told(common: Counts): RunObservation {
    if (!this.ended) {
      const note = this.runner.isHeld ? "DAGMan is on hold" : this.isStopping ? "its jobs are being removed" : null;
      return { kind: "running", ...common, note, waits: NO_WAITS };
    }
    const rescue = WITH_RESCUE.includes(this.ended.verdict) ? this.#rescueUsed + 1 : null;
    return { kind: "ended", ...common, ...this.ended, rescue };
  }
}
