import { resolve } from "node:path";
import { describeError } from "../../base/errors.ts";
import { parseJobOf } from "./dag-job.ts";
import { findCycle, type DagFile, type NodeSpec } from "./dag-file.ts";
import type { EndWord } from "./bookkeeping-text.ts";
import { DagFiles } from "./dag-files.ts";
import { loadDag, type LoadedDag } from "./dag-load.ts";
import { type DagAction, type DagEvent, type DagLimits, DagMachine, type DagOutcome, type LiveNode } from "./dag-machine.ts";
import { type Intent, type Replayed, replay } from "./dag-replay.ts";
import { type JournalLine, renderLine } from "./journal.ts";
import type { Job, JobHost, Jobs } from "./jobs.ts";
import type { Outbox } from "./outbox.ts";
import { expandArguments } from "./script-macros.ts";
import type { TaskEnd, Tasks } from "./tasks.ts";
import type { Texts } from "./texts.ts";

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

interface Live {
  cluster: number;
  job: Job | null;
  script: number | null;
  sub: DagRun | null;
  timer: NodeJS.Timeout | null;
}

const EVENTS_PER_TURN = 2000;
const STATUS_MS = 1000;

/**
 * One DAG under way: feeds the machine, carries out what it asks for, and keeps the files beside the .dag. Every
 * event is in the journal before its consequences begin (see Outbox), so `recover` continues where a killed
 * engine stopped. A sub-DAG is another DagRun with its own files.
 */
export class DagRun implements JobHost {
  readonly batchName: string;
  readonly place: DagPlace;
  private readonly world: DagWorld;
  private readonly files: DagFiles;
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
  private statusTimer: NodeJS.Timeout | null = null;
  private statusAt = 0;
  private closed = false;

  constructor(world: DagWorld, place: DagPlace, onEnd: (exit: number) => void) {
    this.world = world;
    this.place = place;
    this.batchName = place.batchName;
    this.files = new DagFiles(place.path, place.cwd);
    this.onEnd = onEnd;
  }

  /** A fresh run. Throws when the directory cannot be written; everything later is reported in the files. */
  begin(): void {
    const loaded = loadDag(this.place.path, this.place.cwd, this.place.limits, null);
    const rescue = loaded.ok ? loaded.value.rescue : 0;
    const { id, parentId } = this.place;
    this.files.startJournal(renderLine({ k: "begin", id, parent: parentId, rescue, at: this.startedAt.getTime() }));
    this.files.clearHalt();
    this.greet();
    if (!loaded.ok) return this.refuse(loaded.error);
    if (rescue > 0) this.files.say(`Running rescue DAG ${rescue}`);
    if (!this.load(loaded.value)) return;
    if (this.place.paused) this.dispatch({ kind: "pause", on: true });
    this.dispatch({ kind: "start" }, false);
  }

  /** Continues from the journal; begins when there is none of this run. */
  recover(): void {
    const lines = this.files.readJournal();
    const [first] = lines;
    if (first?.k !== "begin" || first.id !== this.place.id) return this.begin();
    const last = lines.at(-1);
    if (last?.k === "ended") return this.leave(last.exit);
    this.startedAt = new Date(first.at);
    this.files.say("Recovering from the journal");
    const loaded = loadDag(this.place.path, this.place.cwd, this.place.limits, first.rescue);
    if (!loaded.ok) return this.refuse(loaded.error);
    if (!this.load(loaded.value)) return;
    this.resume(replay(this.machine as DagMachine, loaded.value.dag, lines));
  }

  /** Ends the tree: processes are killed, rescues written. */
  remove(): void {
    this.dispatch({ kind: "remove" });
  }

  pause(on: boolean): void {
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
    if (this.statusTimer) clearTimeout(this.statusTimer);
    for (const { timer, sub } of this.live.values()) {
      if (timer) clearTimeout(timer);
      sub?.close();
    }
  }

  jobStarts(job: Job): void {
    this.write({ k: "run", n: job.spec.node, c: job.spec.cluster, site: job.site, at: Date.now() });
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
    const cycle = findCycle(dag);
    if (cycle === null) return true;
    this.files.say(`ERROR: a cycle exists in the dag, please check input (node ${cycle})`);
    this.finish({ exit: 1, status: 5, word: "cycle" }, null);
    return false;
  }

  private resume(found: Replayed): void {
    const machine = this.machine as DagMachine;
    this.halted = found.halted;
    for (const [index, { cluster }] of found.intents) if (cluster !== null) this.clusters.set(index, cluster);
    for (const [index, action] of found.open) this.reopen(machine.nodes[index] as LiveNode, action, found);
    if (machine.outcome) return this.finish(endOf(machine.outcome), found.finish);
    if (found.killing) this.kill();
    else if (this.place.paused !== found.paused) this.dispatch({ kind: "pause", on: this.place.paused });
    this.scheduleStatus();
  }

  private reopen(node: LiveNode, action: "pre" | "job" | "post" | "defer", found: Replayed): void {
    const intent = found.intents.get(node.spec.index) ?? null;
    const ending = found.killing;
    if (action === "defer") {
      // The wait is lost with the engine, as in DAGMan: the script just runs again.
      if (!ending) this.dispatch({ kind: "deferral-over", node: node.spec.index });
    } else if (action === "job") this.submit(node, intent, ending);
    else if (intent?.script !== null && intent?.script !== undefined) this.watchScript(node, action, intent.script);
    else if (!ending) this.runScript(node, action);
  }

  private dispatch(event: DagEvent, journal = true): void {
    if (journal) this.writeEvent(event);
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
      for (const action of this.machine.handle(this.inbox[at] as DagEvent)) this.act(action);
    }
    this.inbox = [];
    this.busy = false;
    this.scheduleStatus();
  }

  private act(action: DagAction): void {
    if (action.kind === "kill") return this.kill();
    if (action.kind === "end") return this.finish(endOf(action.outcome), null);
    const node = (this.machine as DagMachine).nodes[action.node] as LiveNode;
    if (action.kind === "job") this.submit(node, null, false);
    else if (action.kind === "defer") this.defer(node, action.seconds);
    else this.runScript(node, action.kind);
  }

  private ended(index: number, event: DagEvent): void {
    this.live.delete(index);
    if (this.machine?.isEnding) {
      if (this.live.size === 0) this.dispatch({ kind: "killed" });
    } else this.dispatch(event);
  }

  private submit(node: LiveNode, intent: Intent | null, ending: boolean): void {
    const { spec } = node;
    if (ending && !intent?.run && spec.kind === "job") return;
    if (spec.noop) return this.dispatch({ kind: "job-ended", node: spec.index, code: 0 });
    const known = intent?.cluster ?? null;
    const cluster = known ?? this.world.nextId();
    this.clusters.set(spec.index, cluster);
    if (spec.kind === "subdag") return this.startSub(node, cluster, known !== null);
    const live = this.enter(spec.index, cluster);
    if (intent?.run) {
      live.job = this.world.jobs.adopt(cluster, this, intent.run.site, intent.run.at);
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
      paused: this.place.paused,
    };
    const live = this.enter(spec.index, cluster);
    if (!known) this.write({ k: "dag", n: spec.name, c: cluster });
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
    const script = node.spec[part];
    if (!script) return;
    const { tasks } = this.world;
    const id = this.world.nextId();
    tasks.makeDir(id);
    tasks.write(id, {
      cwd: this.dirOf(node.spec),
      argv: [script.executable, ...expandArguments(script.arguments, this.factsOf(node, part))],
      environment: [],
      stdin: null,
      stdout: { path: `${this.place.path}.lib.out`, append: true },
      stderr: { path: `${this.place.path}.lib.err`, append: true },
    });
    this.write({ k: "script", n: node.spec.name, part, t: id });
    this.watchScript(node, part, id);
  }

  private watchScript(node: LiveNode, part: "pre" | "post", id: number): void {
    const { index } = node.spec;
    this.enter(index, this.clusters.get(index) ?? 0).script = id;
    this.world.tasks.start(id, (end) => {
      if (this.closed) return;
      this.world.outbox.after(() => this.world.tasks.forget(id));
      if (end.exit.kind === "vanished" && !this.machine?.isEnding) return this.runScript(node, part);
      this.ended(index, { kind: `${part}-ended`, node: index, code: this.scriptCode(node, part, end) });
    });
    this.world.outbox.schedule();
  }

  private scriptCode(node: LiveNode, part: string, { exit }: TaskEnd): number {
    if (exit.kind === "exited") return exit.code;
    if (exit.kind === "signalled") return -exit.signal;
    const words = exit.kind === "unstarted" ? exit.words : "it vanished";
    this.files.say(`ERROR: ${part.toUpperCase()} script of ${node.spec.name} did not run: ${words}`);
    return 1;
  }

  private defer(node: LiveNode, seconds: number): void {
    const { index } = node.spec;
    const live = this.enter(index, this.clusters.get(index) ?? 0);
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
    try {
      if (end.exit !== 0 || end.word !== "success") {
        const number = rescue ?? this.files.nextRescue();
        this.write({ k: "finish", rescue: number });
        this.world.outbox.flush();
        this.files.writeRescue(number, machine.nodes);
      }
      this.writeStatus(end.word);
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
    const file = this.dag?.statusFile;
    if (!file || this.closed || this.statusTimer || this.machine?.outcome) return;
    const wait = Math.max(0, this.statusAt + this.statusEveryMs(file.minSec) - Date.now());
    this.statusTimer = setTimeout(() => {
      this.statusTimer = null;
      this.writeStatus(null);
    }, wait);
  }

  /** Fresher than DAGMan's minimum while the file is small: rewriting 5000 nodes takes some 5 ms. */
  private statusEveryMs(minSec: number): number {
    return Math.min(minSec * 1000, Math.max(STATUS_MS, (this.machine?.nodes.length ?? 0) / 5));
  }

  private writeStatus(ended: EndWord | null): void {
    const file = this.dag?.statusFile;
    if (!file || !this.machine || this.closed) return;
    this.statusAt = Date.now();
    let idle = 0;
    for (const { job } of this.live.values()) if (job?.state === "idle") idle += 1;
    const detailOf = (node: LiveNode): string => {
      const job = node.state === "queued" ? this.live.get(node.spec.index)?.job : null;
      return job ? this.world.jobs.explain(job) : "";
    };
    const nextMs = this.statusEveryMs(file.minSec);
    try {
      this.files.writeStatus(file, this.machine, { ended, jobs: { idle, held: 0 }, nextMs, detailOf });
    } catch (error) {
      if (ended !== null) throw error;
      this.world.outbox.trouble = `cannot write ${file.path}: ${describeError(error)}`;
    }
  }

  private factsOf(node: LiveNode, part: "pre" | "post"): Parameters<typeof expandArguments>[1] {
    const { counts, nodes } = this.machine as DagMachine;
    const cluster = this.clusters.get(node.spec.index);
    return {
      node: node.spec.name,
      retry: node.attempt,
      maxRetries: node.spec.retries,
      dagId: String(this.place.id),
      dagStatus: counts.failed > 0 ? 2 : 0,
      counts: { ...counts, total: nodes.length },
      job:
        part === "pre"
          ? null
          : { return: node.jobReturn, cluster: cluster ?? 0, preReturn: node.preReturn, ran: cluster !== undefined },
    };
  }

  private dirOf(spec: NodeSpec): string {
    return spec.dir === null ? this.place.cwd : resolve(this.place.cwd, spec.dir);
  }

  private enter(index: number, cluster: number): Live {
    const live: Live = { cluster, job: null, script: null, sub: null, timer: null };
    this.live.set(index, live);
    return live;
  }

  private write(line: JournalLine): void {
    this.world.outbox.journal(this.files.journal, renderLine(line));
  }

  private writeEvent(event: DagEvent): void {
    const name = "node" in event ? (this.dag?.nodes[event.node] as NodeSpec).name : "";
    if (event.kind === "pre-ended") this.write({ k: "pre", n: name, code: event.code });
    else if (event.kind === "job-ended") this.write({ k: "job", n: name, code: event.code });
    else if (event.kind === "post-ended") this.write({ k: "post", n: name, code: event.code });
    else if (event.kind === "deferral-over") this.write({ k: "deferred", n: name });
    else if (event.kind === "pause" || event.kind === "halt") this.write({ k: event.kind, on: event.on });
    else if (event.kind === "remove" || event.kind === "killed") this.write({ k: event.kind });
  }
}

function endOf(outcome: DagOutcome): { exit: number; status: number; word: EndWord } {
  const words: Record<DagOutcome["status"], EndWord> = { 0: "success", 2: "failed", 3: "aborted", 4: "removed" };
  const word = outcome.status === 0 && outcome.exit !== 0 ? "halted" : words[outcome.status];
  return { exit: outcome.exit, status: outcome.status, word };
}
