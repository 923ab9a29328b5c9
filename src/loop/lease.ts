import type { Ports } from "./ports.ts";

const NAME = "lifecycle";

/** Which of several servers runs the loop, and until when. A stopped process wakes up and knows nothing of the time between. */
export class Lease {
  /** Since when it is ours; null: it is not. */
  since: Date | null = null;
  #until = new Date(0);
  /** Grows whenever the lease was not ours for a while, or may not have been. */
  #term = 0;
  readonly #ports: Pick<Ports, "store" | "clock">;
  readonly #seconds: number;
  readonly #owner: string;

  constructor(ports: Pick<Ports, "store" | "clock">, seconds: number, owner: string) {
    this.#ports = ports;
    this.#seconds = seconds;
    this.#owner = owner;
  }

  /** false: another server has it. */
  async take(): Promise<boolean> {
    const { store, clock } = this.#ports;
    const now = clock.now();
    const until = new Date(now.getTime() + this.#seconds * 1000);
    const isOurs = await store.settings.takeLease(NAME, this.#owner, now, until);
    // It begins anew when it had run out, as it has when a clock leaps ahead, and when a clock was set back.
    const goesOn = this.since !== null && this.since < now && this.#until >= now;
    this.since = !isOurs ? null : goesOn ? this.since : now;
    if (!isOurs || this.#until < now) this.#term += 1;
    this.#until = isOurs ? until : new Date(0);
    return isOurs;
  }

  /** Answers, whenever it is asked, whether it has been ours without a gap since now. */
  watch(): () => boolean {
    const begunIn = this.#term;
    return () => this.#ports.clock.now() < this.#until && begunIn === this.#term;
  }

  /** Who holds it; null: nobody. */
  async holder(): Promise<string | null> {
    const { store, clock } = this.#ports;
    const lease = await store.settings.lease(NAME);
    return lease && lease.until > clock.now() ? lease.owner : null;
  }

  drop(): Promise<void> {
    return this.#ports.store.settings.dropLease(NAME, this.#owner);
  }
}
