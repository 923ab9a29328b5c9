import { writeFileSync } from "node:fs";
import { constants, hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { describeError } from "../../../core/base/errors.ts";
import { parseJson } from "../../../core/base/json.ts";
import { signalGroup } from "../../../core/base/signal-group.ts";
import type { NoMatch } from "../../../core/run.ts";
import { UNIT } from "../../../submit-dir/names.ts";
import type { JobSpec } from "../../dag/job-spec.ts";
import type { Outbox } from "../../dag/outbox.ts";
import {
  type Claim,
  type Hold,
  type JobEnd,
  type JobRunner,
  type JobWait,
  type JobWatch,
  type Removal,
  returnOf,
} from "../../dag/runner.ts";
import type { EngineSite } from "../../port.ts";
import type { DirectJob, DirectJobs } from "./direct/job.ts";
import { watchMemory } from "./direct/memory.ts";
import { tellEnd } from "./direct/outcome.ts";
import { OWN } from "./direct/task.ts";
import { attempt, type Families } from "./families.ts";
import { type Begun, type Job, makeJob } from "./job.ts";
import { layTask } from "./job-task.ts";
import { LimitsWatch } from "./limits.ts";
import { Slots } from "./slots.ts";
import type { TaskEnd } from "./task-files.ts";
import type { Tasks } from "./tasks.ts";
import { removeTree, stageIn, stageOut } from "./transfer.ts";

const FULL_DISK_MS = 1000;
const FULL_DISK: readonly number[] = [constants.errno.ENOSPC, constants.errno.EDQUOT];

/** Jobs as processes of this machine: they wait for room, run in their scratch directory, and leave. */
export class ProcessRunner implements JobRunner {
  private readonly tasks: Tasks;
  private readonly outbox: Outbox;
  private readonly slots: Slots;
  private readonly families: Families;
  private readonly direct: Pick<DirectJobs, "find">;
  private readonly all = new Map<number, Job>();
  private readonly host = hostname();
  private readonly graceMs: number;
  private readonly limits: LimitsWatch;
  private closed = false;
  private willPump = false;

  constructor(
    tasks: Tasks,
    outbox: Outbox,
    sites: readonly EngineSite[],
    graceMs: number,
    families: Families,
    direct: Pick<DirectJobs, "find"> = { find: () => null },
  ) {
    this.direct = direct;
    this.tasks = tasks;
    this.families = families;
    this.outbox = outbox;
    this.slots = new Slots(sites);
    this.graceMs = graceMs;
    this.limits = new LimitsWatch(
      () => this.running(),
      (cluster) => this.tasks.groupOf(cluster),
      (cluster, hold) => this.remove(cluster, hold),
    );
  }

  configure(sites: readonly EngineSite[]): void {
    this.slots.sites = sites;
    this.pump();
  }

  capacity(): readonly EngineSite[] {
    return this.slots.sites;
  }

  start(spec: JobSpec, watch: JobWatch): void {
    this.queue(this.enter({ spec, watch, state: "idle", site: "", startedMs: 0, adopted: false, evicted: false }));
  }

  adopt({ cluster, site, at: startedMs, evicted }: Claim, watchOf: (job: JobSpec) => JobWatch) {
    const note = parseJson(this.tasks.readNote(cluster) ?? "");
    if (!note.ok) return "unknown";
    const { direct = null, ...spec } = note.value as JobSpec & { readonly direct?: DirectJob | null };
    const job = this.enter({ spec, watch: watchOf(spec), state: "running", site, startedMs, adopted: true, evicted });
    job.direct = direct;
    this.watchMemory(job);
    this.slots.occupy(site, spec);
    this.tasks.start(cluster, (end, group) => void this.ended(job, end, group), true);
    this.limits.watch();
    this.outbox.schedule();
    return this.tasks.hasEnded(cluster) ? "ended" : "running";
  }

  remove(cluster: number, removal: Removal): void {
    const job = this.all.get(cluster);
    if (!job || job.removal) return;
    job.removal = removal;
    if (job.state === "idle") {
      this.slots.remove(cluster);
      this.leave(job);
      return;
    }
    // Its last words are then those of a job that was stopped.
    if (job.direct) attempt(() => writeFileSync(join(this.scratchOf(job), OWN.stop), ""));
    if (job.state === "running" && "code" in removal) {
      job.watch.holds(removal);
      // The reason must be on record before the exit can be.
      this.outbox.after(() => this.tasks.kill(cluster, this.graceMs));
    } else if (job.state === "running") this.tasks.kill(cluster, this.graceMs);
  }

  explain(cluster: number): JobWait | null {
    const job = this.all.get(cluster);
    return job?.state === "idle" ? { never: this.slots.explain(job.spec) } : null;
  }

  stuck(): Map<string, NoMatch> {
    const notes = new Map<string, NoMatch>();
    for (const { want, why } of this.slots.stuck()) {
      const job = this.all.get(want.cluster);
      if (job) notes.set(job.watch.batchName, { ...why, reason: `${job.spec.node} ${why.reason}` });
    }
    return notes;
  }

  close(): void {
    this.closed = true;
    this.limits.close();
    for (const { memory } of this.all.values()) memory?.close();
  }

  private enter(begun: Begun): Job {
    const job = makeJob(begun);
    this.all.set(job.spec.cluster, job);
    return job;
  }

  private running(): Job[] {
    return [...this.all.values()].filter((job) => job.state === "running" && !job.freed && !job.removal);
  }

  private queue(job: Job): void {
    job.state = "idle";
    this.slots.add(job.spec);
    this.pumpSoon();
  }

  /** When all that is said in this turn is done: an engine that comes back first takes over what runs, then begins more. */
  private pumpSoon(): void {
    if (this.willPump) return;
    this.willPump = true;
    this.outbox.after(() => setImmediate(() => this.pump()));
  }

  private queueAgain(job: Job): void {
    this.slots.free(job.site, job.spec);
    if (!this.closed) this.queue(job);
  }

  private pump(): void {
    this.willPump = false;
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
    const direct = this.direct.find(spec);
    const isOpen = direct !== null && this.tasks.openDirectory(scratch);
    const hold = await stageIn(direct ? { ...spec, ...direct.staged } : spec, scratch, isOpen);
    if (this.closed) return;
    job.removal ??= hold;
    if (job.removal) return this.leave(job);
    if (direct) writeFileSync(join(scratch, UNIT.manifest), direct.manifest);
    job.direct = direct?.job ?? null;
    const joins = this.families.open(spec.cluster);
    layTask(this.tasks, spec, { site, host: this.host, scratch, joins }, job.direct);
    job.state = "running";
    job.startedMs = Date.now();
    job.begunAt = performance.now();
    this.watchMemory(job);
    job.watch.begins({ site, at: job.startedMs }, scratch);
    this.tasks.start(spec.cluster, (end, group) => void this.ended(job, end, group));
    this.outbox.schedule();
    this.limits.watch();
  }

  /** The engine's own directory could not be written: not the job's fault, so it waits and tries again. */
  private stumble(job: Job, error: unknown): void {
    this.outbox.trouble = `cannot start job ${job.spec.cluster}: ${describeError(error)}`;
    setTimeout(() => {
      if (job.removal) this.leave(job);
      else this.queueAgain(job);
    }, 1000);
  }

  private async ended(job: Job, end: TaskEnd, group: number | null): Promise<void> {
    const { spec } = job;
    job.memory?.close();
    // The number of a group that ended before we came may be somebody else's by now.
    if (group !== null && !job.adopted) signalGroup(group, "SIGKILL");
    this.families.end(spec.cluster, this.tasks.pathOf(spec.cluster), job.adopted);
    if (end.exit.kind === "vanished" && !job.removal) return this.vanished(job);
    if (end.exit.kind === "unstarted") {
      job.removal ??= { code: 7, subcode: 2, why: `Error from local engine: ${end.exit.why}` };
    }
    const wallSec = this.ranSec(job);
    await this.makeRoom(job);
    if (this.closed) return;
    const hold = await this.bringHome(job, end, wallSec);
    if (this.closed) return;
    job.removal ??= hold;
    const used = { userSec: end.userSec, systemSec: end.systemSec, wallSec, memoryMb: job.peakMb };
    this.leave(job, { kind: "exited", code: returnOf(end.exit) ?? 0, used });
  }

  /** Who waits for the place begins before this one's end is written down: that is as long as a short job. */
  private async makeRoom(job: Job): Promise<void> {
    if (this.outbox.trouble !== null) return; // Its end may not be written for long, as those of others would not.
    job.freed = true;
    this.slots.free(job.site, job.spec);
    this.pump();
    this.outbox.schedule();
    await turn();
  }

  /** How long it ran: one of an earlier engine may have ended before we came. */
  private ranSec({ spec, adopted, startedMs, begunAt }: Job): number {
    const endedMs = adopted ? this.tasks.endedMs(spec.cluster) : null;
    return Math.max(0, endedMs === null ? performance.now() - begunAt : endedMs - startedMs) / 1000;
  }

  /** A directly run job that did its part waits for room on a full disk; any other is held, as on a pool. */
  private async bringHome(job: Job, end: TaskEnd, wallSec: number): Promise<Hold | null> {
    const { spec, site, startedMs, adopted } = job;
    const facts = { scratch: this.scratchOf(job), site, host: this.host, startedMs, adopted, wallSec };
    for (;;) {
      const told = job.direct && tellEnd(spec, job.direct, end, facts);
      const hold = told ?? (await stageOut(spec, facts.scratch, startedMs, adopted));
      if (!job.direct || !hold || !FULL_DISK.includes(hold.subcode) || job.removal || this.closed) return hold;
      this.outbox.trouble = `job ${spec.cluster}: ${hold.why}`;
      await sleep(FULL_DISK_MS);
    }
  }

  private watchMemory(job: Job): void {
    if (job.direct) job.memory = watchMemory(this.scratchOf(job), () => this.tasks.groupOf(job.spec.cluster));
  }

  /**
   * Nobody knows how it ended. With an engine before us the machine may have gone down: begun again, once. Otherwise
   * its supervisor was killed while we watched, most likely by the job: an attempt, for recovery to count.
   */
  private vanished(job: Job): void {
    if (job.adopted && !job.evicted) {
      job.watch.evicted("its supervisor is gone: killed with the machine");
      job.adopted = false;
      this.queueAgain(job);
    } else {
      const why = "the process that watched it was killed, by the job itself or together with it";
      this.leave(job, { kind: "lost", why });
    }
  }

  /** A job that is being removed was removed, however it ended. */
  private leave(job: Job, end?: JobEnd): void {
    const { removal, spec, peakMb } = job;
    if (job.state !== "idle" && !job.freed) this.slots.free(job.site, spec);
    this.all.delete(spec.cluster);
    if (removal) job.watch.ended({ kind: "removed", removal, peakMb });
    else if (end) job.watch.ended(end);
    this.outbox.after(() => this.forget(job));
    this.pump();
  }

  private scratchOf({ spec }: Job): string {
    return spec.transfers ? `${this.tasks.pathOf(spec.cluster)}.scratch` : spec.initialDir;
  }

  private forget(job: Job): void {
    const path = this.tasks.pathOf(job.spec.cluster);
    if (!job.direct || !this.tasks.keepDirectory(this.scratchOf(job)))
      removeTree(job.spec.transfers ? `${path}.scratch` : `${path}.ad`);
    this.tasks.forget(job.spec.cluster);
  }
}
