import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describeError } from "../../base/errors.ts";
import { findCycle, type NodeSpec } from "./dag-file.ts";
import { DagFiles } from "./dag-files.ts";
import { parseJobOf, type Texts } from "./dag-job.ts";
import { loadDag } from "./dag-load.ts";
import {
  type DagAction,
  type DagEvent,
  type DagLimits,
  DagMachine,
  type DagOutcome,
  type LiveNode,
  type NodePart,
  type ScriptPart,
} from "./dag-machine.ts";
import type { Job, JobHost, Jobs } from "./jobs.ts";
import { type Intent, type JournalLine, renderLine, replay } from "./journal.ts";
import { scriptTask } from "./node-scripts.ts";
import type { Outbox } from "./outbox.ts";
import { StatusWriter } from "./status-writer.ts";
import { returnOf, type TaskEnd } from "./task-files.ts";
import type { Tasks } from "./tasks.ts";

/** What every DAG of an engine shares. */
export interface DagWorld {
  readonly tasks: Tasks;
  readonly jobs: Jobs;
  readonly outbox: Outbox;
  readonly texts: Texts;
  /** A number never given before: clusters, DAGs and scripts share them. */
  readonly nextId: () => number;
  readonly graceMs: number;
}

export interface DagPlace {
  readonly id: number;
  readonly parentId: string;
  readonly path: string;
  readonly cwd: string;
  readonly batchName: string;
  readonly priority: number;
  readonly limits: DagLimits | null;
  readonly paused: boolean;
}

/** What is under way for a node: one of these. */
interface Live {
  job: Job | null;
  script: number | null;
  sub: DagRun | null;
  timer: NodeJS.Timeout | null;
}

const EVENTS_PER_TURN = 2000;
const NOT_SUBMITTED = -1001;

/**
 * One DAG under way: feeds the machine, carries out what it asks for, and keeps the files beside the .dag. Every
 * event is in the journal before its consequences begin (see Outbox), so `recover` continues where a killed
 * engine stopped. A sub-DAG is another DagRun with its own files.
 */
export class DagRun implements JobHost {
  readonly place: DagPlace;
  private readonly world: DagWorld;
  private readonly files: DagFiles;
  private readonly onEnd: (exit: number) => void;
  /** By node name, as are the clusters: those of jobs stay known for POST. */
  private readonly live = new Map<string, Live>();
  private readonly clusters = new Map<string, number>();
  private machine: DagMachine | null = null;
  private limits: DagLimits | null = null;
  private startedAt = new Date();
  private rescueUsed = 0;
  private inbox: DagEvent[] = [];
  private busy = false;
  private paused: boolean;
  private status: StatusWriter | null = null;
  private closed = false;

  constructor(world: DagWorld, place: DagPlace, onEnd: (exit: number) => void) {
    this.world = world;
    this.place = place;
    this.files = new DagFiles(place.path);
    this.onEnd = onEnd;
    this.paused = place.paused;
  }

  /** A fresh run. Throws when the directory cannot be written; everything later is reported in the files. */
  begin(): void {
    const loaded = loadDag(this.place.path, this.place.cwd, this.place.limits, null);
    const rescue = loaded.ok ? loaded.value.rescue : 0;
    const { id, parentId } = this.place;
    this.world.outbox.close(this.files.journal);
    this.files.startJournal(renderLine({ k: "begin", id, parent: parentId, rescue, at: this.startedAt.getTime() }));
    this.files.clearHalt();
    this.files.say(`** condor_scheduniv_exec.${id}.0 (CONDOR_DAGMAN) STARTING UP`);
    this.files.say(`Workflow batch-name: <${this.place.batchName}>`);
    if (rescue > 0) this.files.say(`Running rescue DAG ${rescue}`);
    if (!this.load(loaded)) return;
    if (this.paused) this.dispatch({ k: "pause", on: true });
    this.dispatch({ k: "start" });
  }

  /** Continues from the journal; begins when there is none of this run. */
  recover(): void {
    const lines = this.files.readJournal();
    const [first, last] = [lines[0], lines.at(-1)];
    if (first?.k !== "begin" || first.id !== this.place.id) this.begin();
    else if (last?.k === "ended") this.leave(last.exit);
    else {
      this.startedAt = new Date(first.at);
      this.files.say("Recovering from the journal");
      const machine = this.load(loadDag(this.place.path, this.place.cwd, this.place.limits, first.rescue));
      if (machine) this.resume(machine, lines);
    }
  }

  /** Ends the tree: processes are killed, rescues written. */
  remove(): void {
    this.dispatch({ k: "remove" });
  }

  pause(on: boolean): void {
    this.paused = on;
    this.dispatch({ k: "pause", on });
    for (const { sub } of this.live.values()) sub?.pause(on);
  }

  /** DAGMan looks for its halt file in every cycle; each DAG has its own. */
  checkHalt(): void {
    for (const { sub } of this.live.values()) sub?.checkHalt();
    const halted = this.files.isHalted();
    if (!this.machine || this.machine.isEnding || this.machine.outcome) return;
    if (halted !== this.machine.halted) this.dispatch({ k: "halt", on: halted });
  }

  /** The engine leaves; what runs goes on and is found again. */
  close(): void {
    this.closed = true;
    this.status?.close();
    for (const { timer, sub } of this.live.values()) {
      if (timer) clearTimeout(timer);
      sub?.close();
    }
  }

  write(line: JournalLine): void {
    this.world.outbox.journal(this.files.journal, renderLine(line));
  }

  jobEnds(job: Job, code: number): void {
    this.left({ k: "job", n: job.spec.node, code });
  }

  /** null: it cannot be run, and this has been said. */
  private load(loaded: ReturnType<typeof loadDag>): DagMachine | null {
    if (!loaded.ok) {
      // As DAGMan does with a file it cannot read: words in dagman.out, no metrics, no rescue.
      this.files.say(loaded.error);
      this.files.say(`Failed to parse ${this.files.name}`);
      this.bye(1);
      return null;
    }
    const { dag, rescue, limits } = loaded.value;
    const machine = new DagMachine(dag, limits);
    this.rescueUsed = rescue;
    this.limits = limits;
    this.machine = machine;
    if (dag.statusFile) {
      const path = resolve(this.place.cwd, dag.statusFile.path);
      this.status = new StatusWriter(path, dag.statusFile, machine.nodes.length, () => this.statusFacts(machine));
    }
    const cycle = findCycle(dag);
    if (cycle === null) return machine;
    this.files.say(`ERROR: a cycle exists in the dag, please check input (node ${cycle})`);
    this.finish({ exit: 1, status: 5, word: "cycle" }, null);
    return null;
  }

  private resume(machine: DagMachine, lines: readonly JournalLine[]): void {
    const { open, intents, finish } = replay(machine, lines);
    if (machine.outcome) {
      this.finish(machine.outcome, finish);
      return;
    }
    const ending = machine.isEnding;
    for (const [name, { cluster }] of intents) if (cluster !== null) this.clusters.set(name, cluster);
    for (const [name, part] of open) {
      this.reopen(machine.byName.get(name) as LiveNode, part, intents.get(name) ?? null, ending);
    }
    if (ending) {
      this.kill();
      return;
    }
    if (this.paused !== machine.paused) this.dispatch({ k: "pause", on: this.paused });
    if (!lines.some(({ k }) => k === "start")) this.dispatch({ k: "start" });
    this.scheduleStatus();
  }

  /** `ending`: the DAG is being stopped, so nothing begins again. */
  private reopen(node: LiveNode, part: NodePart | "defer", intent: Intent | null, ending: boolean): void {
    const script = intent?.script ?? null;
    if (part === "job") this.submit(node, intent, ending);
    else if (part !== "defer" && script !== null) this.watchScript(node, part, script, true);
    else if (ending) return;
    // The wait is lost with the engine, as in DAGMan: the script just runs again.
    else if (part === "defer") this.dispatch({ k: "deferred", n: node.spec.name });
    else this.runScript(node, part);
  }

  private dispatch(event: DagEvent): void {
    this.write(event);
    this.inbox.push(event);
    if (!this.busy) this.work();
  }

  private work(): void {
    if (this.closed || !this.machine) return;
    this.busy = true;
    // Ends that follow at once (NOOP nodes) are handled in turn, without keeping everybody else waiting.
    for (let at = 0; at < this.inbox.length; at++) {
      if (at === EVENTS_PER_TURN) {
        this.inbox = this.inbox.slice(at);
        setImmediate(() => this.work());
        return;
      }
      try {
        for (const action of this.machine.handle(this.inbox[at] as DagEvent)) this.act(action);
      } catch (error) {
        // A bug, or a broken journal: this DAG stands still and says so, the others go on; it can be stopped.
        this.files.say(`ERROR: ${describeError(error)}`);
      }
    }
    this.inbox = [];
    this.busy = false;
    this.scheduleStatus();
  }

  private act(action: DagAction): void {
    if (action.kind === "kill") this.kill();
    else if (action.kind === "end") this.finish(action.outcome, null);
    else if (action.kind === "job") this.submit(action.node, null, false);
    else if (action.kind !== "defer") this.runScript(action.node, action.kind);
    else {
      const { name } = action.node.spec;
      const over = () => this.left({ k: "deferred", n: name });
      this.enter(name).timer = setTimeout(over, action.seconds * 1000);
    }
  }

  /** Nothing is under way for a node any more. While the DAG is being stopped only the last such word counts. */
  private left(event: Extract<DagEvent, { n: string }>): void {
    this.live.delete(event.n);
    if (!this.machine?.isEnding) this.dispatch(event);
    else if (this.live.size === 0) this.dispatch({ k: "killed" });
  }

  private submit(node: LiveNode, intent: Intent | null, ending: boolean): void {
    const { spec } = node;
    if (ending && !intent?.run && spec.kind === "job") return;
    if (spec.noop) {
      this.dispatch({ k: "job", n: spec.name, code: 0 });
      return;
    }
    const known = intent?.cluster ?? null;
    const cluster = known ?? this.world.nextId();
    this.clusters.set(spec.name, cluster);
    if (spec.kind === "subdag") {
      this.startSub(spec, cluster, known !== null);
      return;
    }
    const live = this.enter(spec.name);
    if (intent?.run) {
      live.job = this.world.jobs.adopt(cluster, this, intent.run.site, intent.run.at);
      if (live.job && intent.hold) this.world.jobs.remove(live.job, intent.hold);
      if (live.job) return;
    }
    if (known === null) this.write({ k: "sub", n: spec.name, c: cluster });
    const job = parseJobOf(spec, {
      cluster,
      retry: node.attempt,
      cwd: this.dirOf(spec),
      priority: this.place.priority + spec.priority,
      texts: this.world.texts,
    });
    if (job.ok) {
      live.job = this.world.jobs.submit(job.value, this, known !== null);
      return;
    }
    this.files.say(`ERROR: job submission of node ${spec.name} failed: ${job.error}`);
    this.clusters.delete(spec.name);
    this.left({ k: "job", n: spec.name, code: NOT_SUBMITTED });
  }

  private startSub(spec: NodeSpec, cluster: number, known: boolean): void {
    const cwd = this.dirOf(spec);
    const place: DagPlace = {
      id: cluster,
      parentId: String(this.place.id),
      path: resolve(cwd, spec.file),
      cwd,
      batchName: this.place.batchName,
      priority: this.place.priority + spec.priority,
      limits: this.limits,
      paused: this.paused,
    };
    const live = this.enter(spec.name);
    if (!known) this.write({ k: "dag", n: spec.name, c: cluster });
    const ended = (code: number) => this.left({ k: "job", n: spec.name, code });
    const sub = new DagRun(this.world, place, ended);
    live.sub = sub;
    this.world.outbox.after(() => {
      try {
        if (known) sub.recover();
        else sub.begin();
      } catch (error) {
        this.files.say(`ERROR: sub-DAG ${spec.name} cannot begin: ${describeError(error)}`);
        ended(NOT_SUBMITTED);
      }
    });
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
        this.files.say(`ERROR: ${part.toUpperCase()} script of ${name} did not run: ${exit.words}`);
      }
      if (this.closed) return;
      // Killed with the machine, it has to run again.
      if (exit.kind === "vanished" && !this.machine?.isEnding) this.runScript(node, part);
      else this.left({ k: part, n: name, code: returnOf(exit) ?? 1 });
    };
    tasks.start(id, onEnd, adopted);
    outbox.schedule();
  }

  private kill(): void {
    for (const [name, live] of [...this.live]) {
      if (live.timer) {
        clearTimeout(live.timer);
        this.live.delete(name);
      }
      if (live.job) this.world.jobs.remove(live.job, { why: "DAG Removed: the DAG was stopped or aborted" });
      else if (live.script !== null) this.world.tasks.kill(live.script, this.world.graceMs);
      live.sub?.remove();
    }
    if (this.live.size === 0) this.dispatch({ k: "killed" });
  }

  private finish(outcome: DagOutcome, rescue: number | null): void {
    const machine = this.machine as DagMachine;
    this.status?.close();
    try {
      if (outcome.word !== "success") {
        const number = rescue ?? this.files.nextRescue();
        this.write({ k: "finish", rescue: number });
        this.world.outbox.flush();
        this.files.writeRescue(number, machine.nodes);
      }
      this.status?.write(outcome.word);
      this.files.writeMetrics({
        startedAt: this.startedAt,
        outcome,
        dagmanId: this.place.id,
        parentId: this.place.parentId,
        rescueUsed: this.rescueUsed,
        nodes: machine.nodes,
      });
    } catch (error) {
      if (existsSync(this.place.cwd)) {
        this.world.outbox.trouble = `cannot write the end of ${this.place.path}: ${describeError(error)}`;
        setTimeout(() => this.finish(outcome, rescue), 1000);
        return;
      }
    }
    this.bye(outcome.exit);
  }

  private bye(exit: number): void {
    this.write({ k: "ended", exit });
    const self = `condor_scheduniv_exec.${this.place.id}.0 (condor_DAGMAN) pid ${process.pid}`;
    this.files.say(`**** ${self} EXITING WITH STATUS ${exit}`);
    this.world.outbox.after(() => {
      this.world.outbox.close(this.files.journal);
      this.leave(exit);
    });
  }

  private leave(exit: number): void {
    this.close();
    this.onEnd(exit);
  }

  private scheduleStatus(): void {
    if (!this.closed && !this.machine?.outcome) this.status?.schedule();
  }

  private statusFacts(machine: DagMachine): ReturnType<StatusWriter["facts"]> {
    let idle = 0;
    for (const { job } of this.live.values()) if (job?.state === "idle") idle += 1;
    const detailOf = (node: LiveNode): string => {
      const job = node.state === "queued" ? this.live.get(node.spec.name)?.job : null;
      return job ? this.world.jobs.explain(job) : "";
    };
    return { dagName: this.files.name, machine, idle, detailOf };
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
