import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describeError } from "../../base/errors.ts";
import type { EndWord } from "./bookkeeping-text.ts";
import { type DagFile, findCycle, type NodeSpec } from "./dag-file.ts";
import { DagFiles } from "./dag-files.ts";
import { parseJobOf } from "./dag-job.ts";
import { type LoadedDag, loadDag } from "./dag-load.ts";
import { type DagAction, type DagEvent, type DagLimits, DagMachine, type LiveNode } from "./dag-machine.ts";
import { type Intent, type Replayed, replay } from "./dag-replay.ts";
import { type DagPlace, type DagWorld, endOf } from "./dag-world.ts";
import type { Job, JobHost } from "./jobs.ts";
import { JobstateLog } from "./jobstate-log.ts";
import { type JournalLine, lineOf, renderLine } from "./journal.ts";
import { NodeScripts } from "./node-scripts.ts";
import type { ScriptFacts } from "./script-macros.ts";
import { StatusWriter } from "./status-writer.ts";
import type { Hold } from "./transfer.ts";

interface Live {
  job: Job | null;
  script: number | null;
  sub: DagRun | null;
  timer: NodeJS.Timeout | null;
}

const EVENTS_PER_TURN = 2000;

/**
 * One DAG under way: feeds the machine, carries out what it asks for, and keeps the files beside the .dag. Every
 * event is in the journal before its consequences begin (see Outbox), so `recover` continues where a killed
 * engine stopped. A sub-DAG is another DagRun with its own files.
 */
export class DagRun implements JobHost {
  readonly batchName: string;
  readonly place: DagPlace;
  /** Why this DAG stands still although it should not. */
  fault: string | null = null;
  private readonly world: DagWorld;
  private readonly files: DagFiles;
  private readonly scripts: NodeScripts;
  private readonly onEnd: (exit: number) => void;
  private readonly live = new Map<number, Live>();
  private readonly clusters = new Map<number, number>();
  private dag: DagFile | null = null;
  private machine: DagMachine | null = null;
  private limits: DagLimits | null = null;
  private startedAt = new Date();
  private rescueUsed = 0;
  private inbox: DagEvent[] = [];
  private busy = false;
  private halted = false;
  private paused: boolean;
  private status: StatusWriter | null = null;
  private jobstate: JobstateLog | null = null;
  private closed = false;

  constructor(world: DagWorld, place: DagPlace, onEnd: (exit: number) => void) {
    this.world = world;
    this.place = place;
    this.batchName = place.batchName;
    this.files = new DagFiles(place.path, place.cwd);
    this.scripts = new NodeScripts(world, this.files);
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
    this.greet();
    if (!loaded.ok) {
      this.refuse(loaded.error);
      return;
    }
    if (rescue > 0) this.files.say(`Running rescue DAG ${rescue}`);
    if (!this.load(loaded.value)) return;
    if (this.paused) this.dispatch({ kind: "pause", on: true });
    this.dispatch({ kind: "start" });
  }

  /** Continues from the journal; begins when there is none of this run. */
  recover(): void {
    const lines = this.files.readJournal();
    const [first] = lines;
    if (first?.k !== "begin" || first.id !== this.place.id) {
      this.begin();
      return;
    }
    const last = lines.at(-1);
    if (last?.k === "ended") {
      this.leave(last.exit);
      return;
    }
    this.startedAt = new Date(first.at);
    this.files.say("Recovering from the journal");
    const loaded = loadDag(this.place.path, this.place.cwd, this.place.limits, first.rescue);
    if (!loaded.ok) {
      this.refuse(loaded.error);
      return;
    }
    if (!this.load(loaded.value)) return;
    this.resume(replay(this.machine as DagMachine, loaded.value.dag, lines));
  }

  /** Ends the tree: processes are killed, rescues written. */
  remove(): void {
    this.dispatch({ kind: "remove" });
  }

  pause(on: boolean): void {
    this.paused = on;
    this.dispatch({ kind: "pause", on });
    for (const { sub } of this.live.values()) sub?.pause(on);
  }

  /** DAGMan looks for its halt file in every cycle; each DAG has its own. */
  checkHalt(): void {
    for (const { sub } of this.live.values()) sub?.checkHalt();
    const halted = this.files.isHalted();
    if (halted === this.halted || !this.machine) return;
    this.halted = halted;
    this.dispatch({ kind: "halt", on: halted });
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

  jobStarts(job: Job): void {
    this.jobstate?.executes(job.spec.node, job.spec.cluster);
    this.write({ k: "run", n: job.spec.node, c: job.spec.cluster, site: job.site, at: Date.now() });
  }

  jobHeld(job: Job, hold: Hold): void {
    this.write({ k: "held", n: job.spec.node, hold });
  }

  jobEvicted(job: Job): void {
    this.write({ k: "evicted", n: job.spec.node });
  }

  jobEnds(job: Job, code: number): void {
    const node = this.dag?.byName.get(job.spec.node);
    if (node) this.ended(node.index, { kind: "job-ended", node: node.index, code });
  }

  private load({ dag, rescue, limits }: LoadedDag): boolean {
    this.rescueUsed = rescue;
    this.limits = limits;
    this.dag = dag;
    this.machine = new DagMachine(dag, limits);
    if (dag.statusFile) {
      this.status = new StatusWriter(this.files, dag.statusFile, this.machine, () => this.statusMore());
    }
    if (dag.jobstateLog !== null) {
      const path = resolve(this.place.cwd, dag.jobstateLog);
      this.jobstate = new JobstateLog((text) => this.world.outbox.log(path, text));
      this.jobstate.internal(`DAGMAN_STARTED ${this.place.id}.0`);
    }
    const cycle = findCycle(dag);
    if (cycle === null) return true;
    this.files.say(`ERROR: a cycle exists in the dag, please check input (node ${cycle})`);
    this.finish({ exit: 1, status: 5, word: "cycle" }, null);
    return false;
  }

  private resume(found: Replayed): void {
    const machine = this.machine as DagMachine;
    this.halted = found.halted;
    if (machine.outcome) {
      this.finish(endOf(machine.outcome), found.finish);
      return;
    }
    for (const [index, { cluster }] of found.intents) if (cluster !== null) this.clusters.set(index, cluster);
    for (const [index, action] of found.open) this.reopen(machine.nodes[index] as LiveNode, action, found);
    if (found.killing) {
      this.kill();
      return;
    }
    if (this.paused !== found.paused) this.dispatch({ kind: "pause", on: this.paused });
    if (!found.started) this.dispatch({ kind: "start" });
    this.scheduleStatus();
  }

  private reopen(node: LiveNode, action: "pre" | "job" | "post" | "defer", found: Replayed): void {
    const intent = found.intents.get(node.spec.index) ?? null;
    const ending = found.killing;
    if (action === "defer") {
      // The wait is lost with the engine, as in DAGMan: the script just runs again.
      if (!ending) this.dispatch({ kind: "deferral-over", node: node.spec.index });
    } else if (action === "job") this.submit(node, intent, ending);
    else if (intent?.script !== null && intent?.script !== undefined)
      this.watchScript(node, action, intent.script, true);
    else if (!ending) this.runScript(node, action);
  }

  private dispatch(event: DagEvent): void {
    this.write(lineOf(event, (node) => this.dag?.nodes[node]?.name ?? ""));
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
        this.fault = describeError(error);
        this.files.say(`ERROR: ${this.fault}`);
      }
    }
    this.inbox = [];
    this.busy = false;
    this.scheduleStatus();
  }

  private act(action: DagAction): void {
    if (action.kind === "kill") {
      this.kill();
      return;
    }
    if (action.kind === "end") {
      this.finish(endOf(action.outcome), null);
      return;
    }
    const node = (this.machine as DagMachine).nodes[action.node] as LiveNode;
    if (action.kind === "job") this.submit(node, null, false);
    else if (action.kind === "defer") this.defer(node, action.seconds);
    else this.runScript(node, action.kind);
  }

  private ended(index: number, event: DagEvent): void {
    this.jobstate?.ended(this.dag?.nodes[index]?.name ?? "", this.clusters.get(index) ?? 0, event);
    this.live.delete(index);
    if (this.machine?.isEnding) {
      if (this.live.size === 0) this.dispatch({ kind: "killed" });
    } else this.dispatch(event);
  }

  private submit(node: LiveNode, intent: Intent | null, ending: boolean): void {
    const { spec } = node;
    if (ending && !intent?.run && spec.kind === "job") return;
    if (spec.noop) {
      this.dispatch({ kind: "job-ended", node: spec.index, code: 0 });
      return;
    }
    const known = intent?.cluster ?? null;
    const cluster = known ?? this.world.nextId();
    this.clusters.set(spec.index, cluster);
    if (spec.kind === "subdag") {
      this.startSub(node, cluster, known !== null);
      return;
    }
    const live = this.enter(spec.index);
    if (intent?.run) {
      live.job = this.world.jobs.adopt(cluster, this, intent.run.site, intent.run.at);
      if (live.job && intent.hold) this.world.jobs.remove(live.job, intent.hold.why, intent.hold);
      if (live.job) return;
    }
    if (known === null) this.write({ k: "sub", n: spec.name, c: cluster });
    this.jobstate?.submitted(spec.name, cluster);
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
    this.clusters.delete(spec.index);
    this.ended(spec.index, { kind: "job-ended", node: spec.index, code: -1001 });
  }

  private startSub(node: LiveNode, cluster: number, known: boolean): void {
    const { spec } = node;
    const cwd = this.dirOf(spec);
    const place: DagPlace = {
      id: cluster,
      parentId: String(this.place.id),
      path: resolve(cwd, spec.file),
      cwd,
      batchName: this.batchName,
      priority: this.place.priority + spec.priority,
      limits: this.limits,
      paused: this.paused,
    };
    const live = this.enter(spec.index);
    if (!known) this.write({ k: "dag", n: spec.name, c: cluster });
    this.jobstate?.submitted(spec.name, cluster);
    const ended = (code: number) => this.ended(spec.index, { kind: "job-ended", node: spec.index, code });
    const sub = new DagRun(this.world, place, ended);
    live.sub = sub;
    this.world.outbox.after(() => {
      try {
        if (known) sub.recover();
        else sub.begin();
      } catch (error) {
        this.files.say(`ERROR: sub-DAG ${spec.name} cannot begin: ${describeError(error)}`);
        ended(-1001);
      }
    });
  }

  private runScript(node: LiveNode, part: "pre" | "post"): void {
    let id: number;
    try {
      id = this.scripts.prepare(node, part, this.dirOf(node.spec), this.factsOf(node, part));
    } catch (error) {
      this.world.outbox.trouble = `cannot start a script: ${describeError(error)}`;
      this.enter(node.spec.index).timer = setTimeout(() => this.runScript(node, part), 1000);
      return;
    }
    this.write({ k: "script", n: node.spec.name, part, t: id });
    this.jobstate?.scriptStarted(node.spec.name, part);
    this.watchScript(node, part, id, false);
  }

  private watchScript(node: LiveNode, part: "pre" | "post", id: number, adopted: boolean): void {
    const { index } = node.spec;
    this.enter(index).script = id;
    this.scripts.watch(node, part, id, adopted, (code) => {
      if (this.closed) return;
      if (code === null && !this.machine?.isEnding) this.runScript(node, part);
      else this.ended(index, { kind: `${part}-ended`, node: index, code: code ?? 1 });
    });
  }

  private defer(node: LiveNode, seconds: number): void {
    const { index } = node.spec;
    const live = this.enter(index);
    live.timer = setTimeout(() => {
      this.ended(index, { kind: "deferral-over", node: index });
    }, seconds * 1000);
  }

  private kill(): void {
    for (const [index, live] of [...this.live]) {
      if (live.timer) {
        clearTimeout(live.timer);
        this.live.delete(index);
      }
      if (live.job) this.world.jobs.remove(live.job, "DAG Removed: the DAG was stopped or aborted");
      else if (live.script !== null) this.world.tasks.kill(live.script, this.world.graceMs);
      live.sub?.remove();
    }
    if (this.live.size === 0) this.dispatch({ kind: "killed" });
  }

  private finish(end: { exit: number; status: number; word: EndWord }, rescue: number | null): void {
    const machine = this.machine as DagMachine;
    this.status?.close();
    try {
      if (end.exit !== 0 || end.word !== "success") {
        const number = rescue ?? this.files.nextRescue();
        this.write({ k: "finish", rescue: number });
        this.world.outbox.flush();
        this.files.writeRescue(number, machine.nodes);
      }
      this.status?.write(end.word);
      this.files.writeMetrics({
        startedAt: this.startedAt,
        exit: end.exit,
        status: end.status,
        dagmanId: String(this.place.id),
        parentId: this.place.parentId,
        rescueUsed: this.rescueUsed,
        nodes: machine.nodes,
      });
    } catch (error) {
      if (!existsSync(this.place.cwd)) {
        this.bye(end.exit);
        return;
      }
      this.world.outbox.trouble = `cannot write the end of ${this.place.path}: ${describeError(error)}`;
      setTimeout(() => this.finish(end, rescue), 1000);
      return;
    }
    this.bye(end.exit);
  }

  /** As DAGMan does with a file it cannot read: words in dagman.out, no metrics, no rescue. */
  private refuse(words: string): void {
    this.files.say(words);
    this.files.say(`Failed to parse ${this.files.name}`);
    this.bye(1);
  }

  private greet(): void {
    this.files.say(`** condor_scheduniv_exec.${this.place.id}.0 (CONDOR_DAGMAN) STARTING UP`);
    this.files.say(`Workflow batch-name: <${this.batchName}>`);
  }

  private bye(exit: number): void {
    this.jobstate?.internal(`DAGMAN_FINISHED ${exit}`);
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

  private statusMore(): { idle: number; detailOf: (node: LiveNode) => string } {
    let idle = 0;
    for (const { job } of this.live.values()) if (job?.state === "idle") idle += 1;
    const detailOf = (node: LiveNode): string => {
      const job = node.state === "queued" ? this.live.get(node.spec.index)?.job : null;
      return job ? this.world.jobs.explain(job) : "";
    };
    return { idle, detailOf };
  }

  private factsOf(node: LiveNode, part: "pre" | "post"): ScriptFacts {
    const { counts, nodes } = this.machine as DagMachine;
    const cluster = this.clusters.get(node.spec.index);
    const ran = cluster !== undefined;
    return {
      node: node.spec.name,
      retry: node.attempt,
      maxRetries: node.spec.retries,
      dagId: String(this.place.id),
      dagStatus: counts.failed > 0 ? 2 : 0,
      counts: { ...counts, total: nodes.length },
      job: part === "pre" ? null : { return: node.jobReturn, cluster: cluster ?? 0, preReturn: node.preReturn, ran },
    };
  }

  private dirOf(spec: NodeSpec): string {
    return spec.dir === null ? this.place.cwd : resolve(this.place.cwd, spec.dir);
  }

  private enter(index: number): Live {
    const live: Live = { job: null, script: null, sub: null, timer: null };
    this.live.set(index, live);
    return live;
  }

  private write(line: JournalLine): void {
    this.world.outbox.journal(this.files.journal, renderLine(line));
  }
}
