import { dirname, join, resolve } from "node:path";
import { Texts } from "../dag/dag-files.ts";
import { Executor } from "../dag/executor.ts";
import { Outbox } from "../dag/outbox.ts";
import type { ScriptCall } from "../dag/runner.ts";
import type { EngineSite } from "../port.ts";
import { DirectJobs } from "../runners/process/direct/job.ts";
import { Ours } from "../runners/process/direct/ours.ts";
import { scriptAtOnce } from "../runners/process/direct/scripts.ts";
import { Families } from "../runners/process/families.ts";
import { ProcessRunner } from "../runners/process/process-runner.ts";
import { makeScripts } from "../runners/process/scripts.ts";
import { Tasks } from "../runners/process/tasks.ts";
import { nameOf } from "./protocol.ts";

interface CoreOptions {
  /** Where the engine keeps its own files: runs, tasks with their scratch directories, the id counter. */
  readonly dir: string;
  readonly sites: readonly EngineSite[];
  /** Between TERM and KILL. */
  readonly graceMs?: number;
  /** false: do without control groups, even where they can be had. */
  readonly cgroups?: boolean;
}

/** What jobs and scripts inherit of this process. */
const INHERITED = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "PYTHONPATH"];
const GRACE_MS = 3000;

/** The local engine without its socket: the executor with processes of this machine. Usable within a process (tests, benchmarks). */
export class LocalCore extends Executor {
  private readonly tasks: Tasks;
  private readonly families: Families;
  private readonly runner: ProcessRunner;

  constructor({ dir, sites, graceMs = GRACE_MS, cgroups = true }: CoreOptions) {
    const home = resolve(dir);
    const outbox = new Outbox();
    const tasks = new Tasks(join(home, "tasks"), inheritedEnvironment(), () => outbox.schedule());
    const families = new Families(cgroups ? nameOf(home) : null);
    const ours = new Ours(new Texts());
    const runner = new ProcessRunner(tasks, outbox, sites, graceMs, families, new DirectJobs(ours));
    outbox.act = () => tasks.flush();
    const atOnce = (call: ScriptCall) => scriptAtOnce(call, ours, () => new Date());
    super(home, outbox, runner, makeScripts(tasks, outbox, graceMs, atOnce));
    [this.tasks, this.families, this.runner] = [tasks, families, runner];
  }

  /** Whatever a job starts ends with it, whatever it does. */
  get isContained(): boolean {
    return this.families.isContained;
  }

  configure(sites: readonly EngineSite[]): void {
    this.runner.configure(sites);
  }

  override recover(): void {
    super.recover();
    // Directories of tasks that ended just before a crash; those of running tasks were taken up again by now.
    if (!this.busy) this.tasks.clear();
  }

  override close(): void {
    super.close();
    this.tasks.close();
    this.families.close();
  }
}

function inheritedEnvironment(): Record<string, string> {
  const kept: Record<string, string> = { PATH: "/usr/local/bin:/usr/bin:/bin" };
  for (const name of INHERITED) if (process.env[name] !== undefined) kept[name] = process.env[name];
  // POST starts node: the one that runs us, should there be none on the PATH.
  return { ...kept, PATH: `${kept.PATH}:${dirname(process.execPath)}` };
}
