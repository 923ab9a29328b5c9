import type { EngineSite } from "../port.ts";
import type { JobSpec } from "./job-spec.ts";
import { goesFirst, type Rank, RankQueue } from "./queues.ts";

/** What a job wants of a site. */
export type Want = Pick<JobSpec, "cluster" | "cpus" | "memoryMb" | "desiredSites" | "bannedSites" | "priority">;
type Size = Pick<Want, "cpus" | "memoryMb">;

interface Room {
  readonly site: EngineSite;
  cores: number;
  memoryMb: number;
}

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
  private rooms: Room[] = [];
  private readonly shapes = new Map<string, Shape>();
  private readonly gone = new Set<number>();
  private order = 0;

  constructor(sites: readonly EngineSite[]) {
    this.configure(sites);
  }

  /** New sizes for the sites; what is in use stays counted. */
  configure(sites: readonly EngineSite[]): void {
    const used = new Map(
      this.rooms.map(({ site, cores, memoryMb }) => [
        site.name,
        [site.cores - cores, site.memoryMb - memoryMb] as const,
      ]),
    );
    this.rooms = sites.map((site) => {
      const [cores, memoryMb] = used.get(site.name) ?? [0, 0];
      return { site, cores: site.cores - cores, memoryMb: site.memoryMb - memoryMb };
    });
  }

  add(want: Want): void {
    const key = `${want.cpus} ${want.memoryMb} ${want.desiredSites?.join() ?? "*"} ${want.bannedSites.join()}`;
    let shape = this.shapes.get(key);
    if (!shape) {
      shape = { like: want, queue: new RankQueue() };
      this.shapes.set(key, shape);
    }
    shape.queue.push(want, want.priority, this.order++);
  }

  /** The next job that fits somewhere now, with its place taken. */
  take(): { want: Want; site: string } | null {
    let best: { shape: Shape; room: Room; head: Rank } | undefined;
    for (const [key, shape] of this.shapes) {
      const head = this.headOf(shape);
      if (!head) {
        this.shapes.delete(key);
        continue;
      }
      if (!goesFirst(head, best?.head)) continue;
      const room = this.roomFor(shape.like);
      if (room) best = { shape, room, head };
    }
    const want = best?.shape.queue.shift();
    if (!best || !want) return null;
    this.occupy(best.room.site.name, want);
    return { want, site: best.room.site.name };
  }

  occupy(site: string, want: Size): void {
    this.change(site, want, -1);
  }

  free(site: string, want: Size): void {
    this.change(site, want, 1);
  }

  /** A job that waits no longer: it is passed over when its turn comes. */
  remove(cluster: number): void {
    this.gone.add(cluster);
  }

  /** Why this job can never start here; null: it only waits for its turn. */
  explain(want: Want): string | null {
    const allowed = this.rooms.filter(({ site }) => allows(want, site.name));
    if (allowed.length === 0)
      return `no site of this engine is allowed: wants ${want.desiredSites?.join(",") ?? "any"}`;
    const fits = allowed.some(({ site }) => site.cores >= want.cpus && site.memoryMb >= want.memoryMb);
    if (fits) return null;
    return `asks for ${want.cpus} cores and ${want.memoryMb} MB: more than any site it may run at has`;
  }

  /** The first of every kind of job that can never start here. */
  stuck(): { want: Want; why: string }[] {
    const found: { want: Want; why: string }[] = [];
    for (const shape of this.shapes.values()) {
      const want = this.headOf(shape)?.item;
      const why = want ? this.explain(want) : null;
      if (want && why) found.push({ want, why });
    }
    return found;
  }

  private headOf({ queue }: Shape): ReturnType<RankQueue<Want>["head"]> {
    while (this.gone.delete(queue.head()?.item.cluster ?? -1)) queue.shift();
    return queue.head();
  }

  /** The emptiest site with room: work spreads. */
  private roomFor(want: Want): Room | null {
    let best: Room | null = null;
    for (const room of this.rooms) {
      if (room.cores < want.cpus || room.memoryMb < want.memoryMb || !allows(want, room.site.name)) continue;
      if (!best || room.cores > best.cores) best = room;
    }
    return best;
  }

  private change(name: string, want: Size, sign: 1 | -1): void {
    const room = this.rooms.find(({ site }) => site.name === name);
    if (!room) return;
    room.cores += sign * want.cpus;
    room.memoryMb += sign * want.memoryMb;
  }
}

const allows = (want: Want, site: string): boolean =>
  (want.desiredSites === null || want.desiredSites.includes(site)) && !want.bannedSites.includes(site);
