import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describeError } from "../../base/errors.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { Texts } from "../dag/dag-files.ts";
import { DagRun, type DagWorld } from "../dag/dag-run.ts";
import { Outbox } from "../dag/outbox.ts";
import { Ids, type RunEntry, readRegistry, removeEntry, type Submission, saveEntry } from "../dag/registry.ts";
import type { EngineSite } from "../port.ts";
import { Families } from "../runners/process/families.ts";
import { Jobs } from "../runners/process/process-runner.ts";
import { Tasks } from "../runners/process/tasks.ts";
import { type LiveRun, nameOf } from "./protocol.ts";

export interface CoreOptions {
  /** Where the engine keeps its own files: runs, tasks with their scratch directories, the id counter. */
  readonly dir: string;
  readonly sites: readonly EngineSite[];
  /** Between TERM and KILL. */
  readonly graceMs?: number;
  /** false: do without control groups, even where they can be had. */
  readonly cgroups?: boolean;
}

const BATCH_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/;
/** What jobs and scripts inherit of this process. */
const INHERITED = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "PYTHONPATH"];
const HALT_MS = 1000;
const GRACE_MS = 3000;

/**
 * The local engine without its socket: all DAGs of one directory. Usable within a process (tests, benchmarks);
 * only one may use a directory at a time, which the daemon's lock sees to.
 */
export class LocalCore {
  private readonly dir: string;
  private readonly world: DagWorld;
  private readonly runs = new Map<string, { entry: RunEntry; dag: DagRun }>();
  private readonly families: Families;
  private readonly halts: NodeJS.Timeout;
  private readonly waiters: (() => void)[] = [];

  constructor(options: CoreOptions) {
    this.dir = resolve(options.dir);
    const graceMs = options.graceMs ?? GRACE_MS;
    const tasks = new Tasks(join(this.dir, "tasks"), inheritedEnvironment());
    const outbox = new Outbox(() => tasks.flush());
    const ids = new Ids(join(this.dir, "next-id"));
    this.families = new Families(options.cgroups === false ? null : nameOf(this.dir));
    const jobs = new Jobs(tasks, outbox, options.sites, graceMs, this.families);
    this.world = { tasks, outbox, jobs, texts: new Texts(), nextId: () => ids.take(), graceMs };
    this.halts = setInterval(() => {
      for (const { dag } of this.runs.values()) dag.checkHalt();
    }, HALT_MS);
    this.halts.unref();
  }

  /** Whatever a job starts ends with it, whatever it does. */
  get isContained(): boolean {
    return this.families.isContained;
  }

  get busy(): boolean {
    return this.runs.size > 0;
  }

  /** Continues every run that was under way when the last engine of this directory ended. */
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
    // Directories of tasks that ended just before a crash; those of running tasks were taken up again by now.
    if (!this.busy) this.world.tasks.clear();
  }

  /** Asking again for a run that is under way is answered with its id: a caller may have died between. */
  submit(submission: Submission): Result<number, string> {
    const { batchName } = submission;
    if (!BATCH_NAME.test(batchName)) return err(`batch name ${batchName} is not allowed`);
    const path = resolve(submission.submitDir, "workflow.dag");
    const known = this.runs.get(batchName);
    if (known && known.dag.place.path === path) return ok(known.entry.id);
    if (known) return err(`batch name ${batchName} is in use for ${known.dag.place.path}`);
    for (const { entry, dag } of this.runs.values()) {
      if (dag.place.path === path) return err(`${path} is being run as ${entry.batchName}`);
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

  configure(sites: readonly EngineSite[]): void {
    this.world.jobs.configure(sites);
  }

  /** The runs under way by batch name, each with what is odd about it, and why some of its jobs will never start. */
  list(): LiveRun[] {
    const stuck = this.world.jobs.stuck();
    return [...this.runs.values()].map(({ entry: { batchName, held } }) => {
      const notes = [held ? "held" : null, this.world.outbox.trouble];
      return { batchName, note: notes.filter(Boolean).join("; ") || null, unmatched: stuck.get(batchName) ?? null };
    });
  }

  /** Resolves when no run is left. */
  async idle(): Promise<void> {
    while (this.busy) await new Promise<void>((done) => this.waiters.push(done));
  }

  /** Leaves without stopping anything: what runs goes on and is taken over by the next engine. */
  close(): void {
    clearInterval(this.halts);
    this.world.jobs.close();
    for (const { dag } of this.runs.values()) dag.close();
    this.world.outbox.flush();
    this.world.tasks.close();
    this.world.outbox.closeAll();
    this.families.close();
  }

  private open(entry: RunEntry): DagRun {
    const cwd = resolve(entry.submitDir);
    const place = {
      id: entry.id,
      parentId: "",
      path: resolve(cwd, "workflow.dag"),
      cwd,
      batchName: entry.batchName,
      priority: entry.priority,
      limits: null,
      paused: entry.held,
    };
    const dag = new DagRun(this.world, place, () => this.leave(entry));
    this.runs.set(entry.batchName, { entry, dag });
    return dag;
  }

  private leave(entry: RunEntry): void {
    this.runs.delete(entry.batchName);
    removeEntry(this.dir, entry);
    for (const done of this.waiters.splice(0)) done();
  }
}

function inheritedEnvironment(): Record<string, string> {
  const kept: Record<string, string> = { PATH: "/usr/local/bin:/usr/bin:/bin" };
  for (const name of INHERITED) if (process.env[name] !== undefined) kept[name] = process.env[name];
  // POST starts node: the one that runs us, should there be none on the PATH.
  return { ...kept, PATH: `${kept.PATH}:${dirname(process.execPath)}` };
}
