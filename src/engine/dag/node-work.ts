import { resolve } from "node:path";
import { describeError } from "../../base/errors.ts";
import type { Job, JobHost } from "../runners/process/process-runner.ts";
import { returnOf, type TaskEnd } from "../runners/process/task-files.ts";
import type { NodeSpec } from "./dag-file.ts";
import type { DagPlace, DagRun, DagWorld } from "./dag-run.ts";
import { parseJobOf } from "./job-spec.ts";
import type { Intent, JournalLine, Replayed } from "./journal.ts";
import type { DagEvent, DagMachine, LiveNode, NodePart, ScriptPart } from "./machine.ts";
import { scriptTask } from "./node-scripts.ts";

/** What is under way for a node: one of these. */
interface Live {
  job: Job | null;
  script: number | null;
  sub: DagRun | null;
  timer: NodeJS.Timeout | null;
}

const NOT_SUBMITTED = -1001;

/** Carries out what the machine of a DAG asks for: the jobs, scripts, sub-DAGs and deferrals of its nodes. */
export class NodeWork implements JobHost {
  readonly place: DagPlace;
  private readonly world: DagWorld;
  private readonly dag: DagRun;
  /** By node name, as are the clusters: those of jobs stay known for POST. */
  private readonly live = new Map<string, Live>();
  private readonly clusters = new Map<string, number>();
  private closed = false;

  constructor(world: DagWorld, dag: DagRun) {
    this.world = world;
    this.dag = dag;
    this.place = dag.place;
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
    this.enter(name).timer = setTimeout(() => this.left({ k: "deferred", n: name }), seconds * 1000);
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
    } else if (part !== "defer" && script !== null) this.watchScript(node, part, script, true);
    else if (ending) return;
    // The wait is lost with the engine, as in DAGMan: the script just runs again.
    else if (part === "defer") this.left({ k: "deferred", n: name });
    else this.runScript(node, part);
  }

  /** Ends everything; each end is reported, but for those of deferrals. */
  kill(): void {
    for (const [name, live] of [...this.live]) {
      if (live.timer) {
        clearTimeout(live.timer);
        this.live.delete(name);
      }
      if (live.job) this.world.jobs.remove(live.job, { why: "DAG Removed: the DAG was stopped or aborted" });
      else if (live.script !== null) this.world.tasks.kill(live.script, this.world.graceMs);
      live.sub?.remove();
    }
  }

  subs(): DagRun[] {
    return [...this.live.values()].flatMap(({ sub }) => sub ?? []);
  }

  /** The engine leaves; what runs goes on and is found again. */
  close(): void {
    this.closed = true;
    for (const { timer } of this.live.values()) if (timer) clearTimeout(timer);
    for (const sub of this.subs()) sub.close();
  }

  /** How many jobs wait for room. */
  idle(): number {
    return [...this.live.values()].filter(({ job }) => job?.state === "idle").length;
  }

  /** What a queued node waits for, when there is something to say. */
  detailOf(node: LiveNode): string {
    const job = node.state === "queued" ? this.live.get(node.spec.name)?.job : null;
    return job ? this.world.jobs.explain(job) : "";
  }

  write(line: JournalLine): void {
    this.dag.write(line);
  }

  jobEnds(job: Job, code: number): void {
    this.left({ k: "job", n: job.spec.node, code });
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
    else live.job = this.startJob(node, cluster, intent);
  }

  /** null: it could not be submitted, and this has been said. */
  private startJob({ spec, attempt }: LiveNode, cluster: number, intent: Intent | null): Job | null {
    const { jobs, texts } = this.world;
    if (intent?.run) {
      const job = jobs.adopt(cluster, this, intent.run, intent.evicted);
      if (job && intent.hold) jobs.remove(job, intent.hold);
      if (job) return job;
    }
    const known = intent !== null && intent.cluster !== null;
    if (!known) this.write({ k: "sub", n: spec.name, c: cluster });
    const priority = this.place.priority + spec.priority;
    const at = { cluster, retry: attempt, cwd: this.dirOf(spec), priority };
    const job = parseJobOf(spec, at, (path) => texts.read(path));
    if (job.ok) return jobs.submit(job.value, this, known);
    this.dag.say(`ERROR: job submission of node ${spec.name} failed: ${job.error}`);
    this.clusters.delete(spec.name);
    this.left({ k: "job", n: spec.name, code: NOT_SUBMITTED });
    return null;
  }

  private startSub(spec: NodeSpec, cluster: number, known: boolean): DagRun {
    const cwd = this.dirOf(spec);
    if (!known) this.write({ k: "dag", n: spec.name, c: cluster });
    const ended = (code: number): void => this.left({ k: "job", n: spec.name, code });
    const priority = this.place.priority + spec.priority;
    const sub = this.dag.openSub({ id: cluster, path: resolve(cwd, spec.file), cwd, priority }, ended);
    this.world.outbox.after(() => {
      try {
        if (known) sub.recover();
        else sub.begin();
      } catch (error) {
        this.dag.say(`ERROR: sub-DAG ${spec.name} cannot begin: ${describeError(error)}`);
        ended(NOT_SUBMITTED);
      }
    });
    return sub;
  }

  private runScript(node: LiveNode, part: ScriptPart): void {
    const { name } = node.spec;
    const { tasks, nextId, outbox } = this.world;
    const facts = { node, cluster: this.clusters.get(name) ?? null };
    let id: number;
    try {
      id = nextId();
      tasks.write(id, scriptTask(part, facts, this.dirOf(node.spec), this.place.path));
    } catch (error) {
      outbox.trouble = `cannot start a script: ${describeError(error)}`;
      this.enter(name).timer = setTimeout(() => this.runScript(node, part), 1000);
      return;
    }
    this.write({ k: "script", n: name, part, t: id });
    this.watchScript(node, part, id, false);
  }

  private watchScript(node: LiveNode, part: ScriptPart, id: number, adopted: boolean): void {
    const { name } = node.spec;
    const { tasks, outbox } = this.world;
    this.enter(name).script = id;
    const onEnd = ({ exit }: TaskEnd): void => {
      outbox.after(() => tasks.forget(id));
      if (exit.kind === "unstarted") {
        this.dag.say(`ERROR: ${part.toUpperCase()} script of ${name} did not run: ${exit.words}`);
      }
      if (this.closed) return;
      // Killed with the machine, it has to run again.
      if (exit.kind === "vanished" && !this.dag.isEnding) this.runScript(node, part);
      else this.left({ k: part, n: name, code: returnOf(exit) ?? 1 });
    };
    tasks.start(id, onEnd, adopted);
    outbox.schedule();
  }

  private dirOf(spec: NodeSpec): string {
    return spec.dir === null ? this.place.cwd : resolve(this.place.cwd, spec.dir);
  }

  private enter(name: string): Live {
    const live: Live = { job: null, script: null, sub: null, timer: null };
    this.live.set(name, live);
    return live;
  }
}
