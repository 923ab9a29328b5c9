import type { Clock } from "../base/clock.ts";

/** A moment that something is planned for; `cancel` makes it pass by. */
export interface Planned {
  cancel(): void;
}

interface Entry {
  readonly at: number;
  run: (() => void) | null;
}

/**
 * The clock of a simulation and what is to happen when. Things planned for the same moment happen in the order in
 * which they were planned, so a story is the same every time it is told.
 */
export class VirtualTime implements Clock {
  readonly begin: number;
  #now: number;
  /** The next one last. */
  readonly #entries: Entry[] = [];

  constructor(begin: Date) {
    this.begin = begin.getTime();
    this.#now = this.begin;
  }

  now(): Date {
    return new Date(this.#now);
  }
  get ms(): number {
    return this.#now;
  }
  /** Seconds since the story began. */
  get sec(): number {
    return (this.#now - this.begin) / 1000;
  }

  /** Moves on to a moment; never back. */
  moveTo(ms: number): void {
    this.#now = Math.max(this.#now, ms);
  }

  after(seconds: number, run: () => void): Planned {
    const entry: Entry = { at: this.#now + Math.max(0, seconds) * 1000, run };
    this.#entries.splice(this.#indexFor(entry.at), 0, entry);
    return {
      cancel: () => {
        entry.run = null;
      },
    };
  }

  /** A story waits for nobody. */
  soon(run: () => void): void {
    run();
  }

  /** When the next thing happens; null: nothing is planned. */
  get nextMs(): number | null {
    while (this.#entries.at(-1)?.run === null) this.#entries.pop();
    return this.#entries.at(-1)?.at ?? null;
  }

  /** Does everything that is due now, and what follows from it at this very moment. */
  runDue(): void {
    for (let next = this.nextMs; next !== null && next <= this.#now; next = this.nextMs) this.#entries.pop()?.run?.();
  }

  /** Behind everything later, before everything else of the same moment: that was planned earlier. */
  #indexFor(at: number): number {
    let [from, to] = [0, this.#entries.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#entries[middle]!.at > at) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
