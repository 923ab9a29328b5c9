import type { EngineSite } from "../../../src/engines/port.ts";
import type { ScenarioSite } from "../scenario.ts";

/** A job that has a slot, or waits for one. */
export interface Ticket {
  readonly site: string;
  readonly cores: number;
  state: "waiting" | "running" | "over";
  /** Hears the number of the job: its cluster. */
  readonly begin: (cluster: number) => void;
}

interface SiteState {
  readonly site: ScenarioSite;
  isUp: boolean;
  busy: number;
  /** Cores that elected units will ask for: what a landing job looks at. */
  pledged: number;
  readonly queue: Ticket[];
}

/** The sites and their cores. First come, first served; a site that is down starts nothing and elects nobody. */
export class SitePool {
  readonly #sites: ReadonlyMap<string, SiteState>;
  #waiting: (() => void)[] = [];
  #clusters = 0;

  constructor(sites: readonly ScenarioSite[]) {
    this.#sites = new Map(sites.map((site) => [site.name, { site, isUp: true, busy: 0, pledged: 0, queue: [] }]));
  }

  get all(): readonly ScenarioSite[] {
    return [...this.#sites.values()].map(({ site }) => site);
  }
  get capacity(): readonly EngineSite[] {
    return this.all.map(({ name, cores }) => ({ name, cores, memoryMb: cores * 4000 }));
  }
  speedOf(site: string): number {
    return this.#sites.get(site)?.site.speed ?? 1;
  }

  /** The least pledged of those that are up, for its size; null: none is up. */
  elect(allowed: readonly string[]): string | null {
    let best: SiteState | null = null;
    for (const state of this.#sites.values()) {
      if (!state.isUp || !allowed.includes(state.site.name)) continue;
      if (best === null || share(state) < share(best)) best = state;
    }
    return best?.site.name ?? null;
  }

  pledge(site: string, cores: number): void {
    const state = this.#sites.get(site);
    if (state) state.pledged += cores;
  }

  /** Called once, when a site comes up. */
  whenSomeSiteIsUp(look: () => void): void {
    this.#waiting.push(look);
  }

  ask(site: string, cores: number, begin: Ticket["begin"]): Ticket {
    const ticket: Ticket = { site, cores, state: "waiting", begin };
    const state = this.#sites.get(site);
    state?.queue.push(ticket);
    if (state) this.#fill(state);
    return ticket;
  }

  give(ticket: Ticket): void {
    const state = this.#sites.get(ticket.site);
    const was = ticket.state;
    ticket.state = "over";
    if (!state || was !== "running") return;
    state.busy -= ticket.cores;
    this.#fill(state);
  }

  setUp(site: string, isUp: boolean): void {
    const state = this.#sites.get(site);
    if (!state) return;
    state.isUp = isUp;
    if (!isUp) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const look of waiting) look();
    this.#fill(state);
  }

  /** A job larger than its site runs when nothing else does. */
  #fill(state: SiteState): void {
    while (state.isUp && state.queue.length > 0) {
      const next = state.queue[0] as Ticket;
      const fits = state.busy + next.cores <= state.site.cores || state.busy === 0;
      if (next.state === "waiting" && !fits) return;
      state.queue.shift();
      if (next.state !== "waiting") continue;
      next.state = "running";
      state.busy += next.cores;
      this.#clusters += 1;
      next.begin(this.#clusters);
    }
  }
}

const share = ({ pledged, site }: SiteState): number => pledged / site.cores;
