/**
 * Askers of the same thing at the same time share one look, and nobody gets an answer older than their question:
 * who comes while a look is under way waits for the next one, together with all who come meanwhile. So a change
 * that was answered before is always seen.
 *
 * With `keepMs` an answer also serves those who come so soon after its look began, unless something changed here meanwhile.
 */
export class SharedLook<T> {
  readonly #keepMs: number;
  readonly #looks = new Map<string, Look<T>>();
  readonly #kept = new Map<string, Kept<T>>();
  #changes = 0;

  constructor(keepMs = 0) {
    this.#keepMs = keepMs;
  }

  ask(key: string, look: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key);
    if (kept && performance.now() - kept.begunMs < this.#keepMs) return Promise.resolve(kept.answer);
    const running = this.#looks.get(key);
    // One that hangs must not take the others with it: they look for themselves.
    if (!running || performance.now() - running.begunMs > PATIENCE_MS) return this.#begin(key, look);
    running.next ??= running.over.then(() => this.#begin(key, look));
    return running.next;
  }

  /** What was seen before is out of date. */
  changed(): void {
    this.#changes += 1;
    this.#kept.clear();
  }

  #begin(key: string, look: () => Promise<T>): Promise<T> {
    const [begunMs, changes] = [performance.now(), this.#changes];
    const answer = look();
    const entry: Look<T> = { begunMs, next: null, over: Promise.resolve() };
    entry.over = answer.then(
      (value) => {
        if (changes === this.#changes) this.#keep(key, { begunMs, answer: value });
        this.#end(key, entry);
      },
      () => this.#end(key, entry),
    );
    this.#looks.set(key, entry);
    return answer;
  }

  #keep(key: string, kept: Kept<T>): void {
    if (this.#keepMs === 0) return;
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(key, kept);
  }

  #end(key: string, entry: Look<T>): void {
    if (entry.next === null && this.#looks.get(key) === entry) this.#looks.delete(key);
  }
}
const PATIENCE_MS = 1000;
const MOST_KEPT = 100;

interface Look<T> {
  readonly begunMs: number;
  over: Promise<void>;
  /** The look that begins when this one is over, once somebody waits for it. */
  next: Promise<T> | null;
}

interface Kept<T> {
  readonly begunMs: number;
  readonly answer: T;
}
