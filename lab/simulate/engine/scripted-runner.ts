import type { NoMatch } from "../../../src/core/run.ts";
import type { JobSpec } from "../../../src/engines/dag/job-spec.ts";
import type { JobEnd, JobRunner, JobWait, JobWatch, Removal } from "../../../src/engines/dag/runner.ts";
import { allows, whyNoMatch } from "../../../src/engines/format/match.ts";
import type { EngineSite } from "../../../src/engines/port.ts";
import type { Planned, VirtualTime } from "../virtual-time.ts";
import type { SitePool, Ticket } from "./site-pool.ts";

/** How jobs go; asked when they come to it. */
interface JobScript {
  /** It is to run at this site, as soon as there is room. */
  placed(job: JobSpec, site: string): void;
  /** `serial` counts all that begin, at whatever site. */
  begins(job: JobSpec, site: string, serial: number): Part;
}
interface Part {
  readonly seconds: number;
  end(): JobEnd;
  /** Its site is gone before it ended. */
  takenAway(): JobEnd;
}

interface Job {
  readonly spec: JobSpec;
  readonly watch: JobWatch;
  ticket: Ticket | null;
  planned: Planned | null;
  part: Part | null;
}

/** Jobs that only take time: they wait for cores of a site of the scenario, and end as their script says. */
export class ScriptedRunner implements JobRunner {
  readonly #time: VirtualTime;
  readonly #sites: SitePool;
  readonly #script: JobScript;
  readonly #jobs = new Map<number, Job>();
  /** While whoever listens is on hold: what happened meanwhile. */
  #unheard: (() => void)[] | null = null;

  constructor(time: VirtualTime, sites: SitePool, script: JobScript) {
    [this.#time, this.#sites, this.#script] = [time, sites, script];
  }

  start(spec: JobSpec, watch: JobWatch): void {
    const job: Job = { spec, watch, ticket: null, planned: null, part: null };
    this.#jobs.set(spec.cluster, job);
    this.#place(job);
  }

  /** Nothing outlives a story. */
  adopt(): "unknown" {
    return "unknown";
  }

  remove(cluster: number, removal: Removal): void {
    const job = this.#jobs.get(cluster);
    if (job) this.#leave(job, () => ({ kind: "removed", removal, peakMb: null }));
  }

  explain(cluster: number): JobWait | null {
    const job = this.#jobs.get(cluster);
    return !job || job.part ? null : { never: whyNoMatch(job.spec, this.capacity()) };
  }

  stuck(): Map<string, NoMatch> {
    const found = new Map<string, NoMatch>();
    for (const [cluster, { watch }] of this.#jobs) {
      const never = this.explain(cluster)?.never;
      if (never) found.set(watch.batchName, never);
    }
    return found;
  }

  capacity(): readonly EngineSite[] {
    return this.#sites.capacity;
  }

  close(): void {
    for (const { planned } of this.#jobs.values()) planned?.cancel();
    this.#jobs.clear();
  }

  get isHeld(): boolean {
    return this.#unheard !== null;
  }
  /** Jobs go on, but nobody hears of it. */
  hold(): void {
    this.#unheard ??= [];
  }
  release(): void {
    const unheard = this.#unheard ?? [];
    this.#unheard = null;
    for (const report of unheard) report();
  }
  whenHeard(act: () => void): void {
    if (this.#unheard) this.#unheard.push(act);
    else act();
  }

  /** The site takes away whatever runs there. */
  evictAt(site: string): void {
    for (const job of [...this.#jobs.values()])
      if (job.part && job.ticket?.site === site) this.#finish(job, job.part.takenAway);
  }

  /** A job that is not bound to one site goes where there is most room; it waits as long as no site that it may use is up. */
  #place(job: Job): void {
    const { spec } = job;
    if (this.#jobs.get(spec.cluster) !== job) return;
    const allowed = this.#sites.all.map(({ name }) => name).filter((name) => allows(spec, name));
    const bound = spec.desiredSites?.length === 1 ? spec.desiredSites[0] : undefined;
    const site = bound ?? this.#sites.elect(allowed);
    if (site === null) {
      this.#sites.whenSomeSiteIsUp(() => this.#place(job));
      return;
    }
    this.#script.placed(spec, site);
    job.ticket = this.#sites.ask(site, spec.cpus, (serial) => this.#begin(job, site, serial));
  }

  #begin(job: Job, site: string, serial: number): void {
    job.watch.begins({ site, at: this.#time.ms }, job.spec.initialDir);
    const part = this.#script.begins(job.spec, site, serial);
    job.part = part;
    job.planned = this.#time.after(part.seconds, () => this.#finish(job, part.end));
  }

  #finish(job: Job, end: () => JobEnd): void {
    job.planned?.cancel();
    this.whenHeard(() => this.#leave(job, end));
  }

  #leave(job: Job, end: () => JobEnd): void {
    if (this.#jobs.get(job.spec.cluster) !== job) return;
    this.#jobs.delete(job.spec.cluster);
    job.planned?.cancel();
    if (job.ticket) this.#sites.give(job.ticket);
    job.watch.ended(end());
  }
}
