/**
 * Askers of the same thing at the same time share one look, and nobody gets an answer older than their question:
 * who comes while a look is under way waits for the next one, together with all who come meanwhile. So a change
 * that was answered before is always seen. Nothing is kept between looks.
 */
export class SharedLook<T> {
  readonly #looks = new Map<string, Look<T>>();

  ask(key: string, look: () => Promise<T>): Promise<T> {
    const running = this.#looks.get(key);
    // One that hangs must not take the others with it: they look for themselves.
    if (!running || performance.now() - running.begunMs > PATIENCE_MS) return this.#begin(key, look);
    running.next ??= running.over.then(() => this.#begin(key, look));
    return running.next;
  }

  #begin(key: string, look: () => Promise<T>): Promise<T> {
    const answer = look();
    const entry: Look<T> = { begunMs: performance.now(), next: null, over: Promise.resolve() };
    entry.over = answer.then(
      () => this.#end(key, entry),
      () => this.#end(key, entry),
    );
    this.#looks.set(key, entry);
    return answer;
  }

  #end(key: string, entry: Look<T>): void {
    if (entry.next === null && this.#looks.get(key) === entry) this.#looks.delete(key);
  }
}
const PATIENCE_MS = 1000;

interface Look<T> {
  readonly begunMs: number;
  over: Promise<void>;
  /** The look that begins when this one is over, once somebody waits for it. */
  next: Promise<T> | null;
}
