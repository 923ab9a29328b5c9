import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describeError } from "../../base/errors.ts";
import type { Jobs } from "../runners/process/process-runner.ts";
import type { Tasks } from "../runners/process/tasks.ts";
import { findCycle } from "./dag-file.ts";
import { DagFiles, type Texts } from "./dag-files.ts";
import { loadDag } from "./dag-load.ts";
import { type JournalLine, renderLine, replay } from "./journal.ts";
import { type DagAction, type DagEvent, type DagLimits, DagMachine, type DagOutcome } from "./machine.ts";
import { NodeWork } from "./node-work.ts";
import type { Outbox } from "./outbox.ts";
import { StatusWriter } from "./status-writer.ts";

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

const EVENTS_PER_TURN = 2000;

/**
 * One DAG under way: feeds the machine, has its actions carried out, and keeps the files beside the .dag. Every
 * event is in the journal before its consequences begin (see Outbox), so `recover` continues where a killed
 * engine stopped. A sub-DAG is another DagRun with its own files.
 */
export class DagRun {
  readonly place: DagPlace;
  private readonly world: DagWorld;
  private readonly files: DagFiles;
  private readonly onEnd: (exit: number) => void;
  private readonly work: NodeWork;
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
    this.work = new NodeWork(world, this);
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
    for (const sub of this.work.subs()) sub.pause(on);
  }

  /** DAGMan looks for its halt file in every cycle; each DAG has its own. */
  checkHalt(): void {
    for (const sub of this.work.subs()) sub.checkHalt();
    const halted = this.files.isHalted();
    if (!this.machine || this.machine.isEnding || this.machine.outcome) return;
    if (halted !== this.machine.halted) this.dispatch({ k: "halt", on: halted });
  }

  /** The engine leaves; what runs goes on and is found again. */
  close(): void {
    this.closed = true;
    this.status?.close();
    this.work.close();
  }

  get isEnding(): boolean {
    return this.machine?.isEnding ?? false;
  }

  openSub(at: Pick<DagPlace, "id" | "path" | "cwd" | "priority">, onEnd: (exit: number) => void): DagRun {
    const { id, batchName } = this.place;
    const place = { ...at, parentId: String(id), batchName, limits: this.limits, paused: this.paused };
    return new DagRun(this.world, place, onEnd);
  }

  /** Nothing is under way for a node any more. While the DAG is being stopped only the last such word counts. */
  nodeLeft(event: DagEvent): void {
    if (!this.isEnding) this.dispatch(event);
    else if (this.work.isOver) this.dispatch({ k: "killed" });
  }

  write(line: JournalLine): void {
    this.world.outbox.journal(this.files.journal, renderLine(line));
  }

  say(words: string): void {
    this.files.say(words);
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
      this.status = new StatusWriter(path, dag.statusFile, machine.nodes.length, () => ({
        dagName: this.files.name,
        machine,
        idle: this.work.idle(),
        detailOf: (node) => this.work.detailOf(node),
      }));
    }
    const cycle = findCycle(dag);
    if (cycle === null) return machine;
    this.files.say(`ERROR: a cycle exists in the dag, please check input (node ${cycle})`);
    this.finish({ exit: 1, status: 5, word: "cycle" });
    return null;
  }

  private resume(machine: DagMachine, lines: readonly JournalLine[]): void {
    const found = replay(machine, lines);
    if (machine.outcome) {
      this.finish(machine.outcome);
      return;
    }
    const ending = machine.isEnding;
    this.work.resume(machine, found);
    if (ending) {
      this.kill();
      return;
    }
    if (this.paused !== machine.paused) this.dispatch({ k: "pause", on: this.paused });
    if (!lines.some(({ k }) => k === "start")) this.dispatch({ k: "start" });
    this.scheduleStatus();
  }

  private dispatch(event: DagEvent): void {
    this.write(event);
    this.inbox.push(event);
    if (!this.busy) this.handle();
  }

  private handle(): void {
    if (this.closed || !this.machine) return;
    this.busy = true;
    // Ends that follow at once (NOOP nodes) are handled in turn, without keeping everybody else waiting.
    for (let at = 0; at < this.inbox.length; at++) {
      if (at === EVENTS_PER_TURN) {
        this.inbox = this.inbox.slice(at);
        setImmediate(() => this.handle());
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
    else if (action.kind === "end") this.finish(action.outcome);
    else if (action.kind === "defer") this.work.defer(action.node, action.seconds);
    else this.work.start(action.node, action.kind);
  }

  private kill(): void {
    this.work.kill();
    if (this.work.isOver) this.dispatch({ k: "killed" });
  }

  private finish(outcome: DagOutcome): void {
    const machine = this.machine as DagMachine;
    this.status?.close();
    try {
      if (outcome.word !== "success") {
        // A stop must be on record before its end is.
        this.world.outbox.flush();
        this.files.writeRescue(this.rescueUsed, machine.nodes);
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
        setTimeout(() => this.finish(outcome), 1000);
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
}
