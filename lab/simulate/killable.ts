/**
 * A server that can die in the middle of anything. Its ports are wrapped: once it is dead every call of it throws, so
 * nothing it would have done afterwards happens, and a transaction under way is rolled back. That is what kill -9
 * looks like from outside.
 */
export class Life {
  isDead = false;
  #trap: { call: string | null; when: "before" | "after"; calls: number | null } | null = null;
  readonly #died: (where: string) => void;

  constructor(died: (where: string) => void) {
    this.#died = died;
  }

  /** It will die inside this call, or after so many calls. */
  arm(call: string | null, when: "before" | "after", calls: number | null): void {
    this.#trap = { call, when, calls };
  }

  /** Counts its calls: every pass the real loop makes would have brought it nearer to its end. */
  get isCounting(): boolean {
    return !this.isDead && this.#trap?.calls != null;
  }

  /** The death that has yet to come; null: none is planned. */
  get plannedDeath(): string | null {
    if (this.isDead || this.#trap === null) return null;
    return this.#trap.call === null ? `after ${this.#trap.calls} more calls` : `${this.#trap.when} ${this.#trap.call}`;
  }

  die(where: string): void {
    if (this.isDead) return;
    this.isDead = true;
    this.#died(where);
  }

  async through<T>(call: string, act: () => T | Promise<T>): Promise<T> {
    this.#check(call, "before");
    const answer = await act();
    this.#check(call, "after");
    return answer;
  }

  #check(call: string, when: "before" | "after"): void {
    const trap = this.#trap;
    if (trap && !this.isDead) {
      if (trap.calls !== null && when === "before") trap.calls -= 1;
      const isHere = trap.call === null ? trap.calls !== null && trap.calls <= 0 : trap.call === call;
      if (isHere && (trap.call === null || trap.when === when)) this.die(`${when} ${call}`);
    }
    if (this.isDead) throw new Error("the server is dead");
  }
}

/**
 * The same object, every method of which goes through a life. So do the aggregates of a store and the parts of a catalog;
 * everything else that is no function is plain data.
 */
export function killable<T extends object>(target: T, life: Life, name: string): T {
  return new Proxy(target, {
    get(from, key) {
      const value: unknown = Reflect.get(from, key, from);
      if (typeof key !== "string") return value;
      const call = `${name}.${key}`;
      if (typeof value === "function") return wrapped(value.bind(from), life, call, name);
      if (!(value instanceof Object)) return value;
      return name === "store" ? killable(value, life, call) : name === "catalog" ? killable(value, life, name) : value;
    },
  });
}

/** Answers at once, so it cannot be a promise. */
const PLAIN: ReadonlySet<string> = new Set(["spool.submitDir", "spool.mergedDir", "spool.policyText", "spool.ledgers"]);

/** Answers page by page: every page goes through the life. */
const PAGED: ReadonlySet<string> = new Set(["store.files.remaining", "store.units.proofs", "spool.ledgers"]);

async function* pagesThrough(life: Life, call: string, pages: AsyncIterable<unknown>) {
  for await (const page of pages) yield await life.through(call, () => page);
}

function wrapped(method: (...args: unknown[]) => unknown, life: Life, call: string, name: string) {
  if (PLAIN.has(call)) return method;
  if (PAGED.has(call))
    return (...args: unknown[]) => pagesThrough(life, call, method(...args) as AsyncIterable<unknown>);
  if (call === "store.transaction")
    return (work: (store: object) => Promise<unknown>) =>
      life.through(call, () => method((inner: object) => work(killable(inner, life, name))) as Promise<unknown>);
  return (...args: unknown[]) => life.through(call, () => method(...args) as Promise<unknown>);
}
