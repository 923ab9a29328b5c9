import { describeError } from "../../core/base/errors.ts";
import { findCycle } from "./dag-file.ts";
import type { Texts } from "./dag-files.ts";
import { type LoadedDag, loadDag } from "./dag-load.ts";
import type { DagRecord } from "./dag-record.ts";
import { type JournalLine, replay } from "./journal.ts";
import { type DagAction, type DagEvent, DagMachine, type DagOutcome } from "./machine.ts";
import { NodeWork } from "./node-work.ts";
import type { Outbox } from "./outbox.ts";
import type { JobRunner, ScriptRunner } from "./runner.ts";
import type { DagLimits } from "./turns.ts";

/** What every DAG of an executor shares. */
export interface DagWorld {
  readonly jobs: JobRunner;
  readonly scripts: ScriptRunner;
  readonly outbox: Pick<Outbox, "log" | "after" | "schedule" | "trouble">;
  readonly texts: Texts;
  readonly time: Time;
  /** A number never given before: clusters, DAGs and scripts share them. */
  readonly nextId: () => number;
  readonly recordOf: (setup: DagSetup) => DagRecord;
}

export interface Time {
  now(): Date;
  after(seconds: number, run: () => void): { cancel(): void };
  /** When everybody else had a turn. */
  soon(run: () => void): void;
}

export interface DagSetup {
  readonly id: number;
  readonly parentId: string;
  readonly path: string;
  readonly cwd: string;
  readonly batchName: string;
  readonly priority: number;
  readonly limits: DagLimits | null;
  readonly paused: boolean;
}

const EVENTS_PER_TURN = 200;
const RETRY_SEC = 1;

/**
 * One DAG under way: feeds the machine and has its actions carried out. Every event is in the journal before its
 * consequences begin (see Outbox), so `recover` continues where a killed engine stopped. A sub-DAG is another DagRun with
 * its own files.
 */
export class DagRun {
  readonly setup: DagSetup;
  machine: DagMachine | null = null;
  private readonly world: DagWorld;
  readonly record: DagRecord;
  private readonly onEnd: (exit: number) => void;
  private readonly work: NodeWork;
  private limits: DagLimits | null = null;
  private inbox: DagEvent[] = [];
  private busy = false;
  private paused: boolean;
  private closed = false;

  constructor(world: DagWorld, setup: DagSetup, onEnd: (exit: number) => void) {
    this.world = world;
    this.setup = setup;
    this.record = world.recordOf(setup);
    this.onEnd = onEnd;
    this.work = new NodeWork(world, this);
    this.paused = setup.paused;
  }

  /** A fresh run. Throws when the directory cannot be written; everything later is reported in the files. */
  begin(): void {
    const loaded = this.read(null);
    this.record.begin(loaded.ok ? loaded.value.rescue : 0);
    if (!loaded.ok) this.refuse(loaded.error);
    else if (this.load(loaded.value)) this.start();
  }

  start(): void {
    if (this.paused) this.dispatch({ k: "pause", on: true });
    this.dispatch({ k: "start" });
  }

  /** Continues from the journal; begins when there is none of this run. */
  recover(): void {
    const lines = this.record.journal();
    const [first, last] = [lines[0], lines.at(-1)];
    if (first?.k !== "begin" || first.id !== this.setup.id) this.begin();
    else if (last?.k === "ended") this.leave(last.exit);
    else {
      this.record.say("Recovering from the journal");
      const loaded = this.read(first.rescue);
      if (!loaded.ok) this.refuse(loaded.error);
      else if (this.load(loaded.value)) this.resume(lines);
    }
  }

  /** Ends the tree: processes are killed, rescues written. */
  remove(): void {
    this.dispatch({ k: "remove" });
  }

  pause(on: boolean): void {
    this.paused = on;
    this.dispatch({ k: "pause", on });
    for (const sub of this.subs()) sub.pause(on);
  }

  /** DAGMan looks for its halt file in every cycle; each DAG has its own. */
  checkHalt(): void {
    for (const sub of this.subs()) sub.checkHalt();
    const halted = this.record.isHalted();
    if (!this.machine || this.machine.isEnding || this.machine.outcome) return;
    if (halted !== this.machine.halted) this.dispatch({ k: "halt", on: halted });
  }

  /** The engine leaves; what runs goes on and is found again. */
  close(): void {
    this.closed = true;
    this.record.close();
    this.work.close();
  }

  subs(): DagRun[] {
    return this.work.subs();
  }

  get isEnding(): boolean {
    return this.machine?.isEnding ?? false;
  }

  openSub(at: Pick<DagSetup, "id" | "path" | "cwd" | "priority">, onEnd: (exit: number) => void): DagRun {
    const { id, batchName } = this.setup;
    const setup = { ...at, parentId: String(id), batchName, limits: this.limits, paused: this.paused };
    return new DagRun(this.world, setup, onEnd);
  }

  /** Nothing is under way for a node any more. While the DAG is being stopped only the last such report counts. */
  nodeLeft(event: DagEvent): void {
    if (!this.isEnding) this.dispatch(event);
    else if (this.work.isOver) this.dispatch({ k: "killed" });
  }

  /** A job began, or lost its place: no event of the DAG, but its status tells who runs. */
  jobMoved(line: JournalLine): void {
    this.record.write(line);
    if (!this.closed && !this.machine?.outcome) this.record.changed();
  }

  private read(rescue: number | null): ReturnType<typeof loadDag> {
    return loadDag(this.setup.path, this.setup.cwd, this.setup.limits, rescue);
  }

  /** As DAGMan does with a file it cannot read: why is in dagman.out; no metrics, no rescue. */
  private refuse(why: string): void {
    this.record.refuse(why);
    this.bye(1);
  }

  /** false: it cannot be run, and its end is on the way. */
  load({ dag, rescue, limits }: LoadedDag): boolean {
    this.limits = limits;
    this.machine = new DagMachine(dag, limits);
    this.record.open(this.machine, rescue, this.work, dag.statusFile);
    const cycle = findCycle(dag);
    if (cycle === null) return true;
    this.record.say(`ERROR: a cycle exists in the dag, please check input (node ${cycle})`);
    this.finish({ exit: 1, status: 5, word: "cycle" });
    return false;
  }

  private resume(lines: readonly JournalLine[]): void {
    const machine = this.machine as DagMachine;
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
    this.record.changed();
  }

  private dispatch(event: DagEvent): void {
    this.record.write(event);
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
        this.world.time.soon(() => this.handle());
        return;
      }
      try {
        for (const action of this.machine.handle(this.inbox[at] as DagEvent)) this.act(action);
      } catch (error) {
        // A bug, or a broken journal: this DAG stands still and says so, the others go on; it can be stopped.
        this.record.broken(error);
      }
    }
    this.inbox = [];
    this.busy = false;
    if (!this.closed && !this.machine.outcome) this.record.changed();
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
    try {
      this.record.end(outcome);
    } catch (error) {
      this.world.outbox.trouble = `cannot write the end of ${this.setup.path}: ${describeError(error)}`;
      this.world.time.after(RETRY_SEC, () => this.finish(outcome));
      return;
    }
    this.bye(outcome.exit);
  }

  private bye(exit: number): void {
    this.record.bye(exit);
    this.world.outbox.after(() => this.leave(exit));
  }

  private leave(exit: number): void {
    this.close();
    this.onEnd(exit);
  }
}
