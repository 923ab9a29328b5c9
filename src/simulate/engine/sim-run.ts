import { existsSync } from "node:fs";
import { join } from "node:path";
import type { UnitName } from "../../domain/names.ts";
import { NO_WAITS, type NodeState, type Run, type RunObservation, type RunVerdict } from "../../domain/run.ts";
import { type LoadedDag, loadDag } from "../../engine/dag/dag-load.ts";
import { type DagAction, type DagEvent, DagMachine, type LiveNode } from "../../engine/dag/machine.ts";
import type { Policy } from "../../recovery/policy.ts";
import { readIfThere } from "../../submit-host/disk.ts";
import type { VirtualTime } from "../virtual-time.ts";
import type { EngineWatch } from "../watch-engine.ts";
import type { Beginning, Ending } from "./outcome.ts";
import { writeRescue } from "./side-files.ts";
import type { SitePool } from "./site-pool.ts";
import { type Asks, countNodes, policyIn, readAsks, requestIn } from "./submit-dir.ts";
import { type UnitEnd, UnitRun } from "./unit-run.ts";

/** What runs and units share: the time, the sites, how things end, and who listens. */
export interface Host {
  readonly time: VirtualTime;
  readonly sites: SitePool;
  readonly outcomeOf: (begun: Beginning) => Ending;
  /** Hears what happens in the engine while nobody asks it. */
  readonly listener: EngineWatch;
}

/** Scripts and submissions take no time here. */
export const NO_LIMITS = { maxJobs: 0, maxPre: 0, maxPost: 0 };
/** Whoever could still write leaves a rescue file. */
const WITH_RESCUE: readonly RunVerdict[] = ["failed", "aborted", "removed", "halted"];

/** A DAG in the simulated engine: its workflow.dag, run by the machine of the local engine, unit by unit. */
export class SimRun {
  readonly run: Run;
  readonly request: string;
  readonly submitDir: string;
  readonly policy: Policy;
  readonly rescueUsed: number;
  ended: { readonly verdict: RunVerdict; readonly words: string } | null = null;
  isStopping = false;
  readonly #host: Host;
  readonly #machine: DagMachine;
  readonly #live = new Map<string, UnitRun>();
  readonly #asks = new Map<string, Asks>();
  /** Nodes of all units, and how those of units that are not live stand. */
  #nodesTotal = 0;
  readonly #past = { done: 0, failed: 0 };
  #actions: DagAction[] = [];
  /** While DAGMan is on hold: what happened meanwhile. */
  #deferred: (() => void)[] | null = null;

  constructor(run: Run, { dag, rescue }: LoadedDag, host: Host) {
    this.run = run;
    this.submitDir = run.submitDir;
    this.request = requestIn(run.submitDir);
    this.policy = policyIn(run.submitDir);
    this.rescueUsed = rescue;
    this.#host = host;
    this.#machine = new DagMachine(dag, NO_LIMITS);
    for (const { name, done } of dag.nodes) {
      const nodes = countNodes(join(this.submitDir, name));
      this.#nodesTotal += nodes;
      if (done) this.#past.done += nodes;
    }
  }

  get unitCount(): number {
    return this.#machine.nodes.length;
  }

  start(): void {
    this.whenFree(() => this.#handle({ k: "start" }));
  }

  asksOf(submitFile: string): Asks {
    const file = submitFile.replace(/^.*\//, "");
    const known = this.#asks.get(file) ?? readAsks(this.submitDir, file);
    this.#asks.set(file, known);
    return known;
  }

  /** Now, or when DAGMan is no longer on hold. */
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
  }

  evictAt(site: string): void {
    for (const unit of [...this.#live.values()]) unit.evictAt(site);
  }

  /** Ends at once. */
  end(verdict: RunVerdict, words: string): void {
    if (this.ended) return;
    this.ended = { verdict, words };
    // A DAGMan that is lost writes none, but its nodes.log says the same to the next one.
    const writes = (WITH_RESCUE.includes(verdict) || verdict === "lost") && existsSync(this.submitDir);
    for (const unit of this.#live.values()) {
      unit.cut(!writes);
      this.#count(unit);
    }
    this.#live.clear();
    if (writes)
      writeRescue(this.submitDir, "workflow.dag", this.rescueUsed + 1, this.#host.time.now(), this.#machine.nodes);
    this.#host.listener.runEnded(this, verdict, words);
  }

  /** A unit may end while it is started: what follows from that waits until all that were begun with it have started. */
  #handle(event: DagEvent): void {
    const isFirst = this.#actions.length === 0;
    this.#actions.push(...this.#machine.handle(event));
    if (!isFirst) return;
    for (const action of this.#actions) if (!this.ended) this.#act(action);
    this.#actions = [];
  }

  #act(action: DagAction): void {
    const { nodes, counts } = this.#machine;
    if (action.kind === "kill") {
      const culprit = nodes.find(({ detail }) => detail.startsWith("ABORT-DAG-ON"));
      this.end("aborted", `${culprit?.spec.name} ended the DAG (ABORT-DAG-ON)`);
    } else if (action.kind === "end") {
      if (action.outcome.exit === 0) this.end("success", "");
      else this.end("failed", `${counts.failed} of ${nodes.length} nodes failed`);
    } else if (action.kind === "job") this.#startUnit(action.node);
    else if (action.kind === "post") this.#unitPost(action.node);
  }

  /** Without its directory nothing can go on; a sub-DAG that cannot be read fails by itself. */
  #startUnit(node: LiveNode): void {
    const { name } = node.spec;
    const dir = join(this.submitDir, name);
    const loaded = loadDag(join(dir, "group.dag"), dir, null, null);
    if (!loaded.ok) {
      if (!existsSync(this.submitDir)) this.end("lost", "its submit directory is gone");
      else this.#unitEnded(node, "failed", null);
      return;
    }
    const unit = new UnitRun(name, loaded.value, this, this.#host, (end) => {
      this.#live.delete(name);
      this.#count(unit);
      this.#unitEnded(node, end, unit.site);
    });
    this.#live.set(name, unit);
    unit.start();
  }

  #unitEnded({ spec }: LiveNode, end: UnitEnd, site: string | null): void {
    this.#host.listener.unitEnded(this, spec.name, this.#isMade(spec.name) ? "done" : end, site);
    this.#handle({ k: "job", n: spec.name, code: end === "done" ? 0 : 1 });
  }

  /** As bin/unit: only a node whose row says so ends the other units too. */
  #unitPost({ spec, jobReturn }: LiveNode): void {
    const isAbort = jobReturn !== 0 && existsSync(join(this.submitDir, spec.name, "run.abort"));
    this.#handle({ k: "post", n: spec.name, code: isAbort ? 2 : this.#isMade(spec.name) ? 0 : jobReturn });
  }

  /** A cleanup that failed does not undo the outputs, unless it found them missing. */
  #isMade(unit: string): boolean {
    const here = join(this.submitDir, unit);
    const cleanup = existsSync(join(here, "merge_output.json")) ? readIfThere(join(here, "cleanup.post.json")) : null;
    return cleanup !== null && !cleanup.includes("70318");
  }

  #count({ machine: { counts } }: UnitRun): void {
    this.#past.done += counts.done;
    this.#past.failed += counts.failed;
  }

  observe(): RunObservation {
    const live = [...this.#live.values()].map(({ machine }) => machine);
    const sum = (of: (machine: DagMachine) => number) => live.reduce((all, machine) => all + of(machine), 0);
    const done = this.#past.done + sum(({ counts }) => counts.done);
    const failed = this.#past.failed + sum(({ counts }) => counts.failed);
    const queued = sum(({ active }) => active);
    const total = this.#nodesTotal;
    const named = (state: NodeState) =>
      this.#machine.nodes.filter((node) => node.state === state).map(({ spec }) => spec.name as UnitName);
    const [unitsDone, unitsFailed] = [named("done"), named("failed")];
    const over = unitsDone.length + unitsFailed.length;
    const common = {
      nodes: { total, done, failed, queued, idle: 0, held: 0, waiting: total - done - failed - queued },
      units: {
        total: this.unitCount,
        done: unitsDone.length,
        failed: unitsFailed.length,
        running: live.length,
        waiting: this.unitCount - over - live.length,
      },
      unitsDone,
      unitsFailed,
    };
    if (!this.ended) {
      const note = this.#deferred ? "DAGMan is on hold" : this.isStopping ? "its jobs are being removed" : null;
      return { kind: "running", ...common, note, waits: NO_WAITS };
    }
    const rescue = WITH_RESCUE.includes(this.ended.verdict) ? this.rescueUsed + 1 : null;
    return { kind: "ended", ...common, ...this.ended, rescue };
  }
}
