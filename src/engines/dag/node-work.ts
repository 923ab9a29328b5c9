import { resolve } from "node:path";
import { describeError } from "../../core/base/errors.ts";
import type { NodeSpec } from "./dag-file.ts";
import type { WorkView } from "./dag-record.ts";
import type { DagRun, DagWorld } from "./dag-run.ts";
import { type JobSpec, parseJobOf } from "./job-spec.ts";
import type { Intent, Replayed } from "./journal.ts";
import type { DagEvent, DagMachine, LiveNode, NodePart, ScriptPart } from "./machine.ts";
import { NOT_SUBMITTED, watchJob } from "./node-job.ts";
import { type ProgramExit, returnOf } from "./runner.ts";

/** What is under way for a node: one of these. */
interface Live {
  /** Its cluster. */
  job: number | null;
  script: number | null;
  sub: DagRun | null;
  timer: { cancel(): void } | null;
}

const STOPPED = { why: "DAG Removed: the DAG was stopped or aborted" };
const RETRY_SEC = 1;

/** Carries out what the machine of a DAG asks for: the jobs, scripts, sub-DAGs and deferrals of its nodes. */
export class NodeWork implements WorkView {
  private readonly world: DagWorld;
  private readonly dag: DagRun;
  /** By node name, as are the clusters: those of jobs stay known for POST. */
  private readonly live = new Map<string, Live>();
  private readonly clusters = new Map<string, number>();
  private closed = false;

  constructor(world: DagWorld, dag: DagRun) {
    this.world = world;
    this.dag = dag;
  }

  get isOver(): boolean {
    return this.live.size === 0;
  }

  start(node: LiveNode, part: NodePart): void {
    if (part === "job") this.submit(node, null);
    else this.runScript(node, part);
  }

  defer(node: LiveNode, seconds: number): void {
    const { name } = node.spec;
    this.enter(name).timer = this.world.time.after(seconds, () => this.left({ k: "deferred", n: name }));
  }

  /** Goes on with what a killed engine had begun. */
  resume(machine: DagMachine, { open, intents }: Replayed): void {
    const ending = machine.isEnding;
    for (const [name, { cluster }] of intents) if (cluster !== null) this.clusters.set(name, cluster);
    for (const [name, part] of open) {
      this.reopen(machine.byName.get(name) as LiveNode, part, intents.get(name) ?? null, ending);
    }
  }

  /** `ending`: the DAG is being stopped, so nothing begins again; what runs is watched until it is gone. */
  private reopen(node: LiveNode, part: NodePart | "defer", intent: Intent | null, ending: boolean): void {
    const { name, kind, noop } = node.spec;
    const script = intent?.script ?? null;
    const mayRun = !ending || intent?.run || (kind === "subdag" && !noop);
    if (part === "job") {
      if (mayRun) this.submit(node, intent);
    } else if (part !== "defer" && script !== null) {
      this.enter(name).script = script;
      this.world.scripts.adopt(script, (exit) => this.scriptEnded(node, part, exit));
    } else if (ending) return;
    // The wait is lost with the engine, as in DAGMan: the script just runs again.
    else if (part === "defer") this.left({ k: "deferred", n: name });
    else this.runScript(node, part);
  }

  /** Ends everything; each end is reported, but for those of deferrals. */
  kill(): void {
    for (const [name, live] of [...this.live]) {
      live.timer?.cancel();
      if (live.timer) this.live.delete(name);
      if (live.job !== null) this.world.jobs.remove(live.job, STOPPED);
      else if (live.script !== null) this.world.scripts.kill(live.script);
      live.sub?.remove();
    }
  }

  subs(): DagRun[] {
    return [...this.live.values()].flatMap(({ sub }) => sub ?? []);
  }

  /** The engine leaves; what runs goes on and is found again. */
  close(): void {
    this.closed = true;
    for (const { timer } of this.live.values()) timer?.cancel();
    for (const sub of this.subs()) sub.close();
  }

  idle(): number {
    return [...this.live.values()].filter(({ job }) => job !== null && this.world.jobs.explain(job)).length;
  }

  /** As DAGMan says it, and what the job waits for when time alone will not bring it. */
  detailOf(node: LiveNode): string {
    const cluster = node.state === "queued" ? (this.live.get(node.spec.name)?.job ?? null) : null;
    if (cluster === null) return "";
    const wait = this.world.jobs.explain(cluster);
    return wait === null ? "not_idle" : wait.never === null ? "idle" : `idle: ${wait.never.reason}`;
  }

  private left(event: Extract<DagEvent, { n: string }>): void {
    this.live.delete(event.n);
    this.dag.nodeLeft(event);
  }

  private submit(node: LiveNode, intent: Intent | null): void {
    const { spec } = node;
    if (spec.noop) {
      this.left({ k: "job", n: spec.name, code: 0 });
      return;
    }
    const known = intent?.cluster ?? null;
    const cluster = known ?? this.world.nextId();
    this.clusters.set(spec.name, cluster);
    const live = this.enter(spec.name);
    if (spec.kind === "subdag") live.sub = this.startSub(spec, cluster, known !== null);
    else {
      live.job = cluster;
      this.startJob(node, cluster, intent);
    }
  }

  private startJob({ spec, attempt }: LiveNode, cluster: number, intent: Intent | null): void {
    const { jobs, texts, outbox } = this.world;
    const { batchName } = this.dag.setup;
    const left = (code: number) => this.left({ k: "job", n: spec.name, code });
    const watchOf = (job: JobSpec) => watchJob(job, batchName, outbox, (line) => this.dag.jobMoved(line), left);
    if (intent?.run && jobs.adopt({ ...intent.run, cluster, evicted: intent.evicted }, watchOf) !== "unknown") {
      if (intent.hold) jobs.remove(cluster, intent.hold);
      return;
    }
    const known = intent !== null && intent.cluster !== null;
    if (!known) this.dag.record.write({ k: "sub", n: spec.name, c: cluster });
    const at = { cluster, retry: attempt, cwd: this.dirOf(spec), priority: this.priorityOf(spec) };
    const job = parseJobOf(spec, at, (path) => texts.read(path));
    if (job.ok) {
      const watch = watchOf(job.value);
      // The event log of a job that was known before already has its submission.
      if (!known) watch.submitted();
      jobs.start(job.value, watch);
      return;
    }
    this.dag.record.say(`ERROR: job submission of node ${spec.name} failed: ${job.error}`);
    this.clusters.delete(spec.name);
    left(NOT_SUBMITTED);
  }

  private startSub(spec: NodeSpec, cluster: number, known: boolean): DagRun {
    const cwd = this.dirOf(spec);
    if (!known) this.dag.record.write({ k: "dag", n: spec.name, c: cluster });
    const ended = (code: number): void => this.left({ k: "job", n: spec.name, code });
    const at = { id: cluster, path: resolve(cwd, spec.file), cwd, priority: this.priorityOf(spec) };
    const sub = this.dag.openSub(at, ended);
    this.world.outbox.after(() => {
      try {
        if (known) sub.recover();
        else sub.begin();
      } catch (error) {
        this.dag.record.say(`ERROR: sub-DAG ${spec.name} cannot begin: ${describeError(error)}`);
        ended(NOT_SUBMITTED);
      }
    });
    return sub;
  }

  private runScript(node: LiveNode, part: ScriptPart): void {
    const { name } = node.spec;
    const { scripts, nextId, outbox, time } = this.world;
    const cluster = this.clusters.get(name) ?? null;
    const call = { part, node, cluster, cwd: this.dirOf(node.spec), dagPath: this.dag.setup.path };
    const code = scripts.atOnce?.(call) ?? null;
    if (code !== null) {
      this.left({ k: part, n: name, code });
      return;
    }
    const live = this.enter(name);
    try {
      const id = nextId();
      live.script = id;
      scripts.start(id, call, (exit) => this.scriptEnded(node, part, exit));
      this.dag.record.write({ k: "script", n: name, part, t: id });
    } catch (error) {
      outbox.trouble = `cannot start a script: ${describeError(error)}`;
      live.script = null;
      live.timer = time.after(RETRY_SEC, () => this.runScript(node, part));
    }
  }

  private scriptEnded(node: LiveNode, part: ScriptPart, exit: ProgramExit): void {
    const { name } = node.spec;
    if (exit.kind === "unstarted")
      this.dag.record.say(`ERROR: ${part.toUpperCase()} script of ${name} did not run: ${exit.why}`);
    if (this.closed) return;
    // Killed with the machine, it has to run again.
    if (exit.kind === "vanished" && !this.dag.isEnding) this.runScript(node, part);
    else this.left({ k: part, n: name, code: returnOf(exit) ?? 1 });
  }

  private priorityOf(spec: NodeSpec): number {
    return this.dag.setup.priority + spec.priority;
  }

  private dirOf(spec: NodeSpec): string {
    return spec.dir === null ? this.dag.setup.cwd : resolve(this.dag.setup.cwd, spec.dir);
  }

  private enter(name: string): Live {
    const live: Live = { job: null, script: null, sub: null, timer: null };
    this.live.set(name, live);
    return live;
  }
}
