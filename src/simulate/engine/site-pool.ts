import type { EngineSite } from "../../engine/port.ts";
import type { ScenarioSite } from "../scenario.ts";

/** A job that has a slot, or waits for one. */
export interface Ticket {
  readonly site: string;
  readonly cores: number;
  state: "waiting" | "running" | "over";
  /** Hears the number of the job: its cluster. */
  readonly begin: (cluster: number) => void;
}

interface Place {
  readonly site: ScenarioSite;
  isUp: boolean;
  busy: number;
  /** Cores that elected units will ask for: what a landing job looks at. */
  pledged: number;
  readonly queue: Ticket[];
}

/** The sites and their cores. First come, first served; a site that is down starts nothing and elects nobody. */
export class SitePool {
  readonly #places: ReadonlyMap<string, Place>;
  #waiting: (() => void)[] = [];
  #clusters = 0;

  constructor(sites: readonly ScenarioSite[]) {
    this.#places = new Map(sites.map((site) => [site.name, { site, isUp: true, busy: 0, pledged: 0, queue: [] }]));
  }

  get all(): readonly ScenarioSite[] {
    return [...this.#places.values()].map(({ site }) => site);
  }
  get capacity(): readonly EngineSite[] {
    return this.all.map(({ name, cores }) => ({ name, cores, memoryMb: cores * 4000 }));
  }
  speedOf(site: string): number {
    return this.#places.get(site)?.site.speed ?? 1;
  }

  /** The least pledged of those that are up, for its size; null: none is up. */
  elect(allowed: readonly string[]): string | null {
    let best: Place | null = null;
    for (const place of this.#places.values()) {
      if (!place.isUp || !allowed.includes(place.site.name)) continue;
      if (best === null || share(place) < share(best)) best = place;
    }
    return best?.site.name ?? null;
  }

  pledge(site: string, cores: number): void {
    const place = this.#places.get(site);
    if (place) place.pledged += cores;
  }

  /** Called once, when a site comes up. */
  whenSomeSiteIsUp(look: () => void): void {
    this.#waiting.push(look);
  }

  ask(site: string, cores: number, begin: Ticket["begin"]): Ticket {
    const ticket: Ticket = { site, cores, state: "waiting", begin };
    const place = this.#places.get(site);
    place?.queue.push(ticket);
    if (place) this.#fill(place);
    return ticket;
  }

  give(ticket: Ticket): void {
    const place = this.#places.get(ticket.site);
    const was = ticket.state;
    ticket.state = "over";
    if (!place || was !== "running") return;
    place.busy -= ticket.cores;
    this.#fill(place);
  }

  setUp(site: string, isUp: boolean): void {
    const place = this.#places.get(site);
    if (!place) return;
    place.isUp = isUp;
    if (!isUp) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const look of waiting) look();
    this.#fill(place);
  }

  /** A job larger than its site runs when nothing else does. */
  #fill(place: Place): void {
    while (place.isUp && place.queue.length > 0) {
      const next = place.queue[0] as Ticket;
      const fits = place.busy + next.cores <= place.site.cores || place.busy === 0;
      if (next.state === "waiting" && !fits) return;
      place.queue.shift();
      if (next.state !== "waiting") continue;
      next.state = "running";
      place.busy += next.cores;
      this.#clusters += 1;
      next.begin(this.#clusters);
    }
  }
}

const share = ({ pledged, site }: Place): number => pledged / site.cores;
