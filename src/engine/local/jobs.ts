import { mkdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { describeError } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";
import type { EngineSite } from "../port.ts";
import * as events from "./event-text.ts";
import type { JobSpec } from "./job-spec.ts";
import { layTask } from "./job-task.ts";
import type { Outbox } from "./outbox.ts";
import { groupMemoryMb } from "./proc.ts";
import { Slots } from "./slots.ts";
import { returnOf, type TaskEnd } from "./task-files.ts";
import type { Tasks } from "./tasks.ts";
import { findExecutable, type Hold, stageIn, stageOut } from "./transfer.ts";

/** The DAG a job belongs to. `code` of its end is DAGMan's $RETURN. */
export interface JobHost {
  readonly batchName: string;
  jobStarts(job: Job): void;
  /** The job is about to be ended for this reason. */
  jobHeld(job: Job, hold: Hold): void;
  jobEvicted(job: Job): void;
  jobEnds(job: Job, code: number): void;
}

export interface Job {
  readonly spec: JobSpec;
  readonly host: JobHost;
  state: "idle" | "staging" | "running";
  site: string;
  startedMs: number;
  peakMb: number | null;
  /** Started by an earlier engine. */
  readonly adopted: boolean;
  /** Why it is being ended by us; `hold`: with a reason that POST will read. */
  removal: { readonly why: string; readonly hold: Hold | null } | null;
}

const REMOVED = -1002;
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
  private readonly all = new Map<number, Job>();
  private readonly host = hostname();
  private readonly graceMs: number;
  private limits: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(tasks: Tasks, outbox: Outbox, sites: readonly EngineSite[], graceMs: number) {
    this.tasks = tasks;
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
    const job = this.enter({ spec, host, state: "idle", site: "", startedMs: 0, adopted: false });
    if (!announced) this.say(job, events.submitted(spec, new Date()));
    this.queue(job);
    return job;
  }

  /** Takes over a job that an earlier engine started; null when nothing is left to take over. */
  adopt(cluster: number, host: JobHost, site: string, startedMs: number): Job | null {
    const note = parseJson(this.tasks.readNote(cluster) ?? "");
    if (!note.ok) return null;
    const spec = note.value as JobSpec;
    const job = this.enter({ spec, host, state: "running", site, startedMs, adopted: true });
    this.slots.occupy(site, spec);
    this.tasks.start(cluster, (end) => void this.ended(job, end), true);
    this.watchLimits();
    this.outbox.schedule();
    return job;
  }

  /** Ends a job; its host hears of it as of any other end. */
  remove(job: Job, why: string, hold: Hold | null = null): void {
    if (job.removal || this.all.get(job.spec.cluster) !== job) return;
    job.removal = { why, hold };
    if (job.state === "running" && hold) {
      job.host.jobHeld(job, hold);
      // The reason must be on record before the exit can be.
      this.outbox.after(() => this.tasks.kill(job.spec.cluster, this.graceMs));
    } else if (job.state === "running") this.tasks.kill(job.spec.cluster, this.graceMs);
    else if (job.state === "idle") {
      this.slots.remove(job.spec.cluster);
      this.leave(job, REMOVED);
    }
  }

  /** What a job that has not started waits for, when time alone will not bring it. */
  explain(job: Job): string {
    return job.state === "idle" ? (this.slots.explain(job.spec) ?? "") : "";
  }

  /** Runs with a job that can never start here, each with one of its jobs and why. */
  stuck(): Map<string, string> {
    const notes = new Map<string, string>();
    for (const { want, why } of this.slots.stuck()) {
      const job = this.all.get(want.cluster);
      if (job) notes.set(job.host.batchName, `job ${job.spec.node} (${want.cluster}) ${why}`);
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
    const hold = spec.transfers ? await this.stageIn(job, scratch) : null;
    if (this.closed) return;
    if (!job.removal && hold) job.removal = { why: hold.why, hold };
    const missing =
      spec.transfers && spec.transferExecutable ? null : findExecutable({ ...spec, transferExecutable: false });
    if (!job.removal && missing) job.removal = { why: missing.why, hold: missing };
    if (job.removal) return this.endRemoved(job);
    layTask(this.tasks, spec, { site, host: this.host, scratch });
    job.state = "running";
    job.startedMs = Date.now();
    job.host.jobStarts(job);
    this.say(job, events.executing(spec, new Date(), site, scratch));
    this.tasks.start(spec.cluster, (end) => void this.ended(job, end));
    this.outbox.schedule();
    this.watchLimits();
  }

  /** The engine's own directory could not be written: not the job's fault, so it waits and tries again. */
  private stumble(job: Job, error: unknown): void {
    this.outbox.trouble = `cannot start job ${job.spec.cluster}: ${describeError(error)}`;
    setTimeout(() => {
      this.slots.free(job.site, job.spec);
      if (job.removal) this.leave(job, REMOVED);
      else if (!this.closed) this.queue(job);
    }, 1000);
  }

  private async ended(job: Job, end: TaskEnd): Promise<void> {
    const { spec } = job;
    if (end.exit.kind === "vanished" && !job.removal) {
      this.say(job, events.evicted(spec, new Date(), "its supervisor is gone: killed with the machine"));
      this.slots.free(job.site, spec);
      job.host.jobEvicted(job);
      return this.queue(job);
    }
    if (end.exit.kind === "unstarted") {
      const why = `Error from local engine: ${end.exit.words}`;
      job.removal ??= { why, hold: { code: 7, subcode: 2, why } };
    }
    const scratch = this.scratchOf(job);
    const hold = spec.transfers ? await stageOut(spec, scratch, job.startedMs, job.adopted) : null;
    if (this.closed) return;
    if (hold) job.removal ??= { why: hold.why, hold };
    if (job.removal) return this.endRemoved(job);
    const code = returnOf(end.exit) ?? REMOVED;
    const wallSec = (Date.now() - job.startedMs) / 1000;
    this.say(job, events.terminated(spec, new Date(), code, { ...end, wallSec, memoryMb: job.peakMb }));
    this.slots.free(job.site, spec);
    this.leave(job, code);
  }

  private endRemoved(job: Job): void {
    this.slots.free(job.site, job.spec);
    this.leave(job, REMOVED);
  }

  private leave(job: Job, code: number): void {
    if (job.removal) {
      const { hold, why } = job.removal;
      if (hold) this.say(job, events.held(job.spec, new Date(), hold));
      const words = hold ? "removed by the local engine because it was held" : why;
      this.say(job, events.aborted(job.spec, new Date(), words));
    }
    this.all.delete(job.spec.cluster);
    job.host.jobEnds(job, code);
    this.outbox.after(() => this.forget(job));
    this.pump();
  }

  private scratchOf({ spec }: Job): string {
    return spec.transfers ? `${this.tasks.pathOf(spec.cluster)}.scratch` : spec.initialDir;
  }

  private async stageIn({ spec }: Job, scratch: string): Promise<Hold | null> {
    try {
      mkdirSync(scratch);
    } catch {
      // Left by an engine that died before it could say that the job begins.
      rmSync(scratch, { recursive: true, force: true });
      mkdirSync(scratch);
    }
    return stageIn(spec, scratch);
  }

  private forget(job: Job): void {
    const path = this.tasks.pathOf(job.spec.cluster);
    if (job.spec.transfers) rmSync(`${path}.scratch`, { recursive: true, force: true });
    else rmSync(`${path}.ad`, { force: true });
    this.tasks.forget(job.spec.cluster);
  }

  private say(job: Job, event: string): void {
    if (job.spec.log) this.outbox.log(job.spec.log, event);
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
      if (hold) this.remove(job, hold.why, hold);
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
