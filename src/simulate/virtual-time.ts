import type { Clock } from "../base/clock.ts";

/** A moment that something is planned for; `cancel` makes it pass by. */
export interface Planned {
  cancel(): void;
}

interface Entry {
  readonly at: number;
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
  #order = 0;
  readonly #heap: Entry[] = [];

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
    const entry: Entry = { at: this.#now + Math.max(0, seconds) * 1000, order: this.#order++, run };
    this.#heap.push(entry);
    this.#rise(this.#heap.length - 1);
    return {
      cancel: () => {
        entry.run = null;
      },
    };
  }

  /** When the next thing happens; null: nothing is planned. */
  get nextMs(): number | null {
    while (this.#heap[0] && this.#heap[0].run === null) this.#pop();
    return this.#heap[0]?.at ?? null;
  }

  /** Does everything that is due now, and what follows from it at this very moment. */
  runDue(): void {
    for (let next = this.nextMs; next !== null && next <= this.#now; next = this.nextMs) this.#pop()?.run?.();
  }

  #pop(): Entry | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (first === undefined || last === undefined || this.#heap.length === 0) return first;
    this.#heap[0] = last;
    this.#sink(0);
    return first;
  }

  #rise(from: number): void {
    const heap = this.#heap;
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!isBefore(heap[at]!, heap[parent]!)) return;
      [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
      at = parent;
    }
  }

  #sink(from: number): void {
    const heap = this.#heap;
    for (let at = from; ; ) {
      const left = 2 * at + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const least = right < heap.length && isBefore(heap[right]!, heap[left]!) ? right : left;
      if (!isBefore(heap[least]!, heap[at]!)) return;
      [heap[at], heap[least]] = [heap[least]!, heap[at]!];
      at = least;
    }
  }
}

const isBefore = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
