import type { Clock } from "../../src/core/base/clock.ts";

/** A moment that something is planned for; `cancel` makes it pass by. */
export interface Planned {
  cancel(): void;
}

interface Entry {
  readonly at: number;
  /** Among those of the same moment. */
  readonly order: number;
  run: (() => void) | null;
}

/**
 * The clock of a simulation and what is to happen when. Things planned for the same moment happen in the order in
 * which they were planned, so a story is the same every time it is told.
 */
export class VirtualTime implements Clock {
  readonly begin: number;
  #now: number;
  /** A heap: the next one first. */
  readonly #entries: Entry[] = [];
  #planned = 0;
  /** How much has happened so far. */
  happened = 0;

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
    const entry: Entry = { at: this.#now + Math.max(0, seconds) * 1000, order: this.#planned++, run };
    this.#push(entry);
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
    while (this.#entries[0]?.run === null) this.#pop();
    return this.#entries[0]?.at ?? null;
  }

  /** Does everything that is due now, and what follows from it at this very moment. */
  runDue(): void {
    for (let next = this.nextMs; next !== null && next <= this.#now; next = this.nextMs) {
      this.happened += 1;
      this.#pop()?.run?.();
    }
  }

  #push(entry: Entry): void {
    const heap = this.#entries;
    let at = heap.push(entry) - 1;
    for (let up = (at - 1) >> 1; at > 0 && isSooner(entry, heap[up]!); up = (at - 1) >> 1) {
      heap[at] = heap[up]!;
      at = up;
    }
    heap[at] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#entries;
    const [first, last] = [heap[0], heap.pop()];
    if (heap.length === 0 || !last) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const next = right < heap.length && isSooner(heap[right]!, heap[left]!) ? right : left;
      if (next >= heap.length || !isSooner(heap[next]!, last)) break;
      heap[at] = heap[next]!;
      at = next;
    }
    heap[at] = last;
    return first;
  }
}

const isSooner = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
