/** Where something stands in a queue: highest priority first, then first come. */
export interface Rank {
  readonly priority: number;
  readonly order: number;
}

/** True when `a` goes before `b`. */
export const goesFirst = (a: Rank, b: Rank | undefined): boolean =>
  !b || a.priority > b.priority || (a.priority === b.priority && a.order < b.order);

/** A binary heap by rank: 100,000 nodes may wait at once. */
export class RankQueue<T> {
  private heap: (Rank & { readonly item: T })[] = [];

  /** The first, with its rank, to compare queues with one another. */
  head(): (Rank & { readonly item: T }) | undefined {
    return this.heap[0];
  }

  push(item: T, priority: number, order: number): void {
    const entry = { item, priority, order };
    let at = this.heap.length;
    for (let up = (at - 1) >> 1; at > 0 && goesFirst(entry, this.heap[up]); up = (at - 1) >> 1) {
      this.heap[at] = this.heap[up]!;
      at = up;
    }
    this.heap[at] = entry;
  }

  shift(): T | undefined {
    const first = this.heap[0];
    const last = this.heap.pop();
    if (!first || !last || first === last) return first?.item;
    let at = 0;
    for (;;) {
      const [left, right] = [this.heap[2 * at + 1], this.heap[2 * at + 2]];
      const next = right && goesFirst(right, left) ? right : left;
      if (!next || goesFirst(last, next)) break;
      this.heap[at] = next;
      at = 2 * at + (next === left ? 1 : 2);
    }
    this.heap[at] = last;
    return first.item;
  }
}
