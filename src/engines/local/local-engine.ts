import { join, resolve } from "node:path";
import { WorldError } from "../../core/base/errors.ts";
import { builtProgram } from "../../core/disk/package-root.ts";
import type { DagId } from "../../core/names.ts";
import type { Run, RunObservation } from "../../core/run.ts";
import { readTail } from "../../submit-dir/disk/disk-steps.ts";
import { besideDag, TOP } from "../../submit-dir/names.ts";
import { replace } from "../dag/dag-files.ts";
import type { LiveRun } from "../dag/executor.ts";
import { type RunEntry, readEntry, readRegistry } from "../dag/registry.ts";
import { parseDagmanOut } from "../format/dagman-out.ts";
import { inTurns } from "../observe/files.ts";
import { readNodes } from "../observe/nodes.ts";
import { RunReader } from "../observe/run-reader.ts";
import type { Engine, EngineSite, FindOutcome, PingOutcome, SubmitOutcome } from "../port.ts";
import { type Client, makeClient } from "./client.ts";
import { identityOf } from "./identity.ts";
import { watchEnds } from "./news.ts";

interface LocalEngineOptions {
  readonly dir: string;
  readonly sites: readonly EngineSite[];
  readonly timeoutSec?: number;
  /** How the engine process is started, without --dir; default: the built daemon with this Node. */
  readonly daemonCommand?: readonly string[];
}

export const makeLocalEngine = (options: LocalEngineOptions): Engine => new LocalEngine(options);

const UNCONTAINED = {
  what: "no control groups: a program that leaves its job's session and clears its environment outlives the job",
  fix: "start the server where it may make cgroups (v2): systemd-run --user --scope -p Delegate=yes wms2 serve",
};

/**
 * The engine port over the engine process and its files. Whether a run is alive is in the registry, how it stands
 * and how it ended in the bookkeeping files both engines leave: those are read without asking anybody.
 */
class LocalEngine implements Engine {
  readonly name = "local";
  readonly id: string;
  readonly capabilities = { sites: true };
  private readonly dir: string;
  private readonly sitesWanted: readonly EngineSite[];
  private readonly client: Client;
  private readonly reader = new RunReader();
  private readonly ends: ReturnType<typeof watchEnds>[] = [];

  constructor(options: LocalEngineOptions) {
    this.dir = resolve(options.dir);
    this.sitesWanted = options.sites;
    this.id = identityOf(this.dir);
    replace(join(this.dir, "sites.json"), `${JSON.stringify(options.sites)}\n`);
    const command = options.daemonCommand ?? [process.execPath, builtProgram("src/engines/local/daemon.js")];
    // A running engine may have been started with other sites.
    const greeting = { op: "configure", sites: options.sites } as const;
    this.client = makeClient(this.dir, command, (options.timeoutSec ?? 60) * 1000, greeting);
  }

  async submit(run: Run, ticket: number): Promise<SubmitOutcome> {
    const found = await this.find(run, ticket);
    if (found.kind === "found") return { kind: "submitted", engineId: found.engineId, adopted: true };
    if (found.kind === "unknown") return { kind: "unclear", why: found.why };
    const submission = { batchName: run.batchName, submitDir: run.submitDir, priority: run.priority };
    return (await this.client.ask({ op: "submit", submission, ticket })) as SubmitOutcome;
  }

  async find(run: Run, ticket: number | null = null): Promise<FindOutcome> {
    if (ticket !== null) {
      const { batchName, submitDir } = run;
      const newer = (await this.client.ask({ op: "fence", batchName, submitDir, ticket })) as string | null;
      if (newer !== null) return { kind: "unknown", why: newer };
    }
    if (!this.entryOf(run)) {
      // It may have come and gone while nobody kept the receipt: submitting it again would run it twice.
      const past = run.engineId === null ? await pastId(run) : null;
      return past === null ? { kind: "absent" } : { kind: "found", engineId: past };
    }
    // A run without an engine would stand still: asking also starts one.
    const id = (await this.client.ask({ op: "find", batchName: run.batchName })) as number | null;
    return id === null ? { kind: "absent" } : { kind: "found", engineId: String(id) };
  }

  async observe(runs: readonly Run[]): Promise<ReadonlyMap<DagId, RunObservation>> {
    const some = this.registered(() => readRegistry(this.dir)).length > 0;
    const list = some ? ((await this.client.ask({ op: "list" })) as LiveRun[]) : [];
    const alive = new Map(list.map((run) => [run.batchName, run]));
    this.reader.keepOnly(runs);
    const views = await inTurns(runs, async (run): Promise<[DagId, RunObservation]> => {
      return [run.dagId, await this.observeOne(run, alive.get(run.batchName))];
    });
    return new Map(views);
  }

  readonly nodes = readNodes;
  stop = (run: Run) => this.change(run, "stop");
  hold = (run: Run) => this.change(run, "hold");
  release = (run: Run) => this.change(run, "release");
  private async change(run: Run, op: "stop" | "hold" | "release"): Promise<void> {
    if (this.entryOf(run)) await this.client.ask({ op, batchName: run.batchName });
  }

  async ping(): Promise<PingOutcome> {
    try {
      const { pid, isContained } = (await this.client.ask({ op: "ping" })) as { pid: number; isContained: boolean };
      const warnings = isContained ? [] : [UNCONTAINED];
      return { ok: true, text: `local engine ${this.id}, process ${pid}, in ${this.dir}`, warnings };
    } catch (error) {
      return { ok: false, text: error instanceof Error ? error.message : String(error), warnings: [] };
    }
  }

  async sites(): Promise<readonly EngineSite[]> {
    return this.sitesWanted;
  }

  onEnd(tell: () => void): void {
    this.ends.push(watchEnds(this.dir, tell));
  }

  async close(): Promise<void> {
    for (const watch of this.ends.splice(0)) watch.close();
    await this.client.close();
  }

  private entryOf(run: Run): RunEntry | null {
    return this.registered(() => readEntry(this.dir, run.batchName));
  }

  private registered<T>(read: () => T): T {
    try {
      return read();
    } catch (cause) {
      throw new WorldError("engine-unreachable", this.dir, "the registry of the local engine cannot be read", {
        cause,
      });
    }
  }

  /** `live` undefined: it is not under way. */
  private async observeOne(run: Run, live: LiveRun | undefined): Promise<RunObservation> {
    const entry = live === undefined ? null : this.entryOf(run);
    if (live && entry) {
      const view = await this.reader.running(run, Math.floor(entry.submittedAt / 1000), live.note);
      return { ...view, waits: { ...view.waits, unmatched: live.unmatched } };
    }
    const engineId = run.engineId ?? (await pastId(run));
    const ended = await this.reader.ended({ ...run, engineId });
    if (ended) return ended;
    const text = "the local engine has no trace of it and its files tell no end";
    return this.reader.endedAs(run, "lost", text);
  }
}

/** The id under which a run of this very batch name was here, from the words it left. */
async function pastId(run: Run): Promise<string | null> {
  const out = parseDagmanOut(await readTail(join(run.submitDir, besideDag(TOP.dag, "out")), 256 * 1024));
  return out.batchName === run.batchName ? out.cluster : null;
}
