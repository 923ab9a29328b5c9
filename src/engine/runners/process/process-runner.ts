import { hostname } from "node:os";
import { describeError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import type { NoMatch } from "../../../domain/run.ts";
import * as events from "../../dag/event-text.ts";
import type { JobSpec } from "../../dag/job-spec.ts";
import type { Intent, JournalLine } from "../../dag/journal.ts";
import type { Outbox } from "../../dag/outbox.ts";
import type { EngineSite } from "../../port.ts";
import type { Families } from "./families.ts";
import { layTask } from "./job-task.ts";
import { groupMemoryMb, signalGroup } from "./proc.ts";
import { Slots } from "./slots.ts";
import { returnOf, type TaskEnd } from "./task-files.ts";
import type { Tasks } from "./tasks.ts";
import { type Hold, removeTree, stageIn, stageOut } from "./transfer.ts";

/** The DAG a job belongs to. */
export interface JobHost {
  readonly place: { readonly batchName: string };
  /** Into its journal: what an engine that takes over must know of the job. */
  write(line: Extract<JournalLine, { k: "run" | "held" | "evicted" }>): void;
  /** `code` is DAGMan's $RETURN. */
  jobEnds(job: Job, code: number): void;
}

/** Where and when a job began. */
type Placed = NonNullable<Intent["run"]>;

export interface Job {
  readonly spec: JobSpec;
  readonly host: JobHost;
  state: "idle" | "staging" | "running";
  site: string;
  startedMs: number;
  peakMb: number | null;
  /** Started by an earlier engine. */
  adopted: boolean;
  /** This very attempt was begun again before, for it vanished. */
  readonly evicted: boolean;
  /** Why it is being ended by us; a hold is a reason that POST will read. */
  removal: Hold | { readonly why: string } | null;
}

const REMOVED = -1002;
const LOST = -1003;
const LIMITS_MS = 1000;
/** As in periodic_hold of our submit files: a fifth above what was asked for is let pass. */
const MEMORY_TOLERANCE = 1.2;
/** Pages of libraries count in every process: below this, a shell or two would be "over". */
const LEAST_LIMIT_MB = 64;

/** The queue of one machine: jobs wait for room, run in their scratch directory, and leave. */
export class Jobs {
  private readonly tasks: Tasks;
  private readonly outbox: Outbox;
  private readonly slots: Slots;
  private readonly families: Families;
  private readonly all = new Map<number, Job>();
  private readonly host = hostname();
  private readonly graceMs: number;
  private limits: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(tasks: Tasks, outbox: Outbox, sites: readonly EngineSite[], graceMs: number, families: Families) {
    this.tasks = tasks;
    this.families = families;
    this.outbox = outbox;
    this.slots = new Slots(sites);
    this.graceMs = graceMs;
  }

  configure(sites: readonly EngineSite[]): void {
    this.slots.configure(sites);
    this.pump();
  }

  /** `announced`: the event log already has its submission. */
  submit(spec: JobSpec, host: JobHost, announced = false): Job {
    const job = this.enter({ spec, host, state: "idle", site: "", startedMs: 0, adopted: false, evicted: false });
    if (!announced) this.say(job, events.submitted);
    this.queue(job);
    return job;
  }

  /** Takes over a job that an earlier engine started; null when nothing is left to take over. */
  adopt(cluster: number, host: JobHost, { site, at: startedMs }: Placed, evicted: boolean): Job | null {
    const note = parseJson(this.tasks.readNote(cluster) ?? "");
    if (!note.ok) return null;
    const spec = note.value as JobSpec;
    const job = this.enter({ spec, host, state: "running", site, startedMs, adopted: true, evicted });
    this.slots.occupy(site, spec);
    this.tasks.start(cluster, (end, group) => void this.ended(job, end, group), true);
    this.watchLimits();
    this.outbox.schedule();
    return job;
  }

  /** Ends a job; its host hears of it as of any other end. */
  remove(job: Job, removal: NonNullable<Job["removal"]>): void {
    const { cluster, node } = job.spec;
    if (job.removal || this.all.get(cluster) !== job) return;
    job.removal = removal;
    if (job.state === "idle") {
      this.slots.remove(cluster);
      this.leave(job, REMOVED);
    } else if (job.state === "running" && "code" in removal) {
      job.host.write({ k: "held", n: node, hold: removal });
      // The reason must be on record before the exit can be.
      this.outbox.after(() => this.tasks.kill(cluster, this.graceMs));
    } else if (job.state === "running") this.tasks.kill(cluster, this.graceMs);
  }

  /** As DAGMan says it, and what the job waits for when time alone will not bring it. */
  explain(job: Job): string {
    if (job.state !== "idle") return "not_idle";
    const why = this.slots.explain(job.spec);
    return why === null ? "idle" : `idle: ${why.words}`;
  }

  /** Runs with a job that can never start here, each with one of its jobs and why. */
  stuck(): Map<string, NoMatch> {
    const notes = new Map<string, NoMatch>();
    for (const { want, why } of this.slots.stuck()) {
      const job = this.all.get(want.cluster);
      if (job)
        notes.set(job.host.place.batchName, { ...why, words: `job ${job.spec.node} (${want.cluster}) ${why.words}` });
    }
    return notes;
  }

  close(): void {
    this.closed = true;
    if (this.limits) clearInterval(this.limits);
  }

  private enter(begun: Omit<Job, "peakMb" | "removal">): Job {
    const job: Job = { ...begun, peakMb: null, removal: null };
    this.all.set(job.spec.cluster, job);
    return job;
  }

  private queue(job: Job): void {
    job.state = "idle";
    this.slots.add(job.spec);
    this.pump();
  }

  private queueAgain(job: Job): void {
    this.slots.free(job.site, job.spec);
    if (!this.closed) this.queue(job);
  }

  private pump(): void {
    if (this.closed) return;
    for (let next = this.slots.take(); next; next = this.slots.take()) {
      const job = this.all.get(next.want.cluster);
      if (job) void this.begin(job, next.site).catch((error: unknown) => this.stumble(job, error));
    }
  }

  private async begin(job: Job, site: string): Promise<void> {
    const { spec } = job;
    job.state = "staging";
    job.site = site;
    const scratch = this.scratchOf(job);
    const hold = await stageIn(spec, scratch);
    if (this.closed) return;
    job.removal ??= hold;
    if (job.removal) return this.leave(job, REMOVED);
    layTask(this.tasks, spec, { site, host: this.host, scratch, joins: this.families.open(spec.cluster) });
    job.state = "running";
    job.startedMs = Date.now();
    job.host.write({ k: "run", n: spec.node, c: spec.cluster, site, at: job.startedMs });
    this.say(job, events.executing, site, scratch);
    this.tasks.start(spec.cluster, (end, group) => void this.ended(job, end, group));
    this.outbox.schedule();
    this.watchLimits();
  }

  /** The engine's own directory could not be written: not the job's fault, so it waits and tries again. */
  private stumble(job: Job, error: unknown): void {
    this.outbox.trouble = `cannot start job ${job.spec.cluster}: ${describeError(error)}`;
    setTimeout(() => {
      if (job.removal) this.leave(job, REMOVED);
      else this.queueAgain(job);
    }, 1000);
  }

  private async ended(job: Job, end: TaskEnd, group: number | null): Promise<void> {
    const { spec } = job;
    // The number of a group that ended before we came may be somebody else's by now.
    if (group !== null && !job.adopted) signalGroup(group, "SIGKILL");
    this.families.end(spec.cluster, this.tasks.pathOf(spec.cluster), job.adopted);
    if (end.exit.kind === "vanished" && !job.removal) return this.vanished(job);
    if (end.exit.kind === "unstarted") {
      job.removal ??= { code: 7, subcode: 2, why: `Error from local engine: ${end.exit.words}` };
    }
    const hold = await stageOut(spec, this.scratchOf(job), job.startedMs, job.adopted);
    if (this.closed) return;
    job.removal ??= hold;
    const code = job.removal ? REMOVED : (returnOf(end.exit) ?? REMOVED);
    const wallSec = (Date.now() - job.startedMs) / 1000;
    if (!job.removal) this.say(job, events.terminated, code, { ...end, wallSec, memoryMb: job.peakMb });
    this.leave(job, code);
  }

  /**
   * Nobody knows how it ended. With an engine before us the machine may have gone down: begun again, once. Otherwise
   * its supervisor was killed while we watched, most likely by the job: an attempt, for recovery to count and judge.
   */
  private vanished(job: Job): void {
    if (job.adopted && !job.evicted) {
      this.say(job, events.evicted, "its supervisor is gone: killed with the machine");
      job.host.write({ k: "evicted", n: job.spec.node });
      job.adopted = false;
      this.queueAgain(job);
    } else {
      this.say(job, events.lost, "the process that watched it was killed, by the job itself or together with it");
      this.leave(job, LOST);
    }
  }

  private leave(job: Job, code: number): void {
    const { removal, spec } = job;
    if (removal) {
      const isHold = "code" in removal;
      if (isHold) this.say(job, events.held, removal, job.peakMb);
      this.say(job, events.aborted, isHold ? "removed by the local engine because it was held" : removal.why);
    }
    if (job.state !== "idle") this.slots.free(job.site, spec);
    this.all.delete(spec.cluster);
    job.host.jobEnds(job, code);
    this.outbox.after(() => this.forget(job));
    this.pump();
  }

  private scratchOf({ spec }: Job): string {
    return spec.transfers ? `${this.tasks.pathOf(spec.cluster)}.scratch` : spec.initialDir;
  }

  private forget(job: Job): void {
    const path = this.tasks.pathOf(job.spec.cluster);
    removeTree(job.spec.transfers ? `${path}.scratch` : `${path}.ad`);
    this.tasks.forget(job.spec.cluster);
  }

  /** Into the job's event log. */
  private say<A extends unknown[]>({ spec }: Job, event: (spec: JobSpec, at: Date, ...more: A) => string, ...more: A) {
    if (spec.log) this.outbox.log(spec.log, event(spec, new Date(), ...more));
  }

  private watchLimits(): void {
    this.limits ??= setInterval(() => this.enforce(), LIMITS_MS);
  }

  private enforce(): void {
    const running = [...this.all.values()].filter((job) => job.state === "running" && !job.removal);
    if (this.all.size === 0 && this.limits) {
      clearInterval(this.limits);
      this.limits = null;
    }
    const memory = running.some((job) => job.spec.memoryAsked) ? groupMemoryMb() : new Map<number, number>();
    for (const job of running) {
      const group = this.tasks.groupOf(job.spec.cluster);
      const usedMb = group === null ? undefined : memory.get(group);
      if (usedMb !== undefined) job.peakMb = Math.max(job.peakMb ?? 0, Math.ceil(usedMb));
      const hold = overLimit(job, usedMb ?? 0);
      if (hold) this.remove(job, hold);
    }
  }
}

/** The reasons and subcodes of docs/submit-directory.md's periodic_hold, which recovery reads. */
function overLimit({ spec, startedMs }: Job, usedMb: number): Hold | null {
  if (spec.memoryAsked && usedMb > Math.max(LEAST_LIMIT_MB, spec.memoryMb * MEMORY_TOLERANCE)) {
    return { code: 3, subcode: 50660, why: "WMS2 memory" };
  }
  const overdue = spec.wallMinutes !== null && Date.now() - startedMs > spec.wallMinutes * 60_000;
  return overdue ? { code: 3, subcode: 50664, why: "WMS2 walltime" } : null;
}
