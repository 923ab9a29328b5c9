import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { describeError } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { TOP } from "../../submit-dir/names.ts";
import { Texts } from "./dag-files.ts";
import { FileRecord } from "./dag-record.ts";
import { DagRun, type DagWorld, type Time } from "./dag-run.ts";
import type { Outbox } from "./outbox.ts";
import { Ids, type RunEntry, readRegistry, removeEntry, type Submission, saveEntry } from "./registry.ts";
import type { JobRunner, ScriptRunner } from "./runner.ts";

const BATCH_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/;
const HALT_MS = 1000;

const REAL_TIME: Time = {
  now: () => new Date(),
  after: (seconds, run) => {
    const timer = setTimeout(run, seconds * 1000);
    return { cancel: () => clearTimeout(timer) };
  },
  soon: setImmediate,
};

/** A run under way. */
export type LiveRun = ReturnType<Executor["list"]>[number];

/**
 * Runs the DAGs of one directory, whatever starts their jobs. Only one may use a directory at a time, which the lock of
 * the engine's process sees to.
 */
export class Executor {
  private readonly dir: string;
  private readonly outbox: Outbox;
  private readonly world: DagWorld;
  private readonly runs = new Map<string, { entry: RunEntry; dag: DagRun }>();
  private readonly halts: NodeJS.Timeout;
  private readonly waiters: (() => void)[] = [];

  /** `dir`: where it keeps the registry of its runs and the id counter. */
  constructor(dir: string, outbox: Outbox, jobs: JobRunner, scripts: ScriptRunner) {
    this.dir = dir;
    this.outbox = outbox;
    const ids = new Ids(join(dir, "next-id"));
    this.world = {
      jobs,
      scripts,
      outbox,
      texts: new Texts(),
      time: REAL_TIME,
      nextId: () => ids.take(),
      recordOf: (setup) => new FileRecord(setup, outbox),
    };
    this.halts = setInterval(() => {
      for (const { dag } of this.runs.values()) dag.checkHalt();
    }, HALT_MS);
    this.halts.unref();
  }

  get busy(): boolean {
    return this.runs.size > 0;
  }

  /** Continues every run that was under way when the last executor of this directory ended. */
  recover(): void {
    for (const entry of readRegistry(this.dir)) {
      const dag = this.open(entry);
      try {
        dag.recover();
      } catch (error) {
        // Nothing more can be done for this run; its files say so, the others go on.
        console.error(`run ${entry.batchName} cannot be recovered: ${describeError(error)}`);
        this.leave(entry);
      }
    }
  }

  /** Asking again for a run that is under way is answered with its id: a caller may have died between. */
  submit(submission: Submission): Result<number, string> {
    const { batchName } = submission;
    if (!BATCH_NAME.test(batchName)) return err(`batch name ${batchName} is not allowed`);
    const path = resolve(submission.submitDir, TOP.dag);
    const known = this.runs.get(batchName);
    if (known && known.dag.setup.path === path) return ok(known.entry.id);
    if (known) return err(`batch name ${batchName} is in use for ${known.dag.setup.path}`);
    for (const { entry, dag } of this.runs.values()) {
      if (dag.setup.path === path) return err(`${path} is being run as ${entry.batchName}`);
    }
    if (!existsSync(path)) return err(`${path} does not exist`);
    const entry: RunEntry = { ...submission, id: this.world.nextId(), submittedAt: Date.now(), held: false };
    saveEntry(this.dir, entry);
    try {
      this.open(entry).begin();
    } catch (error) {
      this.leave(entry);
      return err(`cannot begin in ${submission.submitDir}: ${describeError(error)}`);
    }
    return ok(entry.id);
  }

  find(batchName: string): number | null {
    return this.runs.get(batchName)?.entry.id ?? null;
  }

  stop(batchName: string): void {
    this.runs.get(batchName)?.dag.remove();
  }

  hold(batchName: string, on: boolean): void {
    const run = this.runs.get(batchName);
    if (!run || run.entry.held === on) return;
    run.entry = { ...run.entry, held: on };
    saveEntry(this.dir, run.entry);
    run.dag.pause(on);
  }

  /** The runs under way by batch name, each with what is odd about it, and why some of its jobs will never start. */
  list() {
    const stuck = this.world.jobs.stuck();
    return [...this.runs.values()].map(({ entry: { batchName, held } }) => {
      const notes = [held ? "held" : null, this.outbox.trouble];
      return { batchName, note: notes.filter(Boolean).join("; ") || null, unmatched: stuck.get(batchName) ?? null };
    });
  }

  /** Resolves when no run is left. */
  async idle(): Promise<void> {
    while (this.busy) await new Promise<void>((done) => this.waiters.push(done));
  }

  /** Leaves without stopping anything: what runs goes on and is taken over by the next executor. */
  close(): void {
    clearInterval(this.halts);
    this.world.jobs.close();
    for (const { dag } of this.runs.values()) dag.close();
    this.outbox.flush();
    this.outbox.closeAll();
  }

  private open(entry: RunEntry): DagRun {
    const cwd = resolve(entry.submitDir);
    const { id, batchName, priority, held: paused } = entry;
    const setup = { id, parentId: "", path: resolve(cwd, TOP.dag), cwd, batchName, priority, limits: null, paused };
    const dag = new DagRun(this.world, setup, () => this.leave(entry));
    this.runs.set(batchName, { entry, dag });
    return dag;
  }

  private leave(entry: RunEntry): void {
    this.runs.delete(entry.batchName);
    removeEntry(this.dir, entry);
    for (const done of this.waiters.splice(0)) done();
  }
}
