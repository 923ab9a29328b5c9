import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { UnitName } from "../../domain/names.ts";
import { NO_WAITS, type NodeState, type Run, type RunObservation, type RunVerdict } from "../../domain/run.ts";
import { Texts } from "../../engine/dag/dag-files.ts";
import type { LoadedDag } from "../../engine/dag/dag-load.ts";
import { DagRecord, writeRescue } from "../../engine/dag/dag-record.ts";
import { type DagPlace, DagRun } from "../../engine/dag/dag-run.ts";
import type { JobSpec } from "../../engine/dag/job-spec.ts";
import type { DagMachine, DagOutcome } from "../../engine/dag/machine.ts";
import type { ProgramExit, ScriptCall, ScriptRunner } from "../../engine/dag/runner.ts";
import type { Policy } from "../../recovery/policy.ts";
import { TOP } from "../../submit-dir/names.ts";
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
  ended: { readonly verdict: RunVerdict; readonly words: string } | null = null;
  isStopping = false;
  writesRescues = true;
  readonly #rescueUsed: number;
  readonly #dag: DagRun;
  /** By their directories. */
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
      recordOf: (place: DagPlace) => this.#recordOf(place),
    };
    const path = join(cwd, TOP.dag);
    const place = { id: nextId(), parentId: "", path, cwd, batchName, priority, limits: null, paused: false };
    this.#dag = new DagRun(world, place, () => this.#finished());
    this.#rescueUsed = loaded.rescue;
    this.#dag.load({ ...loaded, limits: NO_LIMITS });
    for (const { name, done } of loaded.dag.nodes) {
      const nodes = countNodes(join(cwd, name));
      this.#nodesTotal += nodes;
      if (done) this.#past.done += nodes;
    }
  }

  #recordOf({ parentId, cwd }: DagPlace): DagRecord {
    if (parentId === "") return this;
    const unit = new SimUnit(basename(cwd), cwd, this);
    this.#units.set(cwd, unit);
    return unit;
  }

  get #machine(): DagMachine {
    return this.#dag.machine as DagMachine;
  }
  get unitCount(): number {
    return this.#machine.nodes.length;
  }

  /** Not in the moment of its submission. */
  beginsIn(seconds: number): void {
    const start = () => !this.ended && this.#dag.start();
    this.host.time.after(seconds, () => this.runner.whenHeard(start));
  }

  override end({ word }: DagOutcome): void {
    if (word !== "success" && this.writesRescues)
      writeRescue(this.#dag.place.path, this.#rescueUsed, this.host.time.now(), this.#machine.nodes);
  }

  /** Ends at once, whatever is under way. A DAGMan that is lost writes no rescue, but its nodes.log says the same to the next one. */
  endAs(verdict: RunVerdict, words: string): void {
    if (this.ended) return;
    this.ended = { verdict, words };
    this.writesRescues = (WITH_RESCUE.includes(verdict) || verdict === "lost") && existsSync(this.run.submitDir);
    this.#dag.remove();
    this.host.listener.runEnded(this, verdict, words);
  }

  #finished(): void {
    const { nodes, counts, outcome } = this.#machine;
    const culprit = nodes.find(({ detail }) => detail.startsWith("ABORT-DAG-ON"));
    if (outcome?.exit === 0) this.endAs("success", "");
    else if (outcome?.word === "aborted") this.endAs("aborted", `${culprit?.spec.name} ended the DAG (ABORT-DAG-ON)`);
    else this.endAs("failed", `${counts.failed} of ${nodes.length} nodes failed`);
  }

  /** Without its directory nothing can go on. */
  checkDirectory(): void {
    if (!existsSync(this.run.submitDir)) this.endAs("lost", "its submit directory is gone");
  }

  unitEnded(unit: SimUnit, end: UnitEnd): void {
    if (!this.ended) this.host.listener.unitEnded(this, unit.name, unit.isMade ? "done" : end, unit.site);
  }

  count({ counts }: DagMachine): void {
    this.#past.done += counts.done;
    this.#past.failed += counts.failed;
  }

  start(id: number, { part, node, cluster, cwd, dagPath }: ScriptCall, onEnd: (exit: ProgramExit) => void): void {
    const unit = this.#units.get(cwd) as SimUnit;
    const isUnitNode = dagPath === this.#dag.place.path;
    const post = () => (isUnitNode ? unit.unitPost(node) : unit.post(node, cluster));
    const { code, afterSec } = part === "pre" ? unit.pre(node) : { code: post(), afterSec: 0 };
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
    const common = {
      nodes: { total, done, failed, queued, idle: 0, held: 0, waiting: total - done - failed - queued },
      units: { ...units, waiting: units.total - units.done - units.failed - running },
      unitsDone,
      unitsFailed,
    };
    if (!this.ended) {
      const note = this.runner.isHeld ? "DAGMan is on hold" : this.isStopping ? "its jobs are being removed" : null;
      return { kind: "running", ...common, note, waits: NO_WAITS };
    }
    const rescue = WITH_RESCUE.includes(this.ended.verdict) ? this.#rescueUsed + 1 : null;
    return { kind: "ended", ...common, ...this.ended, rescue };
  }
}
