/** First in, first out, without the O(n) shift of an array. */
export class Fifo<T> {
  private items: T[] = [];
  private head = 0;

  get size(): number {
    return this.items.length - this.head;
  }

  peek(): T | undefined {
    return this.items[this.head];
  }

  push(item: T): void {
    this.items.push(item);
  }

  shift(): T | undefined {
    if (this.head === this.items.length) return undefined;
    const item = this.items[this.head];
    this.head += 1;
    if (this.head > 64 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }

  /** Keeps the order of what stays. O(n): for removals by people, not for the steady flow. */
  remove(unwanted: (item: T) => boolean): void {
    this.items = this.items.slice(this.head).filter((item) => !unwanted(item));
    this.head = 0;
  }
}

/** Highest priority first, then first come: a queue per priority, few of them in practice. */
export class PriorityFifo<T> {
  private readonly lanes = new Map<number, Fifo<{ order: number; item: T }>>();
  private priorities: number[] = [];

  push(item: T, priority: number, order: number): void {
    let lane = this.lanes.get(priority);
    if (!lane) {
      lane = new Fifo();
      this.lanes.set(priority, lane);
      this.priorities = [...this.priorities, priority].sort((a, b) => b - a);
    }
    lane.push({ order, item });
  }

  /** Priority and order of the first, to compare queues with one another. */
  head(): { priority: number; order: number; item: T } | undefined {
    for (const priority of this.priorities) {
      const first = this.lanes.get(priority)?.peek();
      if (first) return { priority, ...first };
    }
    return undefined;
  }

  shift(): T | undefined {
    for (const priority of this.priorities) {
      const lane = this.lanes.get(priority) as Fifo<{ order: number; item: T }>;
      const first = lane.shift();
      if (!first) continue;
      if (lane.size === 0) {
        this.lanes.delete(priority);
        this.priorities = this.priorities.filter((other) => other !== priority);
      }
      return first.item;
    }
    return undefined;
  }

  remove(unwanted: (item: T) => boolean): void {
    for (const lane of this.lanes.values()) lane.remove(({ item }) => unwanted(item));
  }
}

/** True when `a` goes before `b`. */
export function goesFirst(
  a: { priority: number; order: number },
  b: { priority: number; order: number } | undefined,
): boolean {
  return !b || a.priority > b.priority || (a.priority === b.priority && a.order < b.order);
}
