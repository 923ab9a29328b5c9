import { existsSync } from "node:fs";
import { join } from "node:path";
import type { NodeTally, UnitTally } from "../../domain/dag.ts";
import type { UnitName } from "../../domain/names.ts";
import type { Run, RunObservation, RunVerdict } from "../../domain/run.ts";
import type { DagFile } from "../../engine/local/dag-file.ts";
import type { LiveNode } from "../../engine/local/dag-machine.ts";
import type { Policy } from "../../recovery/policy.ts";
import type { Host, RunFacts } from "./host.ts";
import { writeRescue } from "./side-files.ts";
import { type Asks, countNodes, type Rescue, readAsks, readDag, readRescue } from "./submit-dir.ts";
import { type UnitEnd, UnitRun } from "./unit-run.ts";

const TOP = "workflow.dag";

/** Whoever listens to runs: the story's timeline and the runner, which plans the next pass. */
export interface RunListener {
  unitEnded(run: SimRun, unit: string, end: UnitEnd, site: string | null): void;
  runEnded(run: SimRun, verdict: RunVerdict, words: string): void;
}

/** A DAG in the simulated engine: units in flight up to the DAG's limit, until none can go on. */
export class SimRun implements RunFacts {
  readonly run: Run;
  readonly request: string;
  readonly submitDir: string;
  readonly policy: Policy;
  readonly rescueUsed: number;
  ended: { readonly verdict: RunVerdict; readonly words: string } | null = null;
  isStopping = false;
  readonly #host: Host;
  readonly #listener: RunListener;
  readonly #dag: DagFile;
  readonly #tops: readonly LiveNode[];
  readonly #waiting: LiveNode[];
  readonly #live = new Map<string, UnitRun>();
  readonly #done: UnitName[] = [];
  readonly #failed: UnitName[] = [];
  readonly #counts = new Map<string, number>();
  readonly #asks = new Map<string, Asks>();
  #nodesTotal = 0;
  #deferred: (() => void)[] | null = null;

  constructor(
    run: Run,
    request: string,
    policy: Policy,
    dag: DagFile,
    rescue: Rescue | null,
    host: Host,
    listener: RunListener,
  ) {
    this.run = run;
    this.request = request;
    this.submitDir = run.submitDir;
    this.policy = policy;
    this.rescueUsed = rescue?.number ?? 0;
    this.#host = host;
    this.#listener = listener;
    this.#dag = dag;
    this.#tops = dag.nodes.map((spec) => ({
      spec,
      state: rescue?.done.has(spec.name) ? "done" : "waiting",
      parentsLeft: 0,
      attempt: 0,
      preReturn: 0,
      jobReturn: 0,
      detail: "",
    }));
    for (const top of this.#tops) {
      const nodes = countNodes(join(this.submitDir, top.spec.name));
      this.#nodesTotal += nodes;
      if (top.state !== "done") continue;
      this.#done.push(top.spec.name as UnitName);
      this.count("done", nodes);
    }
    this.#waiting = this.#tops
      .filter(({ state }) => state !== "done")
      .sort((a, b) => b.spec.priority - a.spec.priority || a.spec.index - b.spec.index);
  }

  get unitNames(): readonly string[] {
    return this.#tops.map(({ spec }) => spec.name);
  }
  get unitsDone(): number {
    return this.#done.length;
  }
  get isHeld(): boolean {
    return this.#deferred !== null;
  }

  start(): void {
    this.#pump();
  }

  asksOf(submitFile: string): Asks {
    const file = submitFile.replace(/^.*\//, "");
    const known = this.#asks.get(file) ?? readAsks(this.submitDir, file);
    this.#asks.set(file, known);
    return known;
  }

  count(state: string, change: number): void {
    this.#counts.set(state, (this.#counts.get(state) ?? 0) + change);
  }

  whenFree(act: () => void): void {
    if (this.#deferred) this.#deferred.push(act);
    else act();
  }

  hold(): void {
    this.#deferred ??= [];
  }
  release(): void {
    const acts = this.#deferred ?? [];
    this.#deferred = null;
    for (const act of acts) act();
    this.#pump();
  }

  evictAt(site: string): void {
    for (const unit of [...this.#live.values()]) unit.evictAt(site);
  }

  /** Ends at once. Whatever leaves a DAGMan that could write leaves a rescue. */
  end(verdict: RunVerdict, words: string): void {
    if (this.ended) return;
    this.ended = { verdict, words };
    const leavesRescue = verdict !== "success" && verdict !== "lost" && verdict !== "unreadable";
    const standing = existsSync(this.submitDir);
    for (const unit of this.#live.values()) if (leavesRescue && standing) unit.cut();
    if (verdict === "lost" || verdict === "unreadable") for (const unit of this.#live.values()) unit.drop();
    this.#live.clear();
    if (leavesRescue && standing)
      writeRescue(this.submitDir, TOP, this.rescueUsed + 1, this.#host.time.now(), this.#tops);
    this.#listener.runEnded(this, verdict, words);
  }

  #pump(): void {
    if (this.ended || this.#deferred) return;
    const limit = this.#dag.maxJobs.get("units") || Number.POSITIVE_INFINITY;
    while (this.#waiting.length > 0 && this.#live.size < limit && !this.ended) {
      this.#startUnit(this.#waiting.shift() as LiveNode);
    }
    if (this.ended || this.#live.size > 0 || this.#waiting.length > 0) return;
    if (this.#failed.length === 0) this.end("success", "");
    else this.end("failed", `${this.#failed.length} of ${this.#tops.length} nodes failed`);
  }

  #startUnit(top: LiveNode): void {
    const { name } = top.spec;
    const dir = join(this.submitDir, name);
    const group = readDag(dir, "group.dag");
    if (!group.ok) {
      this.#startFailed(top, group.error);
      return;
    }
    const rescue = readRescue(dir, group.value, "group.dag");
    if (!rescue.ok) {
      this.#startFailed(top, rescue.error);
      return;
    }
    top.state = "queued";
    const unit = new UnitRun(name, group.value, rescue.value, this, this.#host, (end) =>
      this.#unitEnded(top, unit, end),
    );
    this.#live.set(name, unit);
    for (const node of unit.nodes) if (node.state === "done") this.count("done", 1);
    unit.start();
  }

  /** Without its directory nothing can go on; a sub-DAG that cannot be read fails by itself. */
  #startFailed(top: LiveNode, words: string): void {
    if (!existsSync(this.submitDir)) {
      this.end("lost", "its submit directory is gone");
      return;
    }
    top.state = "failed";
    this.#failed.push(top.spec.name as UnitName);
    top.detail = words;
    this.#listener.unitEnded(this, top.spec.name, "failed", null);
  }

  #unitEnded(top: LiveNode, unit: UnitRun, end: UnitEnd): void {
    this.#live.delete(top.spec.name);
    top.state = end === "done" ? "done" : "failed";
    (end === "done" ? this.#done : this.#failed).push(top.spec.name as UnitName);
    this.#listener.unitEnded(this, top.spec.name, end, unit.site);
    // As bin/unit: only a node whose row says so ends the other units too.
    const isAbort = end === "failed" && existsSync(join(this.submitDir, top.spec.name, "run.abort"));
    if (isAbort && top.spec.abort !== null) this.end("aborted", `${top.spec.name} ended the DAG (ABORT-DAG-ON)`);
    else this.#pump();
  }

  observe(): RunObservation {
    const count = (...states: string[]) => states.reduce((sum, key) => sum + (this.#counts.get(key) ?? 0), 0);
    const nodes: NodeTally = {
      total: this.#nodesTotal,
      done: count("done"),
      failed: count("failed"),
      queued: count("queued"),
      held: 0,
      waiting: this.#nodesTotal - count("done", "failed", "queued"),
    };
    const [done, failed] = [this.#done.length, this.#failed.length];
    const units: UnitTally = {
      total: this.#tops.length,
      done,
      failed,
      running: this.#live.size,
      waiting: this.#tops.length - done - failed - this.#live.size,
    };
    const common = { nodes, units, unitsDone: [...this.#done], unitsFailed: [...this.#failed] };
    if (!this.ended) {
      const note = this.isHeld ? "DAGMan is on hold" : this.isStopping ? "its jobs are being removed" : null;
      return { kind: "running", ...common, note };
    }
    const rescue = ["failed", "aborted", "removed", "halted"].includes(this.ended.verdict) ? this.rescueUsed + 1 : null;
    return { kind: "ended", ...common, ...this.ended, rescue };
  }
}
