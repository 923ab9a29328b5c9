import type { NoMatch } from "../../../core/run.ts";
import type { JobSpec } from "../../dag/job-spec.ts";
import { goesFirst, type Rank, RankQueue } from "../../dag/queues.ts";
import { allows, whyNoMatch, whyNoRoom } from "../../format/match.ts";
import type { EngineSite } from "../../port.ts";

/** What a job wants of a site. */
export type Want = Pick<JobSpec, "cluster" | "cpus" | "memoryMb" | "desiredSites" | "bannedSites" | "priority"> &
  Partial<Pick<JobSpec, "gpus">>;
type Size = Pick<Want, "cpus" | "memoryMb" | "gpus">;

interface Shape {
  readonly like: Want;
  readonly queue: RankQueue<Want>;
}

/**
 * Cores and memory of the named sites, and the jobs that wait for them: highest priority first, then first come.
 * Jobs with the same wishes share a queue, so that one that does not fit is not asked again for every other.
 * A job larger than its sites waits for ever, as on a pool; `explain` says so.
 */
export class Slots {
  /** They may change; what is in use stays counted. */
  sites: readonly EngineSite[];
  /** By site, also of those that are not there at the moment: what runs goes on. */
  private readonly used = new Map<string, Required<Size>>();
  private readonly shapes = new Map<string, Shape>();
  private readonly gone = new Set<number>();
  private order = 0;

  constructor(sites: readonly EngineSite[]) {
    this.sites = sites;
  }

  add(want: Want): void {
    const key = `${want.cpus} ${want.memoryMb} ${want.gpus ?? 0} ${want.desiredSites?.join() ?? "*"} ${want.bannedSites.join()}`;
    let shape = this.shapes.get(key);
    if (!shape) {
      shape = { like: want, queue: new RankQueue() };
      this.shapes.set(key, shape);
    }
    shape.queue.push(want, want.priority, this.order++);
  }

  /** The next job that fits somewhere now, with its place taken. */
  take(): { want: Want; site: string } | null {
    let best: { shape: Shape; site: string; head: Rank } | undefined;
    for (const [key, shape] of this.shapes) {
      const head = this.headOf(shape);
      if (!head) {
        this.shapes.delete(key);
        continue;
      }
      if (!goesFirst(head, best?.head)) continue;
      const site = this.roomFor(shape.like);
      if (site !== null) best = { shape, site, head };
    }
    const want = best?.shape.queue.shift();
    if (!best || !want) return null;
    this.occupy(best.site, want);
    return { want, site: best.site };
  }

  occupy(site: string, want: Size): void {
    const { cpus, memoryMb, gpus } = this.usedAt(site);
    this.used.set(site, { cpus: cpus + want.cpus, memoryMb: memoryMb + want.memoryMb, gpus: gpus + (want.gpus ?? 0) });
  }

  free(site: string, { cpus, memoryMb, gpus = 0 }: Size): void {
    this.occupy(site, { cpus: -cpus, memoryMb: -memoryMb, gpus: -gpus });
  }

  /** A job that waits no longer: it is passed over when its turn comes. */
  remove(cluster: number): void {
    this.gone.add(cluster);
  }

  /** Why this job can never start here; null: it only waits for its turn. */
  explain(want: Want): NoMatch | null {
    return whyNoMatch(want, this.sites);
  }

  /** The first of every kind of job that can never start here, or for which there is no room now; the most pressing last. */
  stuck(): { want: Want; why: NoMatch }[] {
    const free = this.sites.map(({ name, cores, memoryMb }) => {
      const used = this.usedAt(name);
      return { name, cores: Math.max(0, cores - used.cpus), memoryMb: Math.max(0, memoryMb - used.memoryMb) };
    });
    const found: { want: Want; why: NoMatch }[] = [];
    for (const shape of this.shapes.values()) {
      const want = this.headOf(shape)?.item;
      const why = want ? (this.explain(want) ?? whyNoRoom(want, free)) : null;
      if (want && why) found.push({ want, why });
    }
    const isFinal = ({ why }: { why: NoMatch }): number => Number(why.code !== "slots");
    return found.sort((a, b) => isFinal(a) - isFinal(b) || (isFinal(a) ? 0 : a.want.cpus - b.want.cpus));
  }

  private headOf({ queue }: Shape): ReturnType<RankQueue<Want>["head"]> {
    while (this.gone.delete(queue.head()?.item.cluster ?? -1)) queue.shift();
    return queue.head();
  }

  /** The emptiest site with room: work spreads. */
  private roomFor(want: Want): string | null {
    let best: string | null = null;
    let most = want.cpus - 1;
    for (const { name, cores, memoryMb, gpus = 0 } of this.sites) {
      const used = this.usedAt(name);
      const free = cores - used.cpus;
      if (free <= most || memoryMb - used.memoryMb < want.memoryMb || !allows(want, name)) continue;
      if (gpus - used.gpus < (want.gpus ?? 0)) continue;
      [best, most] = [name, free];
    }
    return best;
  }

  private usedAt(site: string): Required<Size> {
    return this.used.get(site) ?? { cpus: 0, memoryMb: 0, gpus: 0 };
  }
}
