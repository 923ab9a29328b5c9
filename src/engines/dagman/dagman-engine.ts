import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../core/base/clock.ts";
import { describeError, WorldError } from "../../core/base/errors.ts";
import type { DagId } from "../../core/names.ts";
import type { Run, RunObservation } from "../../core/run.ts";
import { TOP } from "../../submit-dir/names.ts";
import { inTurns, modifiedAt } from "../observe/files.ts";
import { readNodes } from "../observe/nodes.ts";
import { RunReader } from "../observe/run-reader.ts";
import type { Engine, EngineSite, FindOutcome, PingOutcome, SubmitOutcome } from "../port.ts";
import * as answers from "./answers.ts";
import * as commands from "./commands.ts";
import { type Condor, makeCondor, unreachable } from "./condor.ts";
import { EndWatch } from "./end-watch.ts";
import { bringProgram, closedAncestor, describeClosed, giveAway, type JobOwner } from "./give-away.ts";
import { LostJobs } from "./lost-jobs.ts";
import { type Spawner, spawnCommand } from "./spawn.ts";
import { hasBegun, isLost, isSilent, noteSubmitHost, submitHostOf, submittedAs } from "./traces.ts";
import { heldJobs, makeMatching, unlessAway } from "./waits.ts";

interface DagmanOptions {
  /**
   * Put before every condor command, e.g. ["…/scripts/pool", "exec"]; empty: HTCondor is on the PATH. It must hand on
   * arguments, working directory and exit code as they are.
   */
  readonly commandPrefix: readonly string[];
  /** Only when this process is root: who the jobs belong to. */
  readonly submitAs?: JobOwner | null;
  /** Idle jobs one DAGMan keeps in the queue; default 1000. */
  readonly maxIdle?: number;
  /** How long a condor command may take, seconds; default 60. */
  readonly timeoutSec?: number;
  /** How long nothing of a run may run before it is asked why, seconds; default 30. */
  readonly stalledSec?: number;
  /** After how long DAGMan itself looks for jobs whose end it never heard of, seconds; we do so before. Default 300. */
  readonly lostJobSec?: number;
  readonly clock?: Clock;
  readonly spawner?: Spawner;
}

/** How long a held DAGMan may take to come back before it is removed all the same. */
const REVIVE_SEC = 15;

export const makeDagmanEngine = (options: DagmanOptions): Engine => new DagmanEngine(options);

/** HTCondor DAGMan: the queue says which runs live, the files in their submit directories say how they fare. */
export class DagmanEngine implements Engine {
  readonly name = "dagman";
  readonly id = "dagman";
  readonly capabilities = { sites: true };
  private readonly options: DagmanOptions;
  private readonly spawner: Spawner;
  private readonly reader = new RunReader(() => this.nowMs());
  private readonly ends = new EndWatch();
  private readonly condor: Condor;
  private readonly whyIdle: ReturnType<typeof makeMatching>;
  private readonly lost: LostJobs;

  constructor(options: DagmanOptions) {
    this.options = options;
    this.spawner = options.spawner ?? spawnCommand;
    this.condor = makeCondor(this.spawner, options.commandPrefix, options.timeoutSec ?? 60);
    this.whyIdle = makeMatching(this.reader, () => this.condor.workers(), options.stalledSec ?? 30);
    this.lost = new LostJobs((run) => this.condor.clusters(run), (options.lostJobSec ?? 300) / 3);
  }

  async submit(run: Run, ticket: number): Promise<SubmitOutcome> {
    const closed = await this.prepare(run);
    if (closed !== null) return { kind: "rejected", text: closed };
    const found = await this.find(run, ticket);
    if (found.kind === "found") return { kind: "submitted", engineId: found.engineId, adopted: true };
    if (found.kind === "unknown") return { kind: "unclear", why: found.why };
    const schedd = await this.condor.scheddName();
    if (schedd !== null) await noteSubmitHost(run, schedd);
    const said = await this.inDirectory(run, commands.submitCommand(run, ticket, this.options.maxIdle ?? 1000));
    if (said.kind === "done")
      return said.cluster === null
        ? { kind: "unclear", why: "condor_submit_dag named no cluster" }
        : { kind: "submitted", engineId: said.cluster, adopted: false };
    return said.isFinal ? { kind: "rejected", text: said.text } : { kind: "unclear", why: said.text };
  }

  /** Makes the directory fit for submissions; words: why none can succeed there. */
  private async prepare({ submitDir }: Run): Promise<string | null> {
    const dag = `${submitDir}/${TOP.dag}`;
    if ((await modifiedAt(dag)) === null) return `there is no ${dag}`;
    const owner = this.options.submitAs;
    const closed = owner ? await closedAncestor(submitDir, owner) : null;
    if (owner && closed !== null) return describeClosed(closed, owner);
    await bringProgram(submitDir);
    if (owner) await giveAway(submitDir, owner, this.spawner);
    return null;
  }

  private async inDirectory({ submitDir }: Run, argv: commands.Argv) {
    const said = answers.readSubmission(await this.condor.call(argv, submitDir));
    if (said.kind === "unwritable") throw new WorldError("disk-unwritable", submitDir, said.text);
    if (said.kind === "failed") throw unreachable("condor_submit_dag", said.text);
    return said.kind === "done" ? said : { kind: "no" as const, isFinal: said.kind === "rejected", text: said.text };
  }

  /**
   * By the queue. When we have no receipt (`engineId` null) a run may have come and gone unseen: its traces in the submit
   * directory then count as found, so that it is adopted and not run again.
   */
  async find(run: Run, ticket: number | null = null): Promise<FindOutcome> {
    try {
      if (ticket !== null && (await this.prepare(run)) === null) {
        const said = await this.inDirectory(run, commands.fenceCommand(run, ticket));
        if (said.kind !== "done") return { kind: "unknown", why: said.text };
        if (said.cluster !== null) return { kind: "found", engineId: said.cluster };
      }
      const tree = await this.condor.tree(run);
      if (tree) {
        const engineId =
          tree.top?.cluster ?? run.engineId ?? (await submittedAs(run)) ?? [...tree.others, ...tree.held][0]!.cluster;
        return { kind: "found", engineId };
      }
      const elsewhere = await this.elsewhere(run);
      if (elsewhere !== null) return { kind: "unknown", why: elsewhere };
      const traced = run.engineId === null ? await submittedAs(run) : null;
      return traced === null ? { kind: "absent" } : { kind: "found", engineId: traced };
    } catch (error) {
      if (error instanceof WorldError && error.code === "engine-unreachable")
        return { kind: "unknown", why: describeError(error) };
      throw error;
    }
  }

  async observe(runs: readonly Run[]): Promise<ReadonlyMap<DagId, RunObservation>> {
    this.reader.keepOnly(runs);
    this.ends.keepOnly(runs);
    this.lost.keepOnly(runs);
    if (runs.length === 0) return new Map();
    const queue = await this.condor.queue();
    const views = await inTurns(runs, async (run): Promise<[DagId, RunObservation]> => {
      return [run.dagId, await this.look(run, queue.get(run.batchName))];
    });
    return new Map(views);
  }

  private async look(run: Run, tree: answers.Tree | undefined): Promise<RunObservation> {
    try {
      if (tree?.top) {
        const settled = await unlessAway(this.lost.settle(run, tree, this.nowMs()));
        const view = await this.reader.running(run, tree.top.queuedAt, settled ?? noteOn(tree));
        const unmatched = await unlessAway(this.whyIdle(run, view, this.nowMs()));
        return { ...view, waits: { ...view.waits, held: heldJobs(tree), unmatched } };
      }
      if (tree && tree.others.length > 0)
        return await this.reader.running(run, null, `DAGMan has left, ${tree.others.length} of its jobs have not`);
      const engineId = run.engineId ?? (await submittedAs(run));
      if (engineId === null) return { kind: "unknown", why: "it is not in the queue and was never seen there" };
      const ended = await this.reader.ended({ ...run, engineId });
      if (ended) return ended;
      const elsewhere = await this.elsewhere(run);
      if (elsewhere !== null) return { kind: "unknown", why: elsewhere };
      if (!(await isLost(run, this.nowMs())))
        return { kind: "unknown", why: "it left the queue and has not said how it ended" };
      const text = `no DAGMan ${engineId} in the queue, and nothing in ${run.submitDir} says how it ended`;
      return await this.reader.endedAs(run, "lost", text);
    } catch (error) {
      // One directory that cannot be read must not hide the other runs.
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      return { kind: "unknown", why: describeError(error) };
    }
  }

  readonly nodes = readNodes;

  /**
   * The top first: it writes its rescue file and the schedd removes what it submitted. A held DAGMan is no process and would leave
   * without a rescue file (23.9.6), so it is woken up before.
   */
  async stop(run: Run): Promise<void> {
    const tree = await this.condor.tree(run);
    if (!tree) return;
    if (tree.top?.status === "held") await this.revive(run);
    const removed = tree.top !== null && (await this.condor.change(commands.removeTopCommand(run)));
    if (!removed) await this.condor.change(commands.removeTreeCommand(run));
  }

  private async revive(run: Run): Promise<void> {
    await this.condor.change(commands.releaseCommand(run));
    for (let waited = 0; waited < REVIVE_SEC; waited += 0.5) {
      await sleep(500);
      if (await hasBegun(run)) return;
    }
  }

  async hold(run: Run): Promise<void> {
    await this.condor.change(commands.holdCommand(run));
  }
  async release(run: Run): Promise<void> {
    await this.condor.change(commands.releaseCommand(run));
  }

  async ping(): Promise<PingOutcome> {
    try {
      const version = answers.parseVersion((await this.condor.mustSucceed(commands.versionCommand)).stdout);
      await this.condor.mustSucceed(commands.queueTotalsCommand);
      const perOwner = await this.condor.call(commands.configCommand("MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER"));
      const start = await this.condor.call(commands.configCommand("START_SCHEDULER_UNIVERSE"));
      const node = await this.condor.call(commands.nodeVersionCommand);
      const via = this.options.commandPrefix.join(" ");
      const text = `HTCondor ${version ?? "of unknown version"}${via ? ` via ${via}` : ""}; the schedd answers`;
      const warnings = [...answers.limitWarnings(perOwner.stdout, start.stdout), ...answers.nodeWarnings(node.stdout)];
      return { ok: true, text, warnings };
    } catch (error) {
      if (error instanceof WorldError) return { ok: false, text: describeError(error), warnings: [] };
      throw error;
    }
  }

  async sites(): Promise<readonly EngineSite[]> {
    return answers.sitesOf(await this.condor.workers());
  }

  onEnd(tell: () => void): void {
    this.ends.listen(tell);
  }

  async close(): Promise<void> {
    this.ends.keepOnly([]);
  }

  /** Why this queue cannot tell about the run; null: it can, or the run has been silent for too long to be alive there. */
  private async elsewhere(run: Run): Promise<string | null> {
    const host = await submitHostOf(run);
    if (host === null) return null;
    const here = await this.condor.scheddName();
    if (here === null || here === host || (await isSilent(run, this.nowMs()))) return null;
    return `it was submitted at ${host}, and engine.dagman.prefix leads to ${here}: point it back until the run has ended`;
  }

  private nowMs(): number {
    return (this.options.clock?.now() ?? new Date()).getTime();
  }
}

function noteOn(tree: answers.Tree): string | null {
  const { top, others } = tree;
  if (top?.status === "held") return `DAGMan is held: ${top.holdReason ?? "no reason given"}`;
  if (top?.status === "idle") return "DAGMan waits for a place to run";
  if (top?.status === "removed") return "DAGMan is being removed";
  if (others.some((entry) => entry.isDagman && entry.parent === null)) return "another DAGMan has the same batch name";
  const held = others.filter((entry) => entry.isDagman && entry.status === "held");
  if (held.length > 0)
    return `${held.length} units are held, ${held[0]!.node}: ${held[0]!.holdReason ?? "no reason given"}`;
  return null;
}
